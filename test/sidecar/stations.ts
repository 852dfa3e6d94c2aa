/**
 * A line of stations, each a state that calls one tool and keeps what it answers, with the reviewed config of that: one skeleton
 * for each station. What a tool does is the test's to say; what it was asked is written down here.
 */
import { assign, setup } from 'xstate';
import type { BoundaryConfig } from '../../src/boundaries/config.ts';
import { loadConfig } from '../../src/boundaries/load.ts';
import type { Signal } from '../../src/model/failure.ts';
import { type InstanceId, ROOT } from '../../src/model/instance.ts';
import type { ToolCall } from '../../src/runtime/tool-call.ts';
import type { Ending, Report } from '../../src/sidecar/report.ts';
import { attach, resume, type Sidecar, type SidecarOptions } from '../../src/xstate/attach.ts';
import { tool } from '../../src/xstate/tool.ts';
import { unlessItHangs, until } from '../poll.ts';

/** A state, the tool that it calls and the key that it writes, all of one name. */
export interface Station {
  readonly name: string;
  /** The keys of the context that its tool reads, which are its input. */
  readonly reads?: readonly string[];
  /** The keys outside of the context that its tool reads and writes. */
  readonly outside?: { readonly reads?: readonly string[]; readonly writes?: readonly string[] };
  /** What the config says of the tool beyond its reads and writes; null where the tool is not declared at all. */
  readonly tool?: string | null;
  /** What the skeleton says of rolling back, beyond its anchors. */
  readonly rollback?: string;
  /** Further members of the skeleton. */
  readonly more?: string;
  /** CEL; `"it"` unless it says otherwise. */
  readonly entity?: string;
  /** Where the machine itself goes on an error of the tool. */
  readonly onError?: string;
  /** What else its answer writes. */
  readonly also?: (answer: unknown) => object;
}

/** A call as a tool has it: the how manieth of that tool it is, counted from 0. */
export type Called = ToolCall<Record<string, unknown>> & { readonly tool: string; readonly nth: number };

/** What a tool does; without a word it answers with its name and what it was given. */
export type Does = (call: Called) => unknown;

/** The name of the instance of a station. */
export function of(name: string, ordinal = 0, entity = 'it'): InstanceId {
  return { skeleton: name.toUpperCase(), entity, ordinal };
}

/** The config of a line. */
function textOf(stations: readonly Station[], more = ''): string {
  const tools = stations.flatMap(({ name, reads = [], outside = {}, tool: declared = 'effect: none' }) => {
    if (declared === null) return [];
    const [read, written] = [
      [...reads, ...(outside.reads ?? [])],
      [name, ...(outside.writes ?? [])],
    ];
    return [`  ${name}: { reads: ${JSON.stringify(read)}, writes: ${JSON.stringify(written)}, ${declared} }`];
  });
  const skeletons = stations.map(
    ({ name, entity = '"it"', rollback = '', more: rest = '' }, index) => `
  ${name.toUpperCase()}:
    entity: '${entity}'
    states: [${name}]
    entry: [${name}]
    outputs: [${name}]
    exit:
      - { id: done, at: ${name} -> ${stations[index + 1]?.name ?? 'rest'}, when: 'memory.?${name}.hasValue()' }
    rollback: { anchors: [done], resume: ${name}${rollback === '' ? '' : `, ${rollback}`} }
${rest}`,
  );
  return `belay: 1\nagent: line\n${more}\ntools:\n${tools.join('\n')}\nskeletons:${skeletons.join('')}`;
}

function loaded(text: string): BoundaryConfig {
  const { config, findings } = loadConfig(text, { file: 'line.yaml' });
  if (config === null) throw new Error(findings.map(({ line, message }) => `${line}: ${message}`).join('\n'));
  return config;
}

/** The machine of a line. It begins on `go`, rests at its end, and goes `again` or `end`s from there. */
export function machineOf(
  stations: readonly Station[],
  act: (name: string, call: ToolCall<unknown>) => Promise<unknown>,
) {
  const first = stations[0]?.name as string;
  const states = stations.map(({ name, reads = [], onError, also = () => ({}) }, index) => [
    name,
    {
      invoke: {
        src: name,
        input: ({ context }: { context: Record<string, unknown> }) =>
          Object.fromEntries(reads.map((key) => [key, context[key]])),
        onDone: {
          target: stations[index + 1]?.name ?? 'rest',
          actions: assign(({ event }) => {
            const { output } = event as unknown as { output: unknown };
            return { [name]: output, ...also(output) };
          }),
        },
        ...(onError !== undefined && { onError }),
      },
    },
  ]);
  const actors = Object.fromEntries(stations.map(({ name }) => [name, tool((call) => act(name, call))]));
  return setup({ actors: actors as Record<string, ReturnType<typeof tool>> }).createMachine({
    id: 'line',
    context: { turn: '0', wanted: 'x' },
    initial: 'idle',
    states: {
      idle: { on: { go: first, skip: 'rest' } },
      ...Object.fromEntries(states),
      handled: {},
      rest: {
        on: {
          again: { target: first, actions: assign({ turn: ({ context }) => String(Number(context.turn) + 1) }) },
          end: 'over',
        },
      },
      over: { type: 'final' },
    },
  } as never);
}

