/** The checkpointer of one entry into a graph: it holds the newest checkpoint, and tells what LangGraph writes into it. */
import type { RunnableConfig } from '@langchain/core/runnables';
import { type Checkpoint, type CheckpointMetadata, type CheckpointTuple, MemorySaver } from '@langchain/langgraph';

type Writes = [task: string, channel: string, value: unknown][];

/** The listener of a saver. */
export interface Heard {
  /** The superstep is over: all that its tasks wrote is in the checkpoint. */
  put(checkpoint: Checkpoint, step: number): void;
}

/** The head of the run, for LangGraph. Subgraphs keep theirs as in a `MemorySaver`. */
export class RunSaver extends MemorySaver {
  readonly #heard: Heard;
  #head: { readonly checkpoint: Checkpoint; readonly metadata: CheckpointMetadata } | null = null;
  #pending: Writes = [];
  /** The writes of each task of the superstep that was closed last. */
  written: Writes = [];

  /** @param answers the answers to interrupts, by the task. */
  constructor(heard: Heard, from: { readonly checkpoint: Checkpoint; readonly step: number } | null, answers: Writes) {
    super();
    this.#heard = heard;
    if (from !== null)
      this.#head = { checkpoint: from.checkpoint, metadata: { source: 'loop', step: from.step, parents: {} } };
    this.#pending = [...answers];
  }

  override async getTuple(config: RunnableConfig): Promise<CheckpointTuple | undefined> {
    return isRoot(config) ? this.#tuple(config) : super.getTuple(config);
  }

  override async *list(config: RunnableConfig): AsyncGenerator<CheckpointTuple> {
    const tuple = this.#tuple(config);
    if (tuple !== undefined) yield tuple;
  }

  override async put(config: RunnableConfig, checkpoint: Checkpoint, metadata: CheckpointMetadata) {
    if (!isRoot(config)) return super.put(config, checkpoint, metadata);
    this.#head = { checkpoint, metadata };
    this.written = this.#pending;
    this.#pending = [];
    if (metadata.source === 'loop') this.#heard.put(checkpoint, metadata.step);
    return configOf(config, checkpoint.id);
  }

  override async putWrites(
    config: RunnableConfig,
    writes: Parameters<MemorySaver['putWrites']>[1],
    task: string,
  ): Promise<void> {
    if (!isRoot(config)) return super.putWrites(config, writes, task);
    this.#pending.push(...writes.map(([channel, value]): Writes[number] => [task, channel, value]));
  }

  #tuple(config: RunnableConfig): CheckpointTuple | undefined {
    if (this.#head === null) return undefined;
    const { checkpoint, metadata } = this.#head;
    return {
      config: configOf(config, checkpoint.id),
      checkpoint,
      metadata,
      pendingWrites: this.#pending,
    };
  }
}

function isRoot({ configurable }: RunnableConfig): boolean {
  return (configurable?.checkpoint_ns ?? '') === '';
}

function configOf({ configurable }: RunnableConfig, id: string) {
  return { configurable: { thread_id: configurable?.thread_id, checkpoint_ns: '', checkpoint_id: id } };
}
