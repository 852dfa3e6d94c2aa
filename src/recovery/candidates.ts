/**
 * The second question: the checkpoints of the failed instance that may be tried. Newest first; with a suspect only
 * those before its first suspect write (semantics.md §8.2). An exit is listed because its refusal is a reason (§5).
 */
import type { Checkpoint } from '../model/checkpoint.ts';
import type { Located } from './localize.ts';

/** Yields the failed instance's checkpoints in question, newest first, exits among them. There is one: an entry precedes every write. */
export function* candidates({ failed: { checkpoints }, suspectAt }: Located): Generator<Checkpoint> {
  yield* checkpoints.backwards(checkpoints.countUpTo(suspectAt));
}
