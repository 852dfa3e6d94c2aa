/** Little machines and the changes of them: a run of one release is taken up with another, at each row, and judged by the world. */
import { assign, setup } from 'xstate';
import type { BoundaryConfig } from '../../src/boundaries/config.ts';
import { loadConfig } from '../../src/boundaries/load.ts';
import type { EffectClass } from '../../src/model/effect.ts';
import { type ToolOptions, tool } from '../../src/xstate/tool.ts';
import { type Sequence, sequenceConfig, sequenceMachine } from './sequence.ts';
import type { World } from './world.ts';

/** What a release says: each member is one thing that a change may change. */
export interface Release {
  /** The states that stand beside the way of the run, and that no run comes to. */
  readonly beside?: string;
  /** An edge that no run takes. */
  readonly edge?: boolean;
  /** The number from which on a run pays by the other state. */
  readonly from?: keyof typeof GUARDS;
  /** The factor of what is assigned. */
  readonly factor?: number;
  /** What the call of `pay` is asked beyond its amount. */
  readonly asks?: keyof typeof INPUTS;
  /** The version of `pay`. */
  readonly pay?: ToolOptions;
  readonly effect?: EffectClass;
  readonly timeout?: string;
  /** The key of the context that the answer is written to. */
  readonly key?: string;
  /** An action on the entry of `check`. */
  readonly entry?: 'nothing' | 'log' | 'assign';
  /** The delay of the state in which a run waits. */
  readonly delay?: number;
  /** The order of the two calls. */
  readonly isSwapped?: boolean;
  /** The name of the state that pays. */
  readonly paying?: string;
  /** The name of the state that waits for a word, or for its delay. */
  readonly waiting?: string;
  /** The names of the tool that pays, of its unit, and of the unit that looks. */
  readonly tool?: string;
  readonly unit?: string;
  readonly look?: string;
  /** The tools that it asks, one behind the other, and how often; left out, it looks, pays and posts. */
  readonly sequence?: Sequence;
  /** True where the counterparty of `pay` can be asked. */
  readonly canAsk?: boolean;
  /** The rules of the calls that version 1 of `pay` has made; left out, there are none. */
  readonly older?: { readonly effect: EffectClass; readonly canUndo: boolean; readonly canAsk: boolean };
  /** The names of the two regions in which a run pays and counts side by side, and of the state that counts; left out, it only pays. */
  readonly lanes?: readonly [pays: string, counts: string, counting: string];
}

interface Context {
  readonly total: number;
}

/** Guards and inputs as texts of their own: a function that only closes over something else has the text of the one before. */
const GUARDS = {
  5: ({ context }: { context: Context }) => context.total >= 5,
  50: ({ context }: { context: Context }) => context.total >= 50,
  100: ({ context }: { context: Context }) => context.total >= 100,
};
const INPUTS = {
  amount: ({ context }: { context: Context }) => ({ amount: context.total }),
  more: ({ context }: { context: Context }) => ({ amount: context.total, more: 1 }),
};

/** The config of a release. */
export function configOf(release: Release): BoundaryConfig {
  return release.sequence === undefined ? littleConfig(release) : sequenceConfig(release.sequence, release.effect);
}

function littleConfig({
  effect = 'idempotent',
  timeout,
  paying = 'paying',
  key = 'receipt',
  waiting = 'waiting',
  tool: named = 'pay',
  unit = 'Pay',
  look = 'Look',
  lanes,
  canAsk = false,
  older,
}: Release): BoundaryConfig {
  const isUndone = effect === 'reversible' || effect === 'compensable';
  const undo = `${isUndone ? ', undo: refund' : ''}${canAsk ? ', reconcile: find' : ''}`;
  const was = older && `${older.canUndo ? ', undo: refundOlder' : ''}${older.canAsk ? ', reconcile: findOlder' : ''}`;
  const rules = older && `\n  pay@1: { reads: [total], writes: [${key}], effect: ${older.effect}${was} }`;
  const paid = lanes === undefined ? [paying, waiting] : [`${paying}.${lanes[0]}.doing`, `${paying}.${lanes[0]}.did`];
  const text = `
belay: 1
agent: shop
tools:
  look: { writes: [price], effect: none }
  ${named}: { reads: [total], writes: [${key}], effect: ${effect}${undo}${timeout === undefined ? '' : `, timeout: ${timeout}`} }
  post: { reads: [total], writes: [posted], effect: idempotent }${rules ?? ''}
skeletons:
  ${look}:
    entity: '"it"'
    states: [looking]
    entry: [looking]
    outputs: [price]
    exit: [{ id: looked, at: looking -> check, when: 'true' }]
    rollback: { anchors: [looked], resume: looking }
  ${unit}:
    entity: '"it"'
    states: [${paid[0]}]
    entry: [${paid[0]}]
    outputs: [${key}]
    exit: [{ id: paid, at: ${paid.join(' -> ')}, when: 'true' }]
    rollback: { anchors: [paid], resume: ${paid[0]}, compensable: undo, joint: [${look}, ${unit}] }
`;
  const { config, findings } = loadConfig(text, { file: 'shop.yaml' });
  if (config === null) throw new Error(findings.map(({ message }) => message).join('\n'));
  return config;
}

