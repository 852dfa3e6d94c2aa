/**
 * Channels that LangGraph leaves out of its checkpoints, `jumpTo` of `createAgent` for instance. A superstep that is entered again would find
 * them empty, so that a run keeps them as it keeps the others.
 */
import { type BaseChannel, UntrackedValueChannel } from '@langchain/langgraph';

/** The name that LangGraph gives such a channel. */
export const UNTRACKED = 'UntrackedValue';

/** The channels of a graph, each of which says in a checkpoint what it holds. */
export function keptChannels(channels: Readonly<Record<string, BaseChannel>>): Record<string, BaseChannel> {
  return Object.fromEntries(
    Object.entries(channels).map(([name, channel]) => [name, isUntracked(channel) ? new KeptValue(channel) : channel]),
  );
}

/** The names of the channels that hold nothing between two runs of a graph by itself. */
export function untracked(channels: Readonly<Record<string, BaseChannel>>): readonly string[] {
  return Object.entries(channels).flatMap(([name, channel]) => (channel instanceof KeptValue ? [name] : []));
}

function isUntracked(channel: BaseChannel): channel is UntrackedValueChannel<unknown> {
  return channel.lc_graph_name === UNTRACKED;
}

class KeptValue extends UntrackedValueChannel<unknown> {
  // LangGraph tells no checkpointer what is written to a channel of that name, so that such a write would be told of another task.
  override lc_graph_name = 'KeptValue';
  readonly #own: UntrackedValueChannel<unknown>;

  constructor(own: UntrackedValueChannel<unknown>) {
    super({ guard: own.guard });
    this.#own = own;
    const first = own.fromCheckpoint();
    if (first.isAvailable()) this.update([first.get()]);
  }

  override fromCheckpoint(value?: unknown): this {
    const channel = new KeptValue(this.#own);
    if (value !== undefined) channel.update([value]);
    return channel as this;
  }

  // The type of LangGraph's own says that there is never a checkpoint of it.
  override checkpoint(): undefined {
    return this.get() as undefined;
  }
}
