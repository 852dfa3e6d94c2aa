/**
 * One entry into a graph, from where the context stands until it rests, fails or is left: LangGraph executes it, and
 * the run decides what counts.
 */
import { mergeConfigs, type Runnable, type RunnableConfig } from '@langchain/core/runnables';
import {
  type Checkpoint,
  type Interrupt,
  isGraphBubbleUp,
  isGraphDrained,
  isGraphInterrupt,
} from '@langchain/langgraph';
import { never } from '../runtime/calls-under-way.ts';
import { isPulled, type Lane } from '../runtime/lanes.ts';
import { outputOf } from './checkpoint/outputs.ts';
import { RunSaver } from './checkpoint/saver.ts';
import { type Graph, leadingTo, watchedCopy } from './copy.ts';
import { GraphError } from './graph-error.ts';
import type { Closed, Host, Question } from './host.ts';
import { Observed } from './observe.ts';
import { type Announced, type Task, tasksOf } from './tasks.ts';
import { caller } from './tools/tool.ts';

/** One entry into a graph. */
export class Pass {
  isStale = false;
  readonly graph: Graph;
  readonly #host: Host;
  readonly #saver: RunSaver;
  readonly #stop = new AbortController();
  readonly #tasks = new Map<string, Task>();
  readonly #questions: Question[] = [];
  #announced: Announced[] = [];
  #leadsAnywhere = () => {};
  #closed: Closed | null = null;
  readonly #led: Observed;
  #opening: { readonly done: Promise<void>; go(): void } | null = null;

