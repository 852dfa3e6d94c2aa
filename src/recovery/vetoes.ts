/**
 * Every veto of every candidate, newest candidate first (semantics.md §8.3). A decision holds each reason once, since a
 * reason against a candidate stands against each older one; here they are listed one by one.
 */
import { LIST, refuseOther, shape } from '../model/argument.ts';
import type { Decision } from '../model/decision.ts';
import type { Reason, Veto } from '../model/veto.ts';

/**
 * Yields a decision's vetoes, one per candidate and consumer or effect. There may be as many as candidates times
 * reasons, so they come one at a time.
 * @example
 * import { decide, History, vetoes } from 'belay-sidecar';
 *
 * const order = { skeleton: 'Order', entity: '7', ordinal: 0 };
 * const history = new History();
 * history.apply({ do: 'enter', in: order, by: null });
 * history.apply({ do: 'effect', in: order, class: 'irreversible', status: 'confirmed', undo: false, id: 'pay' });
 * const codes = [...vetoes(decide(history, { in: order, key: null }))].map(({ code }) => code);
 * assert.deepEqual(codes, ['irreversible_effect_policy']);
 */
export function* vetoes(decision: Pick<Decision, 'refusals'>): Generator<Veto> {
  refuseOther('vetoes', { decision: [decision, DECISION] });
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

const DECISION = shape<Pick<Decision, 'refusals'>>('a decision', { refusals: LIST });
