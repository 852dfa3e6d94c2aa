/** A run whose calls rest on each other by the reads that two configs declare: one config has begun the run, the other one is there as it is aborted (CO9). */
import { type AnyStateMachine, assign, setup } from 'xstate';
import type { BoundaryConfig } from '../../src/boundaries/config.ts';
import { loadConfig } from '../../src/boundaries/load.ts';
import { attach, resume, type Sidecar, tool } from '../../src/xstate/index.ts';
import { until } from '../poll.ts';
import { MortalStore } from '../simulation/mortal-store.ts';

/** The work between the first call and the last one: a call of class none, a call that is undone, or code. */
export const BETWEEN = ['asks', 'acts', 'computes'] as const;

/** The reads that a config declares: of the work in between, and of the last call. */
export interface Reads {
  readonly middle: boolean;
  readonly last: readonly ('first' | 'middle')[];
}

export interface Resting {
  readonly then: Reads;
  readonly now: Reads;
  readonly between: (typeof BETWEEN)[number];
  /** True where the tools touch rows outside in place of keys of the context. */
  readonly isOutside: boolean;
  /** The tool whose undo fails; null where the reply of the last call is lost, and no party knows what became of it. */
  readonly fails: 'middle' | 'last' | null;
}

const EVERY_WORK = ['first', 'middle', 'last'] as const;
type Work = (typeof EVERY_WORK)[number];

/** The key that some work writes. */
const keyOf = (work: Work, isOutside: boolean) => (isOutside ? `'row:${work}'` : work);

function restingConfig({ middle, last }: Reads, { between, isOutside }: Resting): BoundaryConfig {
  const key = (work: Work) => keyOf(work, isOutside);
  const reads: Readonly<Record<Work, readonly string[]>> = {
    first: [],
    middle: middle ? [key('first')] : [],
    last: last.map(key),
  };
  const classOf = (work: Work) =>
    work === 'middle' && between === 'asks' ? 'effect: none' : 'effect: compensable, undo: un';
  const tools = EVERY_WORK.filter((work) => work !== 'middle' || between !== 'computes').map(
    (work) => `  ${work}: { reads: [${reads[work]}], writes: [${key(work)}], ${classOf(work)} }\n`,
  );
  const next: Readonly<Record<Work, string>> = { first: 'in-middle', middle: 'in-last', last: 'waiting' };
  const units = EVERY_WORK.map(
    (work) => `  ${work.toUpperCase()}:
    entity: '"${work}"'
    states: [in-${work}]
    entry: [in-${work}]
    inputs: [${reads[work]}]
    outputs: [${work}, ${key(work)}]
    exit: [{ id: left, at: in-${work} -> ${next[work]}, when: 'true' }]
    rollback: { anchors: [left], resume: in-${work}, compensable: undo }
`,
  );
  const text = `belay: 1\nagent: m\ntools:\n${tools.join('')}skeletons:\n${units.join('')}`;
  const { config, findings } = loadConfig(text, { file: 'm.yaml' });
  if (config === null) throw new Error(findings.map(({ message }) => message).join('\n'));
  return config;
}

function restingMachine({ between, fails }: Resting, standing: Set<Work>): AnyStateMachine {
  const act = (work: Work) =>
    tool<unknown, unknown>(async () => {
      if (work !== 'middle' || between === 'acts') standing.add(work);
      if (work !== 'last' || fails !== null) return `${work} done`;
      throw new Error('the reply is lost');
    }) as never;
  const calling = (work: Work, target: string) => ({
    invoke: { src: work, onDone: { target, actions: assign({ [work]: 'done' } as never) } },
  });
  const computing = { on: { compute: { target: 'in-last', actions: assign({ middle: 'computed' } as never) } } };
  return setup({ actors: { first: act('first'), middle: act('middle'), last: act('last') } as never }).createMachine({
    id: 'm',
    context: { start: 1 } as never,
    initial: 'in-first',
    states: {
      'in-first': calling('first', 'in-middle'),
      'in-middle': between === 'computes' ? computing : calling('middle', 'in-last'),
      'in-last': calling('last', 'waiting'),
      waiting: { on: { end: 'ended' } },
      ended: { type: 'final' },
    },
  } as never) as never;
}

/** Plays one run up to its abort. @returns the work that stands at the end. */
export async function rested(one: Resting): Promise<ReadonlySet<Work>> {
  const standing = new Set<Work>();
  const store = new MortalStore([]);
  const machine = restingMachine(one, standing);
  const un = async ({ tool: name }: { readonly tool: string }) => {
    if (name === one.fails) throw new Error('503');
    standing.delete(name as Work);
  };
  const options = (config: BoundaryConfig, journal: unknown) => ({ run: 'r', config, journal, undo: { un } }) as never;
  const first = (await attach(
    machine,
    options(restingConfig(one.then, one), await store.next('r')),
  )) as unknown as Sidecar;
  first.actor.start();
  await until(
    () => {
      const at = (first.actor.getSnapshot() as { value: unknown }).value;
      if (at === 'in-middle' && one.between === 'computes') first.actor.send({ type: 'compute' } as never);
      return at === 'waiting' || first.status === 'parked';
    },
    () => `at ${JSON.stringify(first.actor.getSnapshot())}`,
  );
  await first.close();
  first.actor.stop();
  const now = restingConfig(one.now, one);
  const second = (await resume(machine, options(now, await store.next('r')))) as unknown as Sidecar;
  second.actor.start();
  await second.cancel({ by: 'ada', undo: true });
  await second.finished();
  await second.close();
  return standing;
}
