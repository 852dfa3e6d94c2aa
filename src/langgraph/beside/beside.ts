/**
 * The user's own checkpointer beside a thread: written once the journal is durable, in its order, and read only for its newest checkpoint, once in each process.
 * What it says decides nothing. Where it fails, or a process dies before it was written, the next turn has it stand where the thread stands.
 */
import { type BaseCheckpointSaver, INTERRUPT, MemorySaver } from '@langchain/langgraph';
import { within } from '../../clock/clock.ts';
import { stateOf } from '../../runtime/lanes.ts';
import type { EntryObserver } from '../../sidecar/observing.ts';
import { type Memory, OWN } from '../checkpoint/memory.ts';
import type { Graph } from '../copy.ts';
import type { Question } from '../host.ts';
import { type Head, headOf, NOTHING, type Projected, placeIn, projected, type Way } from './projection.ts';

/** The longest that a turn waits for the checkpointer, in milliseconds. */
const PATIENCE = 5_000;

/** The thread that is written. */
export interface Written {
  readonly saver: BaseCheckpointSaver;
  readonly thread: string;
  /** A copy of the graph, whose channels are all in its checkpoints. */
  readonly graph: Graph;
  readonly channels: readonly string[];
}

interface Come {
  readonly memory: Memory;
  readonly way: Way;
}

/** Writes the checkpoints of one run, in one process. */
export class Beside implements EntryObserver {
  readonly #to: Written;
  #context: () => Memory | undefined = () => undefined;
  #flush: () => Promise<unknown> = async () => {};
  #seen: Memory | undefined;
  /** The contexts that the journal has, and that are not written. */
  #queue: Come[] = [];
  /** The last context that the journal has. */
  #last: Memory | undefined;
  /** Null where it is not known what the saver has. */
  #head: Head | null = null;
  #newest: Pick<Projected, 'checkpoint' | 'metadata'> | null = null;
  #questions: readonly Question[] = [];
  #isAsked = false;
  #working: Promise<void> | null = null;
  #hasFailed = false;
  #tell: ((text: string) => void) | null = null;

  constructor(to: Written) {
    this.#to = to;
  }

  /** Has a run be told where the checkpointer fails. */
  tellTo(tell: (text: string) => void): void {
    this.#tell = tell;
  }

  /** The process takes leave of the run: nothing is told any more. */
  leave(): void {
    this.#tell = null;
  }

  opens(...[, , runState, flush]: Parameters<EntryObserver['opens']>): null {
    this.#context = () => runState.actors[0]?.context as Memory | undefined;
    this.#flush = flush;
    this.#seen = this.#context();
    this.#last = this.#seen;
    if (this.#last !== undefined) this.#goOn();
    return null;
  }

  appended({ do: by }: Parameters<EntryObserver['appended']>[0]): (() => void) | null {
    const [before, memory] = [this.#seen, this.#context()];
    if (memory === before || memory?.[OWN] === undefined) return null;
    this.#seen = memory;
    const way: Way = by === 'step' ? 'on' : 'back';
    const isMoved = way === 'back' || before === undefined || placeIn(before) !== placeIn(memory);
    if (isMoved) this.#questions = [];
    return () => {
      this.#last = memory;
      if (!isMoved) return;
      this.#queue.push({ memory, way });
      this.#goOn();
    };
  }

  /** The thread asks: shown by the newest checkpoint. */
  asks(questions: readonly Question[]): void {
    this.#questions = questions;
    this.#isAsked = questions.length > 0;
    if (this.#isAsked) this.#goOn();
  }

  /** Waits until all is written that the thread has come to, where that does not take too long. */
  async settled(): Promise<void> {
    if (this.#head === null && this.#working === null) this.#goOn();
    if (this.#working !== null && (await within(PATIENCE, this.#working)) === null)
      this.#fails(`it has not answered for ${PATIENCE / 1_000} seconds`);
  }

  #goOn(): void {
    this.#working ??= this.#work().finally(() => {
      this.#working = null;
    });
  }

  async #work(): Promise<void> {
    try {
      do {
        const [come, last] = [this.#queue.splice(0), this.#last];
        await this.#flush();
        if (this.#head !== null) for (const each of come) await this.#put(each);
        else if (last?.[OWN] !== undefined) await this.#catchUp(last);
        if (this.#isAsked) await this.#showQuestions();
      } while (this.#queue.length > 0 || this.#isAsked);
      this.#hasFailed = false;
    } catch (error) {
      this.#head = null;
      this.#queue = [];
      this.#isAsked = this.#questions.length > 0;
      this.#fails(String((error as Partial<Error> | null)?.message ?? error));
    }
  }

  /** Has the saver stand where the thread stands, whatever it has. */
  async #catchUp(memory: Memory): Promise<void> {
    const { saver, thread } = this.#to;
    const newest = await saver.getTuple({ configurable: { thread_id: thread, checkpoint_ns: '' } });
    this.#head = newest === undefined ? NOTHING : headOf(newest.checkpoint, newest.metadata);
    if (newest?.metadata !== undefined) this.#newest = { checkpoint: newest.checkpoint, metadata: newest.metadata };
    await this.#put({ memory, way: newest === undefined ? 'on' : 'unseen' });
  }

  async #put({ memory, way }: Come): Promise<void> {
    const next = projected(this.#to, memory, way, this.#head ?? NOTHING);
    if (next === null) return;
    await put(this.#to, next);
    this.#head = next.head;
    this.#newest = next;
  }

  async #showQuestions(): Promise<void> {
    const [questions, head] = [this.#questions, this.#head];
    this.#isAsked = false;
    if (head === null) return;
    const { saver, thread } = this.#to;
    const config = { configurable: { thread_id: thread, checkpoint_ns: '', checkpoint_id: head.id } };
    for (const { lane, task, interrupt, id } of questions) {
      const of = head.id === head.at ? task : await this.#taskAt(lane.node);
      if (of !== null) await saver.putWrites(config, [[INTERRUPT, { ...interrupt, id }]], of);
    }
  }

  /** The id that LangGraph gives the task of a node at the newest checkpoint, where that is not the run's own; null where it is not known. */
  async #taskAt(node: string): Promise<string | null> {
    const newest = this.#newest;
    if (newest === null) return null;
    const [graph, alone] = [this.#to.graph.withConfig({}), { configurable: { thread_id: this.#to.thread } }];
    graph.checkpointer = new MemorySaver();
    await graph.checkpointer.put(
      { configurable: { ...alone.configurable, checkpoint_ns: '' } },
      newest.checkpoint,
      newest.metadata,
      {},
    );
    const { tasks } = await graph.getState(alone as never);
    const [task, other] = tasks.filter(({ name }) => stateOf(name) === node);
    return task === undefined || other !== undefined ? null : task.id;
  }

  #fails(why: string): void {
    if (this.#hasFailed || this.#tell === null) return;
    this.#hasFailed = true;
    this.#tell(
      `the checkpointer of the graph was not written: ${why}. The run goes on, and is in its journal; the next turn has the checkpointer stand where the thread stands, and belay project writes it anew`,
    );
  }
}

/** Writes one checkpoint. */
export async function put({ saver, thread }: Pick<Written, 'saver' | 'thread'>, given: Projected): Promise<void> {
  const { parent, checkpoint, metadata, versions } = given;
  const of = parent === '' ? {} : { checkpoint_id: parent };
  await saver.put({ configurable: { thread_id: thread, checkpoint_ns: '', ...of } }, checkpoint, metadata, versions);
}
