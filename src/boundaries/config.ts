/**
 * A reviewed boundary config, read, checked and compiled: what a unit of work is, where it begins, when it is committed, what
 * it reads and writes, and what its effects do to the world (boundary-format.md).
 */
import type { EffectClass } from '../model/effect.ts';
import type { Signal } from '../model/failure.ts';
import type { Key } from '../model/key.ts';
import type { Expression, Facts, Predicate } from '../predicates/predicate.ts';

/** A key with holes, `slots/{args.slot}/value`. */
export interface KeyTemplate {
  readonly text: string;
  /**
   * Fills the holes, each value escaped into one segment (K4). A hole that has no value makes the key wider, never narrower:
   * the answer then is the longest prefix that is known, as a pattern (`slots/**`), or `**`.
   */
  fill(facts: Facts): Key;
}

/** What an action touches. */
export interface Tool {
  readonly name: string;
  readonly reads: readonly KeyTemplate[];
  readonly writes: readonly KeyTemplate[];
  readonly effect: EffectClass;
  /** The name of the reconciler that can ask whether it happened; null where nobody can be asked. */
  readonly reconcile: string | null;
  /** The name of the inverse or the compensation; null where none is registered. */
  readonly undo: string | null;
  /** How long a call may take, in milliseconds; null for as long as it likes. */
  readonly timeout: number | null;
  /** Says what is wrong with an output, or null. Always null where the config has no output schema. */
  refuses(output: unknown): string | null;
}

/** Where a boundary lies: in a state, or on an edge. States are named as in `MachineShape`. */
export type Site = { readonly at: string } | { readonly from: string; readonly to: string };

/** A commit or exit boundary of a skeleton. */
export interface Boundary {
  readonly id: string;
  readonly kind: 'commit' | 'exit';
  readonly site: Site;
  readonly when: Predicate;
  /** What must have a version by then (semantics.md §4, Closed); the skeleton's outputs unless it names its own. */
  readonly outputs: readonly KeyTemplate[];
}

/** How far a skeleton's instances may be rolled back. */
export interface Rollback {
  /** The ids of the boundaries that may be restored: a boundary that is not listed is not Controllable (§4). */
  readonly anchors: readonly string[];
  /** Whether a confirmed compensable effect may be crossed by compensating it. */
  readonly compensable: 'undo' | 'block';
  /** The skeletons whose commitments a line from here may cross (level 2, §8). */
  readonly joint: readonly string[];
  /** Whether an outcome checkpoint follows each confirmed effect that no rollback may cross (§5). */
  readonly outcomeCheckpoints: boolean;
  /** The state to resume from when a boundary's own state lies outside `states` (§4, Separable). */
  readonly resume: string | null;
  /** How many recoveries one (skeleton, entity, boundary, signal) may have (R6). */
  readonly tries: number;
}

/** A reviewed template of a unit of work (DART def. 3). */
export interface Skeleton {
  readonly name: string;
  readonly entity: Expression;
  /** A state stands for itself and all within it. */
  readonly states: readonly string[];
  readonly entry: readonly string[];
  readonly inputs: readonly KeyTemplate[];
  /** Those of `inputs` without which the work cannot begin (MISSING_INPUT, F1). */
  readonly required: readonly KeyTemplate[];
  readonly outputs: readonly KeyTemplate[];
  readonly boundaries: readonly Boundary[];
  readonly rollback: Rollback;
}

/** A whole config. */
export interface BoundaryConfig {
  /** The machine's id. */
  readonly agent: string;
  /** SHA-256 over the content, comments and layout aside, in hex: what a review vouches for. */
  readonly digest: string;
  readonly tools: ReadonlyMap<string, Tool>;
  readonly skeletons: ReadonlyMap<string, Skeleton>;
  /** Keys of which the last writer wins (K6, `blind`). */
  readonly blind: readonly Key[];
  /** Keys that are only ever added to (K6, `append`; R1). */
  readonly append: readonly Key[];
  /** Errors that the machine handles itself but should leave to us (F2). */
  readonly recover: readonly { readonly tool: string; readonly signals: readonly Signal[] }[];
  /** How many recoveries a run may have in all (R6). */
  readonly tries: number;
}
