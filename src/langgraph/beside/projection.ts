/**
 * The checkpoints of a thread as LangGraph's own tools read them: a function of the contexts that the thread comes to, in the order of its journal. The newest
 * checkpoint is always the one with the highest id, also behind a restore.
 */
import type { Checkpoint, CheckpointMetadata } from '@langchain/langgraph';
import type { Memory } from '../checkpoint/memory.ts';
import { OWN } from '../checkpoint/memory.ts';
import { reachedIn } from '../checkpoint/reached.ts';
import { untracked } from '../checkpoint/untracked.ts';
import type { Graph } from '../copy.ts';

/** The way by which a thread has come to a context: by a step, back by a restore, or unseen. */
export type Way = 'on' | 'back' | 'unseen';

/** The marks of Belay's in the metadata of a checkpoint. */
interface Marks {
  /** The id of the run's own checkpoint; empty before the first superstep. */
  readonly at: string;
  /** The number of times that the thread was put elsewhere. */
  readonly back: number;
}

/** The newest checkpoint that was written. */
export interface Head extends Marks {
  readonly id: string;
  readonly versions: Checkpoint['channel_versions'];
}

/** A checkpoint to write. */
export interface Projected {
  readonly head: Head;
  readonly parent: string;
  readonly checkpoint: Checkpoint;
  readonly metadata: CheckpointMetadata;
  /** The versions of the channels that are new with it. */
  readonly versions: Checkpoint['channel_versions'];
}

/** The head of a thread of which nothing is written. */
export const NOTHING: Head = { id: '', at: '', back: 0, versions: {} };

/** A savers' blobs have a channel and its version for a name: behind a restore, versions that were given come again. */
const APART = 1_000_000;

/** The head by the newest checkpoint of a saver. One that another program has written bears no marks. */
export function headOf(checkpoint: Checkpoint, metadata: CheckpointMetadata | undefined): Head {
  const { at = '', back = 0 } = (metadata as { readonly belay?: Partial<Marks> } | undefined)?.belay ?? {};
  return { id: checkpoint.id, at, back, versions: checkpoint.channel_versions };
}

/** The name of the checkpoint at which a context stands; empty before the first superstep. */
export function placeIn(memory: Memory): string {
  const { at, turn } = memory[OWN];
  return turn?.id ?? at?.id ?? '';
}

/** The checkpoint that a context brings behind a head; null where it brings none. */
export function projected(
  of: { readonly graph: Graph; readonly channels: readonly string[] },
  memory: Memory,
  way: Way,
  head: Head,
): Projected | null {
  const at = placeIn(memory);
  if (at === head.at && (way !== 'back' || head.id === '')) return null;
  const { checkpoint, step } = reachedIn(of, memory) ?? { checkpoint: EMPTY, step: -1 };
  const back = way === 'on' ? head.back : head.back + 1;
  // In a graph that runs one node at a time, each checkpoint has versions of its own making.
  const apart = back * APART + (memory[OWN].turn === undefined ? 0 : 2 * (step + 2));
  const versions = raised(checkpoint.channel_versions, apart);
  const seen = Object.entries(checkpoint.versions_seen).map(([node, each]) => [node, raised(each, apart)]);
  const values = { ...checkpoint.channel_values };
  for (const name of untracked(of.graph.channels)) delete values[name];
  const id = at > head.id ? at : following(head.id);
  return {
    head: { id, at, back, versions },
    parent: way === 'back' ? at : head.id,
    checkpoint: {
      ...checkpoint,
      id,
      channel_values: values,
      channel_versions: versions,
      versions_seen: Object.fromEntries(seen),
    },
    metadata: { source: way === 'on' ? 'loop' : 'fork', step, parents: {}, belay: { at, back } } as CheckpointMetadata,
    versions: Object.fromEntries(Object.entries(versions).filter(([name, version]) => head.versions[name] !== version)),
  };
}

const EMPTY: Checkpoint = { v: 4, id: '', ts: '', channel_values: {}, channel_versions: {}, versions_seen: {} };

function raised(versions: Checkpoint['channel_versions'], by: number): Checkpoint['channel_versions'] {
  return Object.fromEntries(Object.entries(versions).map(([name, version]) => [name, Number(version) + by]));
}

/** The next id behind one of LangGraph's, which it gives to nothing. */
function following(id: string): string {
  const [rest, last] = [id.slice(0, -12), id.slice(-12)];
  return `${rest}${(Number.parseInt(last, 16) + 1).toString(16).padStart(12, '0')}`;
}
