/**
 * LangGraph by itself, as far as its own persistence goes: the same graph with a checkpointer, run until it fails, and then resumed where it
 * stands, restored to the checkpoint before the failed work, or run anew. Its calls have no keys, as no journal is there to have given them.
 */
import { MemorySaver } from '@langchain/langgraph';
import { type InstanceId, instanceName } from 'belay-sidecar';
import type { OpenAgent } from 'belay-sidecar/xstate';
import { DECISION_POLICY } from '#seam';
import { fieldOf, textOf, there } from '../../domains/there.ts';
import type { Case } from '../case.ts';
import { inWorld, latencyOf, type Outcome, rawOf, rowsOf, STOPPING, underSidecar } from '../run.ts';
import type { Site } from '../strategies.ts';
import { callsOf, isNth, onSubstrate, type Substrate, type ToolCalls } from '../substrate.ts';
import { type GraphAgent, onGraph } from './graphs.ts';

/** The ways on. */
export type WayOn = 'rerun' | 'resume' | 'restore';

/** A run of LangGraph's. */
interface NativeRun {
  readonly outcome: Outcome;
  /** The step of the journal that its checkpoint is at; -1 the start. */
  readonly step: number;
  /** The instance at whose beginning that is; null for the start. */
  readonly at: string | null;
  /** The promises behind that, as the journal has it: `INSTANCE BOUNDARY`. */
  readonly crossed: readonly string[];
  /** The nodes that ran until then, and those that ran from there, in order. */
  readonly ran: readonly string[];
  readonly again: readonly string[];
}

/** A case up to its failure under Belay, which stops there: it names the failed instance, and what was promised by then. */
export function stoppedAt({ agent, given }: Site, graph: GraphAgent, seed: number): Promise<Outcome> {
  return underSidecar(agent, given, seed, given.failing, {
    policy: DECISION_POLICY.policy,
    judges: STOPPING,
    asks: false,
    attach: onGraph(graph),
  });
}

/** Runs a case by LangGraph alone. @param stopped the same case and seed up to its failure, by its journal. */
export function natively(
  { agent, given }: Site,
  graph: GraphAgent,
  seed: number,
  way: WayOn,
  stopped: Outcome,
): Promise<NativeRun> {
  return inWorld(agent, given.input, async (opened) => {
    const raw = rawOf(given, seed);
    const substrate = onSubstrate(opened.machine, given.failing, raw, seed);
    const calls = stopping(callsOf(substrate.machine), given, raw, substrate);
    const program = new Program(graph, calls, opened.input);
    const first = await program.begin('first');
    const ran = [...program.ran];
    const mark = substrate.calls.length;
    const entered = enteredIn(stopped, ran);
    const index = way === 'restore' ? indexOf(entered, stopped) : entered.length - 1;
    program.ran.length = 0;
    const memory = first ?? (way === 'rerun' ? await program.begin('second') : await program.goOn(index));
    const decision = there(stopped.decision, 'decision');
    const outcome: Outcome = {
      ...stopped,
      status: memory === null ? 'failed' : 'done',
      after: null,
      memory,
      world: await rowsOf(opened),
      calls: substrate.calls,
      mark,
      failed: substrate.failed,
      latency: latencyOf(substrate, { decision, at: substrate.failedAt }, mark),
    };
    const from = way === 'rerun' ? undefined : entered[index];
    const step = from?.checkpoints[0]?.step ?? -1;
    return {
      outcome,
      step,
      crossed: entered.flatMap(({ id, checkpoints }) => promisesAfter(step, instanceName(id), checkpoints)),
      at: from === undefined ? null : instanceName(from.id),
      ran,
      again: [...program.ran],
    };
  });
}

/** A compiled graph with LangGraph's own checkpointer. */
class Program {
  /** The nodes that ran, in order. */
  readonly ran: string[] = [];
  readonly #graph: Runs;
  readonly #input: unknown;

