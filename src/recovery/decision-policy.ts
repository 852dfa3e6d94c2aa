/**
 * The replaceable parts of a decision. Every run has the same policy; the audit removes one guard of it at a time, to
 * show what the guard is for (`seam.ts`).
 */
import type { Policy } from '../model/decision.ts';
import type { InstanceId } from '../model/instance.ts';
import type { Answer } from '../predicates/predicate.ts';
import { certify } from './certify.ts';
import { decide } from './decide.ts';

/** The rule of lines and the functions that decide in a run. */
export interface DecisionPolicy {
  /** The rule that computes lines: `line` in every run, another in the audit's baselines (§9). */
  readonly policy: Policy;
  /** The answer that counts for a boundary's predicate. After a no, the other three tests do not run. */
  readonly heard: (answer: Answer) => Answer;
  /** Runs the four tests of a boundary (semantics.md §4). */
  readonly certify: typeof certify;
  /** Answers a failure (§8). */
  readonly decide: typeof decide;
  /** The occurrence that a name means if several fit it; null abstains (§8.1). */
  readonly meant: (several: readonly InstanceId[]) => InstanceId | null;
}

/** The policy of every run. */
export const DECISION_POLICY: DecisionPolicy = {
  policy: 'line',
  heard: (answer) => answer,
  certify,
  decide,
  meant: () => null,
};