/** A line that runs, and everything that was seen of it. */
export class Line {
  readonly calls: Called[] = [];
  readonly reports: Report[] = [];
  readonly findings: string[] = [];
  readonly machine: ReturnType<typeof machineOf>;
  readonly config: BoundaryConfig;
  readonly text: string;
  readonly #does: Readonly<Record<string, Does>>;

  constructor(stations: readonly Station[], does: Readonly<Record<string, Does>> = {}, config = '') {
    this.#does = does;
    this.text = textOf(stations, config);
    this.config = loaded(this.text);
    this.machine = machineOf(stations, (name, call) => this.#act(name, call));
  }

  async #act(name: string, given: ToolCall<unknown>): Promise<unknown> {
    const { input, key, signal } = given as ToolCall<Record<string, unknown>>;
    const call = { input, key, signal, tool: name, nth: this.called(name) };
    this.calls.push(call);
    return (this.#does[name] ?? answer)(call);
  }

  /** How often a tool was called. */
  called(name: string): number {
    return this.calls.filter(({ tool: other }) => other === name).length;
  }

  options(more: Partial<SidecarOptions> = {}): SidecarOptions<never> {
    return {
      run: 'r',
      config: this.config,
      onDecision: (report: Report) => void this.reports.push(report),
      onFinding: ({ code }: { code: string }) => void this.findings.push(code),
      ...more,
    } as never;
  }

  async begin(more: Partial<SidecarOptions> = {}) {
    const sidecar = await attach(this.machine as never, this.options(more));
    return new Running(sidecar as never);
  }

  async resume(more: Partial<SidecarOptions> = {}) {
    const sidecar = await resume(this.machine as never, this.options(more));
    return new Running(sidecar as never);
  }

  /** The verdicts so far, with their levels. */
  get verdicts(): string[] {
    return this.reports.map(({ decision }) =>
      decision.line === null ? decision.verdict : `${decision.verdict} ${decision.line.level}`,
    );
  }

  /** The codes of the refusals of a decision. */
  codes(index = -1): string[] {
    const { decision } = this.reports.at(index) as Report;
    return decision.refusals.flatMap((refusal) =>
      'code' in refusal ? [refusal.code] : refusal.adds.map(({ code }) => code),
    );
  }

  /** The instances that a decision moves, in the order of its line; the roots of regions are left out. */
  moves(index = -1): string[] {
    const { decision } = this.reports.at(index) as Report;
    return (decision.line?.moves ?? [])
      .filter(({ instance: { skeleton } }) => skeleton !== ROOT)
      .map(
        ({ instance: { skeleton, entity, ordinal }, keep }) =>
          `${skeleton} ${entity} ${ordinal} ${keep === 'none' ? 'none' : keep.kind}`,
      );
  }

  /** The instances that a decision sets aside. */
  aside(index = -1): string[] {
    const { decision } = this.reports.at(index) as Report;
    return (decision.aside ?? []).map(({ instance: { skeleton, ordinal } }) => `${skeleton} ${ordinal}`);
  }
}

function answer({ tool: name, input }: Called): string {
  return [name, ...Object.values(input)].join(' ');
}

/** A sidecar with its actor's state at hand. */
class Running {
  readonly sidecar: Sidecar;

  constructor(sidecar: Sidecar) {
    this.sidecar = sidecar;
    sidecar.actor.start();
  }

  get value(): unknown {
    return this.sidecar.actor.getSnapshot().value;
  }

  get context(): Record<string, unknown> {
    return this.sidecar.actor.getSnapshot().context;
  }

  get status(): Sidecar['status'] {
    return this.sidecar.status;
  }

  send(type: string): void {
    this.sidecar.actor.send({ type });
  }

  /** Resolves once the machine stands in a state. */
  at(state: string): Promise<void> {
    return until(
      () => this.value === state,
      () => `${state}, but it is at ${JSON.stringify(this.value)}`,
    );
  }

  fail(signal: Signal, suspect: Parameters<Sidecar['fail']>[1]): Promise<void> {
    return this.sidecar.fail(signal, suspect);
  }

  finished(): Promise<Ending> {
    return unlessItHangs(
      this.sidecar.finished(),
      () => `neither ended nor parked, but at ${JSON.stringify(this.value)}`,
    );
  }

  close(): Promise<void> {
    return this.sidecar.close();
  }
}

/** A promise and how to settle it. */
export function held<T = unknown>() {
  let resolve: (value: T) => void = () => {};
  let reject: (error: unknown) => void = () => {};
  const promise = new Promise<T>((one, two) => {
    resolve = one;
    reject = two;
  });
  return { promise, resolve, reject };
}
