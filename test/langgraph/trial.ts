/** Runs of the toys, with a fault in the world and a process that dies at one of its appends. */
import { Command } from '@langchain/langgraph';
import type { ReconcileResult } from '../../src/effects/counterparty.ts';
import { memoryStore } from '../../src/journal/memory/store.ts';
import { type AttachedGraph, attachGraph, resumeGraph } from '../../src/langgraph/graph.ts';
import { GraphError } from '../../src/langgraph/graph-error.ts';
import { MortalStore } from '../../src/rehearsal/trial/mortal-store.ts';
import type { ToolCall } from '../../src/runtime/tool-call.ts';
import type { Toy } from './toys.ts';

/** What is wrong with the first call of a tool. */
export interface Fault {
  readonly is: 'lost reply' | 'throws' | 'times out' | 'found wrong';
  readonly tool: string;
  /** The number of acts after it when it is found wrong. */
  readonly after?: number;
}

/** How a trial ended. */
export interface Course {
  /** The state that the graph gave out; null where the run is parked. */
  readonly state: string | null;
  /** What stands in the world. */
  readonly world: readonly string[];
  /** What was done in the world, undone or not. */
  readonly acts: number;
  /** True where something was answered wrong and the run ended before that was found. */
  readonly isUnheard: boolean;
  readonly appends: number;
  /** Why the run is parked. */
  readonly why: string | null;
}

/** A world in which acts stay done, whatever becomes of a process. */
class World {
  readonly standing = new Map<string, string>();
  acts = 0;
  isWrong = false;
  /** Called when something that was answered is to be found wrong. */
  onWrong: () => void = () => {};
  readonly #fault: Fault | null;
  #faulted = -1;

  constructor(fault: Fault | null) {
    this.#fault = fault;
  }

  async act(tool: string, { input, key }: ToolCall<unknown>): Promise<unknown> {
    const fault = this.#fault;
    const isFirst = this.#faulted === -1 && fault?.tool === tool;
    if (isFirst) this.#faulted = this.acts;
    if (isFirst && fault.is === 'throws') throw new Error('the line is dead');
    const name = `${tool} ${JSON.stringify(input)}`;
    const twice = this.standing.has(key as string) ? ' twice' : '';
    this.standing.set(`${key as string}${twice}`, name);
    this.acts += 1;
    if (
      fault?.is === 'found wrong' &&
      this.#faulted >= 0 &&
      !this.isWrong &&
      this.acts - this.#faulted > (fault.after ?? 1)
    ) {
      this.isWrong = true;
      this.onWrong();
    }
    await new Promise((resolve) => setImmediate(resolve));
    if (isFirst && fault.is === 'lost reply') throw new Error('the reply was lost');
    if (isFirst && fault.is === 'times out') await new Promise(() => {});
    return isFirst && fault.is === 'found wrong' ? `wrong ${tool}` : `right ${name}`;
  }

  undo(key: string): void {
    this.standing.delete(key);
  }

  reconcile(key: string): ReconcileResult {
    const name = this.standing.get(key);
    return name === undefined ? { is: 'not_applied' } : { is: 'applied', output: `right ${name}` };
  }
}

/** Runs a toy to its end, process after process. @param dies the append at which the first process dies. */
export async function course(toy: Toy, fault: Fault | null, dies: number | null): Promise<Course> {
  const world = new World(fault);
  let died = () => {};
  const death = new Promise<'dead'>((resolve) => {
    died = () => resolve('dead');
  });
  const store = new MortalStore(memoryStore(), dies, { death: () => died(), row: () => {} });
  let ending: unknown = 'dead';
  for (let nth = 0; nth < 3 && ending === 'dead'; nth += 1) {
    const process = { isDead: false };
    const journal = await store.next();
    const act = async (tool: string, call: ToolCall<unknown>) => {
      if (process.isDead) return new Promise(() => {});
      const answer = await world.act(tool, call).catch((error: unknown) => {
        if (process.isDead) return new Promise(() => {});
        throw error;
      });
      return process.isDead ? new Promise(() => {}) : answer;
    };
    const run = await (nth === 0 ? attachGraph : resumeGraph)(toy.graph(act), {
      run: 'r',
      config: toy.config,
      journal,
      input: toy.input,
      undo: { undo: ({ key }) => (process.isDead ? new Promise<void>(() => {}) : world.undo(key)) },
      reconcilers: { world: ({ key }) => world.reconcile(key) },
    });
    const complain = () => {
      const { key, ...instance } = toy.suspect((fault as Fault).tool);
      // Work that has not written yet cannot be found wrong: what looks at it looks again after the next act.
      return run.fail('CONTRACT_VIOLATION', { instance, key }).catch(() => {
        world.isWrong = false;
      });
    };
    world.onWrong = () => void complain();
    if (nth > 0 && world.isWrong) void complain();
    ending = await Promise.race([drive(run), ...(nth === 0 ? [death] : [])]);
    process.isDead = true;
    world.onWrong = () => {};
    if (ending !== 'dead') await run.close();
  }
  const why = ending instanceof GraphError ? ending.message : null;
  return {
    // The ids that LangChain gives to messages of tools are random.
    state: why !== null ? null : JSON.stringify(ending).replace(/"id":"[0-9a-f-]{36}"/g, '"id":"random"'),
    world: [...world.standing.values()].sort(),
    acts: world.acts,
    isUnheard: fault?.is === 'found wrong' && !world.isWrong,
    appends: store.appends,
    why,
  };
}

/** Runs a graph to its end, and answers what it asks. */
async function drive(run: AttachedGraph): Promise<unknown> {
  try {
    let state = await run.invoke();
    for (let asked = 0; '__interrupt__' in state && asked < 9; asked += 1)
      state = await run.resume(
        new Command({ resume: Object.fromEntries(run.questions().map(({ id }) => [id, 'yes'])) }),
      );
    return state;
  } catch (error) {
    if (error instanceof GraphError && error.code === 'run_parked') return error;
    throw error;
  }
}
