/**
 * Every veto of every candidate, newest candidate first (semantics.md §8.3). A decision holds each reason once, since a
 * reason against a candidate stands against each older one; here they are listed one by one.
 */
import type { Decision } from '../model/decision.ts';
import type { Reason, Veto } from '../model/veto.ts';

/**
 * Yields a decision's vetoes, one per candidate and consumer or effect. There may be as many as candidates times
 * reasons, so they come one at a time.
 */
export function* vetoes(decision: Pick<Decision, 'refusals'>): Generator<Veto> {
  let standing: Reason[] = [];
  for (const refusal of decision.refusals) {
    if ('code' in refusal) {
      yield refusal;
      continue;
    }
    if (refusal.all === true) standing = [];
    for (const reason of refusal.adds) standing.push(reason);
    for (const reason of standing) yield { ...reason, candidate: refusal.candidate };
  }
}
