/**
 * A checkpoint names a position in a history that belongs to one instance (DART §4.4, semantics.md §5). This file
 * defines it; `recovery/` decides which checkpoints a failure may use.
 */

/** Every kind of boundary. */
export const BOUNDARY_KINDS = ['commit', 'exit', 'outcome'] as const;

/** A boundary that a run can certify for an instance (§5). `outcome` follows an uncrossable effect and commits nothing. */
export type BoundaryKind = (typeof BOUNDARY_KINDS)[number];

/** A checkpoint of an instance: its entry, or a certified boundary. `at` is the number of that event. */
export interface Checkpoint {
  readonly kind: 'entry' | BoundaryKind;
  readonly at: number;
}

/** True if a boundary of this kind is a promise to others (§5): an instance is committed up to its last one. */
export function commits(kind: Checkpoint['kind']): boolean {
  return kind === 'commit' || kind === 'exit';
}

/** True if a checkpoint of this kind is a position of any line (§5, §9). An exit is one of the failed instance alone, and only under a policy (EX3). */
export function isPosition(kind: Checkpoint['kind']): boolean {
  return kind !== 'exit';
}