/** Pays in one region, and counts in another one: both are over before the run waits. */
function besideCounting(
  [pays, counts, counting]: NonNullable<Release['lanes']>,
  invoke: { readonly src: string; readonly input: unknown },
  waiting: string,
) {
  const lane = (state: string, invokes: object, over: string) => ({
    initial: state,
    states: { [state]: { invoke: invokes }, [over]: { type: 'final' as const }, last: { type: 'history' as const } },
  });
  return {
    type: 'parallel' as const,
    onDone: waiting,
    states: {
      [pays]: lane('doing', { ...invoke, onDone: { target: 'did', actions: 'receive' } }, 'did'),
      [counts]: lane(counting, { src: 'look', onDone: { target: 'counted', actions: 'count' } }, 'counted'),
    },
  };
}

/** The machine of a release: it looks, checks, pays, waits for a word, and posts. */
export function machineOf(release: Release, world: World) {
  if (release.sequence !== undefined) return sequenceMachine(release.sequence, world);
  const { from = 100, factor = 2, asks = 'amount', pay, key = 'receipt', delay = 60_000, paying = 'paying' } = release;
  const { waiting = 'waiting', tool: named = 'pay' } = release;
  const act = (name: string, options?: ToolOptions) =>
    tool<unknown, unknown>(
      ({ key: named, input }) => world.act(name, options?.version ?? '1', named, input),
      options,
    ) as never;
  const [first, second] = release.isSwapped === true ? ['post', named] : [named, 'post'];
  const entry = release.entry ?? 'nothing';
  const onEntry = { nothing: {}, log: { entry: () => {} }, assign: { entry: assign({ checked: true } as never) } }[
    entry
  ];
  const states = {
    idle: { on: { go: 'looking', ...(release.edge === true && { stop: 'over' }) } },
    looking: { invoke: { src: 'look', onDone: { target: 'check', actions: 'keep' } } },
    check: { ...onEntry, always: [{ guard: 'isDear', target: 'asking' }, { target: paying }] },
    asking: { on: { yes: paying } },
    [paying]:
      release.lanes === undefined
        ? { invoke: { src: first, input: INPUTS[asks], onDone: { target: waiting, actions: 'receive' } } }
        : besideCounting(release.lanes, { src: first, input: INPUTS[asks] }, waiting),
    [waiting]: { after: { [delay]: 'late' }, on: { word: 'posting' } },
    posting: {
      invoke: {
        src: second,
        input: INPUTS[asks],
        onDone: { target: 'over', actions: 'post' },
      },
    },
    late: {},
    over: { on: { end: 'ended' } },
    ended: { type: 'final' as const },
    ...(release.beside !== undefined && { [release.beside]: {} }),
  };
  return setup({
    actors: { look: act('look'), [named]: act('pay', pay), post: act('post') } as never,
    actions: {
      keep: assign({ price: 10, total: 10 * factor } as never),
      receive: assign({ [key]: 'received' } as never),
      post: assign({ posted: true } as never),
      count: assign({ count: 1 } as never),
    },
    guards: { isDear: GUARDS[from] as never },
  }).createMachine({ id: 'shop', context: { start: 1 } as never, initial: 'idle', states } as never);
}
