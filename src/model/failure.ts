/** A failure event, as far as a decision reads it (DART def. 2, semantics.md §7). */
import type { InstanceId } from './instance.ts';
import type { Key } from './key.ts';

/** The instance that failed and, where one is suspected, the key of its write that was found wrong; else null. */
export interface Failure {
  readonly in: InstanceId;
  readonly key: Key | null;
}
