/**
 * Certifies a boundary (DART def. 5, semantics.md §4): four tests on the frozen state of one step, each answered yes,
 * no, or unknown with a reason. Only four yeses certify, and an error is never a no.
 */
import type { Answer } from '../predicates/predicate.ts';

/** The four tests. */
export const TESTS = ['decidable', 'closed', 'separable', 'controllable'] as const;

/** One of the four tests. */
type Test = (typeof TESTS)[number];

/** The facts about a boundary when control comes to it. */
export interface Evidence {
  /** The number of live instances that own the boundary in its region. */
  readonly owners: number;
  /** The answer of the reviewed predicate. */
  readonly predicate: Answer;
  /** The declared outputs that have no version of this instance's, nor of an earlier ordinal's that it read. */
  readonly missing: readonly string[];
  /**
   * The reason why no boundary of the instance certifies: a write outside its outputs (K5), a value that no journal
   * holds (§3).
   */
  readonly stray: string | null;
  /** The first invariant that the held calls break, with the value it comes to; null where all hold (E4). */
  readonly broken: string | null;
  /** The number of other live instances that share the region. */
  readonly neighbours: number;
  /** True if the control state lies inside the skeleton's states, or the config names where to resume. */
  readonly resumable: boolean;
  /** True if the policy lists the boundary as an anchor. */
  readonly anchored: boolean;
  /** The keys of effects that are not settled. */
  readonly open: readonly string[];
  /** The keys of kept effects that the replay has not claimed (E7). */
  readonly orphans: readonly string[];
}

/** The answer of each test. */
export type Verdicts = Readonly<Record<Test, Answer>>;

/** Runs the four tests. */
export function certify(evidence: Evidence): Verdicts {
  return {
    decidable: decidable(evidence),
    closed: closed(evidence),
    separable: separable(evidence),
    controllable: controllable(evidence),
  };
}

/** True if all four say yes. */
export function isCertified(verdicts: Verdicts): boolean {
  return TESTS.every((test) => verdicts[test].is === 'yes');
}

const YES: Answer = { is: 'yes' };
const NO: Answer = { is: 'no' };

function decidable({ owners }: Evidence): Answer {
  return owners === 1 ? YES : { is: 'unknown', reason: `${owners} live instances own it` };
}

function closed({ predicate, missing, stray, broken }: Evidence): Answer {
  if (predicate.is !== 'yes') return predicate;
  if (broken !== null) return { is: 'unknown', reason: broken };
  if (stray !== null) return { is: 'unknown', reason: stray };
  return missing.length === 0 ? YES : { is: 'unknown', reason: `no version of ${missing.join(', ')}` };
}

function separable({ neighbours, resumable }: Evidence): Answer {
  if (neighbours > 0) return { is: 'unknown', reason: `${neighbours} other live instances share the region` };
  return resumable
    ? YES
    : { is: 'unknown', reason: 'its state lies outside the skeleton, and no resume state is named' };
}

function controllable({ anchored, open, orphans }: Evidence): Answer {
  if (!anchored) return NO;
  if (open.length > 0) return { is: 'unknown', reason: `the outcome of ${open.join(', ')} is open` };
  return orphans.length === 0 ? YES : { is: 'unknown', reason: `the replay has not claimed ${orphans.join(', ')}` };
}
