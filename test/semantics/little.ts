/**
 * Little machines for the rules of docs/semantics.md: states that call one tool each, the reviewed config of that, and a counterparty
 * that counts what was done to it.
 */
import { type AnyStateMachine, assign, setup } from 'xstate';
import { type Ending, loadConfig, type Report, vetoes } from '../../src/index.ts';
import { attach, type SidecarOptions, tool } from '../../src/xstate/index.ts';
import { unlessItHangs, until } from '../poll.ts';

/** What an action or a guard is given. */
export type Given<T = number> = { readonly context: Readonly<Record<string, T>> };

export { held } from '../sidecar/stations.ts';

/** A call as the counterparty sees it: `nth` counts the calls of its tool from 0. */
interface Asked {
  readonly nth: number;
  readonly input: Record<string, unknown>;
  readonly signal: AbortSignal;
}

/** A counterparty. It writes down every act and every undo. */
export class World {
  readonly acts: { readonly tool: string; readonly key: string | undefined; readonly input: unknown }[] = [];
  /** The keys of the acts that were undone, in order. */
  readonly undone: string[] = [];
  /** For `attach`, under the name `un`. */
  readonly undo = { un: ({ key }: { key: string }) => void this.undone.push(key) };

  /** A tool that acts here; left to itself it answers with its name and the number of the call. */
  tool(name: string, does: (asked: Asked) => unknown = ({ nth }) => `${name}${nth}`) {
    return tool(async ({ input, key, signal }: { input: unknown; key: string | undefined; signal: AbortSignal }) => {
      const nth = this.count(name);
      this.acts.push({ tool: name, key, input });
      return does({ nth, input: (input ?? {}) as Record<string, unknown>, signal });
    });
  }

  /** How often a tool acted. */
  count(name: string): number {
    return this.acts.filter((act) => act.tool === name).length;
  }

  /** The keys under which a tool acted, in order. */
  keys(name: string): (string | undefined)[] {
    return this.acts.filter((act) => act.tool === name).map(({ key }) => key);
  }
}

/** A state that calls a tool of the same name, keeps its answer under a key, and goes on. */
export function calls(
  name: string,
  key: string,
  target: string,
  reads: readonly string[] = [],
  more: readonly unknown[] = [],
) {
  return {
    invoke: {
      src: name,
      // A step runs code of the machine's where it computes an input, and such code may read everything (K5).
      ...(reads.length > 0 && {
        input: ({ context }: Given<unknown>) => Object.fromEntries(reads.map((read) => [read, context[read]])),
      }),
      onDone: {
        target,
        actions: [assign({ [key]: ({ event }: { event: { output: unknown } }) => event.output } as never), ...more],
      },
    },
  };
}

/** A machine with id `m` whose tools are named. */
export function machineOf(actors: Record<string, unknown>, definition: object): AnyStateMachine {
  return setup({ actors: actors as never }).createMachine({ id: 'm', context: {}, ...definition } as never) as never;
}

/** A unit of work: where it is done, the edges on which it is over, and what it writes. */
export interface Unit {
  readonly states: readonly string[];
  readonly at: string | readonly string[];
  readonly writes: readonly string[];
  readonly entry?: readonly string[];
  readonly reads?: readonly string[];
  readonly rollback?: string;
  /** The edge by which it is discarded. */
  readonly discard?: string;
}

/** The config of a machine; the entity of every unit is "it". */
export function configOf(tools: Readonly<Record<string, string>>, units: Readonly<Record<string, Unit>>, more = '') {
  const listed = Object.entries(tools).map(([name, says]) => `  ${name}: { ${says} }`);
  const skeletons = Object.entries(units).map(
    ([name, { states, at, writes, entry = states.slice(0, 1), reads = [], rollback = '', discard }]) => `
  ${name}:
    entity: '"it"'
    states: ${JSON.stringify(states)}
    entry: ${JSON.stringify(entry)}
    inputs: ${JSON.stringify(reads)}
    outputs: ${JSON.stringify(writes)}
    exit: ${JSON.stringify([at].flat().map((edge, index) => ({ id: `done${index}`, at: edge, when: `memory.?${writes[0]}.hasValue()` })))}
${discard === undefined ? '' : `    discard: [{ id: skipped, at: ${discard} }]\n`}    rollback: { anchors: ${JSON.stringify([at].flat().map((_, index) => `done${index}`))}, resume: ${entry[0]}${rollback === '' ? '' : `, ${rollback}`} }`,
  );
  const text = `belay: 1\nagent: m\n${more}\ntools:\n${listed.join('\n')}\nskeletons:${skeletons.join('')}\n`;
  const { config, findings } = loadConfig(text, { file: 'm.yaml' });
  if (config === null) throw new Error(findings.map(({ line, message }) => `${line}: ${message}`).join('\n'));
  return config;
}

/** Attaches the sidecar to a little machine and starts it. */
export async function run(
  machine: AnyStateMachine,
  config: ReturnType<typeof configOf>,
  options: Partial<SidecarOptions> = {},
) {
  const reports: Report[] = [];
  const sidecar = await attach(machine, {
    run: 'r',
    config,
    onDecision: (report: Report) => void reports.push(report),
    ...options,
  } as never);
  const { actor } = sidecar;
  actor.start();
  const value = () => (actor.getSnapshot() as { value: unknown }).value;
  return {
    sidecar,
    actor,
    reports,
    value,
    context: () => (actor.getSnapshot() as { context: Record<string, unknown> }).context,
    send: (type: string) => actor.send({ type } as never),
    /** Resolves once the machine stands in a state. */
    at: (state: unknown) =>
      until(
        () => JSON.stringify(value()) === JSON.stringify(state),
        () => `${JSON.stringify(state)}, but it is at ${JSON.stringify(value())} and ${sidecar.status}`,
      ),
    /** Says that the work of a unit, or one of the keys that it wrote, was found wrong. */
    wrong: (skeleton: string, key?: string, ordinal?: number) =>
      sidecar.fail('CONTRACT_VIOLATION', {
        instance: { skeleton, entity: 'it', ...(ordinal !== undefined && { ordinal }) },
        ...(key !== undefined && { key }),
      }),
    /** The ending, or an error once it is clear that there is none. */
    ending: (): Promise<Ending> =>
      unlessItHangs(
        sidecar.finished(),
        () => `neither ended nor parked, but at ${JSON.stringify(value())} and ${sidecar.status}`,
      ),
    verdicts: () => reports.map(({ decision }) => decision.verdict),
    /** The codes of the reasons in a decision, the last one unless said otherwise. */
    codes: (nth = -1) => [...new Set([...vetoes((reports.at(nth) as Report).decision)].map(({ code }) => code))],
    /** The skeletons that the nth decision sets aside. */
    aside: (nth = 0) => ((reports[nth] as Report).decision.aside ?? []).map(({ instance }) => instance.skeleton),
    /** The skeletons that the nth decision undoes, the roots of regions left out. */
    undone: (nth = 0) =>
      ((reports[nth] as Report).decision.line?.moves ?? [])
        .map(({ instance }) => instance.skeleton)
        .filter((skeleton) => !skeleton.startsWith('(')),
  };
}