  constructor({ name, build }: GraphAgent, calls: ToolCalls, input: OpenAgent['input']) {
    this.#graph = build(calls).compile({ name, checkpointer: new MemorySaver() });
    this.#input = input;
  }

  /** Runs it from its start, in a thread of its own. @returns its state; null where it failed. */
  begin(thread: string): Promise<unknown> {
    return this.#run({ asked: this.#input }, { thread_id: thread });
  }

  /** Goes on at the checkpoint before the nth node that ran. @returns its state; null where it failed again. */
  async goOn(nth: number): Promise<unknown> {
    const checkpoints: { readonly configurable?: object }[] = [];
    for await (const { next, config } of this.#graph.getStateHistory({ configurable: { thread_id: 'first' } }))
      if (next.length === 1 && next[0] !== '__start__') checkpoints.unshift(config);
    return this.#run(null, checkpoints[nth]?.configurable ?? {});
  }

  async #run(input: unknown, configurable: object): Promise<unknown> {
    const settings = { configurable, recursionLimit: 200, streamMode: ['tasks', 'values'] };
    let state: unknown = null;
    try {
      for await (const told of await this.#graph.stream(input, settings)) {
        const [mode, chunk]: readonly unknown[] = Array.isArray(told) ? told : [];
        if (mode === 'values') state = chunk;
        // A task is told twice: with its input when it begins, and with its result.
        else if (fieldOf(chunk, 'input') !== undefined) this.ran.push(textOf(chunk, 'name'));
      }
      return state;
    } catch {
      return null;
    }
  }
}

/** A compiled graph, as it is run here. */
interface Runs {
  stream(input: unknown, settings: object): Promise<AsyncIterable<unknown>>;
  getStateHistory(config: object): AsyncIterable<{ readonly next: readonly string[]; readonly config: object }>;
}

type Entered = Outcome['before']['instances'];

/** The instances by the nodes that ran: the nth that was entered is the nth run of a node. @throws where the two runs are not the same. */
function enteredIn({ before }: Outcome, ran: readonly string[]): Entered {
  const entered = [...before.instances].sort((a, b) => (a.checkpoints[0]?.step ?? 0) - (b.checkpoints[0]?.step ?? 0));
  const names = entered.map(({ id }) => id.skeleton);
  if (JSON.stringify(names) !== JSON.stringify(ran))
    throw new Error(`LangGraph ran ${ran.join(', ')}, and the journal has ${names.join(', ')}`);
  return entered;
}

function promisesAfter(step: number, who: string, checkpoints: Entered[number]['checkpoints']): readonly string[] {
  const promises = checkpoints.filter((each) => each.kind !== 'entry' && each.step > step);
  return promises.map(({ boundary }) => `${who} ${boundary}`);
}

function indexOf(entered: Entered, { decision }: Outcome): number {
  const failed: InstanceId | null = decision?.failed ?? null;
  if (failed === null) throw new Error('LangGraph is restored to the work that failed, and that is not known');
  return entered.findIndex(({ id }) => instanceName(id) === instanceName(failed));
}

/** The calls of tools, the one of them refused at which work is found wrong or a call is denied. */
function stopping(calls: ToolCalls, { failing }: Case, raw: string | null, substrate: Substrate): ToolCalls {
  if (!('found' in failing) && raw !== 'denied') return calls;
  const made: { readonly tool: string }[] = [];
  const refused = Object.entries(calls).map(([tool, call]): [string, ToolCalls[string]] => [
    tool,
    async (asked) => {
      made.push({ tool });
      if (substrate.failed !== null || !isNth(failing.call, tool, made)) return call(asked);
      substrate.failed = { tool, args: JSON.stringify(fieldOf(asked, 'input')) };
      substrate.failedAt = performance.now();
      throw new Error(`rehearsed: ${tool} is not made`);
    },
  ]);
  return Object.fromEntries(refused);
}
