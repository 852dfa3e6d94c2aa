/**
 * The policy of decisions in a run: what a boundary's predicate is taken to have said, which boundaries certify, what is decided, and who is
 * meant by a name that fits several. A run has these; the audit takes one guard of them away at a time, to show what it is for
 * (`seam.ts`).
 */
import type { InstanceId } from '../model/instance.ts';
import type { Answer } from '../predicates/predicate.ts';
import { certify } from './certify.ts';
import { decide } from './decide.ts';

/** The judges of a run. */
export interface DecisionPolicy {
  /** The answer that counts for a boundary's predicate. A no settles it: no other test is made then. */
  readonly heard: (answer: Answer) => Answer;
  /** Asks the four tests of a boundary (semantics.md §4). */
  readonly certify: typeof certify;
  /** Answers a failure (§8). */
  readonly decide: typeof decide;
  /** The one who is meant where several occurrences fit a name; null abstains (§8.1). */
  readonly meant: (several: readonly InstanceId[]) => InstanceId | null;
}

/** Those of every run. */
export const DECISION_POLICY: DecisionPolicy = { heard: (answer) => answer, certify, decide, meant: () => null };