  constructor(graph: Graph, host: Host) {
    this.#host = host;
    const answers = host.lanes().flatMap((lane): [string, string, unknown][] => {
      const { answers } = host.notes(lane);
      return answers === undefined ? [] : [[answers.task, '__resume__', [...answers.values]]];
    });
    this.#saver = new RunSaver({ put: (checkpoint, step) => this.#close(checkpoint, step) }, host.from(), answers);
    const { channels, edges } = host.asked;
    const led = new Observed(channels, []);
    this.#led = led;
    this.graph = watchedCopy(
      graph,
      this.#saver,
      (node, bound, input, config) => this.#run(node, bound, input, config),
      edges ? (config) => led.edges(config) : null,
    );
    if (host.lanes().length > 0)
      this.#leadsAnywhere = leadingTo(
        this.graph,
        new Set(
          host
            .lanes()
            .filter(isPulled)
            .map(({ node }) => node),
        ),
      );
  }

  /** Leaves the graph: nothing that it does from now on counts. */
  leave(): void {
    this.isStale = true;
    this.#stop.abort();
  }

  async go(): Promise<void> {
    const { settings, modes, subgraphs, input, isTurn } = this.#host.asked;
    const isBegun = this.#host.from() !== null;
    const streamMode = [...new Set([...modes, 'tasks'])];
    const own = { durability: 'sync', signal: this.#stop.signal, streamMode, subgraphs };
    try {
      for await (const chunk of await this.graph.stream(isBegun && !isTurn ? null : input, {
        ...settings,
        ...own,
      })) {
        if (this.isStale) return;
        this.#hear(chunk as unknown[]);
      }
    } catch (error) {
      if (this.isStale) return;
      if (isGraphDrained(error)) return this.#host.drained(this, this.#closed, error);
      const task = (error as { readonly pregelTaskId?: string } | null)?.pregelTaskId ?? '';
      this.leave();
      this.#host.failed(this, this.#tasks.get(task)?.lane ?? null, error);
      return;
    }
    if (this.isStale) return;
    if (this.#questions.length > 0) this.#host.asks(this, this.#questions);
    else if (this.#tasks.size > 0) this.#endedEarly();
    else this.#host.ended(this, this.#closed);
  }

  /**
   * LangGraph says that it is done, and has not executed all tasks of its superstep: with a `maxConcurrency` of 1 it
   * does so after the first.
   */
  #endedEarly(): void {
    const names = [...this.#tasks.values()].map(({ lane }) => lane.name).join(', ');
    this.leave();
    const text = `LangGraph ended the graph before its tasks ${names} were over. A maxConcurrency of 1 has it do so: leave it out, or set 2.`;
    this.#host.failed(this, null, new GraphError('unsupported_graph', text));
  }

  #hear(chunk: unknown[]): void {
    const { modes, subgraphs } = this.#host.asked;
    const [inner, mode, payload] = subgraphs
      ? (chunk as [unknown[], string, object])
      : [[], ...(chunk as [string, object])];
    if (modes.includes(mode)) this.#host.chunk(chunk, this.#questions);
    if (mode !== 'tasks' || inner.length > 0 || 'result' in payload) return;
    this.#announced.push(payload as Announced);
    // All tasks of a superstep are announced together, before any of them runs.
    if (this.#announced.length === 1) setImmediate(() => this.#open());
  }

  #close(checkpoint: Checkpoint, step: number): void {
    if (this.isStale) return;
    const writes = new Map<string, [string, unknown][]>();
    for (const [id, channel, value] of this.#saver.written) {
      const task = this.#tasks.get(id);
      if (task === undefined) continue;
      const own = writes.get(task.lane.name) ?? [];
      own.push([channel, value]);
      writes.set(task.lane.name, own);
    }
    this.#closed = { checkpoint, step, writes, led: this.#led.take() };
    this.#tasks.clear();
    this.#announced = [];
    this.#opening = null;
  }

  #open(): void {
    if (this.isStale) return;
    this.#leadsAnywhere();
    const tasks = tasksOf(this.#announced, (node, args) => this.#host.tieOf(node, args));
    for (const task of tasks) this.#tasks.set(task.id, task);
    const closed = this.#closed;
    const why = this.#host.refused(tasks);
    const error = why === null ? this.#astray(closed, tasks) : new GraphError('unsupported_graph', why);
    if (error !== null) {
      this.leave();
      this.#host.failed(this, null, error);
      return;
    }
    this.#host.open(this, closed, tasks, () => {
      this.#closed = null;
      this.#opened().go();
    });
  }

  /**
   * The error of a graph that was entered again, and came elsewhere than where its journal has it; null where it did
   * not.
   */
  #astray(closed: Closed | null, tasks: readonly Task[]): Error | null {
    const known = this.#host.lanes();
    if (closed !== null || known.length === 0) return null;
    const names = (lanes: readonly Lane[]) =>
      lanes
        .map(({ name }) => name)
        .sort()
        .join(', ');
    const [has, comes] = [names(known), names(tasks.map(({ lane }) => lane))];
    return has === comes ? null : new Error(`the graph came to ${comes}, and its journal has it at ${has}`);
  }

  #opened() {
    if (this.#opening === null) {
      let go = () => {};
      const done = new Promise<void>((resolve) => {
        go = resolve;
      });
      this.#opening = { done, go };
    }
    return this.#opening;
  }

  async #run(node: string, bound: Runnable, input: unknown, config: RunnableConfig): Promise<unknown> {
    if (this.isStale) return never();
    await this.#opened().done;
    const id = config.configurable?.__pregel_task_id as string;
    const { lane, sent } = this.#tasks.get(id) as Task;
    const { out } = this.#host.notes(lane);
    if (this.isStale) return never();
    if (out !== undefined) return outputOf(out);
    const observed = new Observed(this.#host.asked.channels, this.#host.given(lane, sent !== undefined));
    const calls = this.#host.callsOf(this, lane, observed);
    const pad = config.configurable?.__pregel_scratchpad as { readonly interruptCounter: number } | undefined;
    const asked = pad?.interruptCounter;
    try {
      const own = mergeConfigs(observed.config(config), { callbacks: this.#host.asked.callbacks });
      const given = sent === undefined ? observed.input(input) : input;
      const output = await caller.run(calls, () => bound.invoke(given, own));
      if (this.isStale) return never();
      calls.end();
      return await new Promise((resolve) => {
        this.#host.output(this, lane, output, observed.take(), () => resolve(output));
      });
    } catch (error) {
      if (this.isStale) return never();
      return this.#failed(node, lane, id, calls.broken ?? error, asked === pad?.interruptCounter);
    }
  }

  /** Answers an error of a node: LangGraph hears of questions, and of what it is to try again. */
  #failed(node: string, lane: Lane, task: string, error: unknown, isInner: boolean): Promise<never> {
    if (isGraphInterrupt(error) && !isInner) {
      const [interrupt] = error.interrupts;
      const asked = interrupt as Interrupt;
      this.#questions.push({ lane, task, interrupt: asked, id: this.#host.idOf(lane, task, asked) });
      throw error;
    }
    // A graph within was drained: its node runs again, and its calls keep their answers.
    if (isGraphDrained(error)) throw error;
    if (isGraphInterrupt(error) || isGraphBubbleUp(error)) {
      const what = isGraphInterrupt(error) ? 'a question' : 'a command';
      const text = `${what} came out of a graph within "${node}", which is one unit. Ask, and go elsewhere, in a node of the outer graph.`;
      this.#host.failed(this, lane, new GraphError('unsupported_graph', text));
      return never();
    }
    if (this.graph.nodes[node]?.retryPolicy !== undefined || this.graph.retryPolicy !== undefined) throw error;
    this.#host.failed(this, lane, error);
    return never();
  }
}
