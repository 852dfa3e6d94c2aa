/**
 * The fewest acts of a person, a reviewer or a counterparty after which a refused failure would be answered on a higher
 * rung. There are two ways: to clear the newest candidate's line, or to clear the whole run for a rerun. The shorter
 * one is offered.
 */
import type { History } from '../history/history.ts';
import type { Act, Rules, Unblock } from '../model/decision.ts';
import { crossing, type Effect, type EffectVeto } from '../model/effect.ts';
import type { InstanceId } from '../model/instance.ts';
import type { Abstention } from '../model/veto.ts';
import type { Crossed, Proposal } from './crossings.ts';
import { isAllowed } from './joint.ts';

/**
 * The fewest acts that unblock; between equally few the restore, which keeps more work.
 * @param found the proposal of the policy, or the reason why localisation abstained.
 * @param exits the instance whose exit could be restored under another policy. It is offered only if every other way
 *   needs more acts, as the wrong work would stand.
 */
export function smallestUnblock(
  history: History,
  rules: Rules,
  found: Proposal | Abstention | null,
  others: readonly Proposal[] = [],
  exits: readonly InstanceId[] = [],
): Unblock {
  if (typeof found === 'string') return { leadsTo: 'ask_again', acts: [{ act: 'name_suspect', why: found }] };
  const rerun: Unblock = { leadsTo: 'rerun', acts: history.effects.blocking().map(clear) };
  const { blockingCount } = history.effects;
  const cut = found === null ? null : fewestActs([found, ...others].map((proposal) => restoreAfter(rules, proposal)));
  const least = cut === null || (blockingCount > 0 && rerun.acts.length < cut.acts.length) ? rerun : cut;
  const exit = exits.map((instance): Unblock => ({ leadsTo: 'restore', acts: [{ act: 'allow_exit', instance }] }));
  return blockingCount === 0 ? least : (fewestActs([least, ...exit]) as Unblock);
}

/** The first way with the fewest acts; null stands for a way that the policy does not have. */
function fewestActs(ways: readonly (Unblock | null)[]): Unblock | null {
  return ways.reduce(
    (best, way) => (way !== null && (best === null || way.acts.length < best.acts.length) ? way : best),
    null,
  );
}

/** The acts that would let the newest candidate's line through; null where the policy has no way to allow it. */
function restoreAfter(rules: Rules, { crossed, crossable, escapes = [] }: Proposal): Unblock | null {
  const { consumers, blocked } = crossed[0] as Crossed;
  const acts: Act[] = blocked.map(clear);
  if (escapes.length > 0) acts.push({ act: 'end_instances', instances: escapes });
  if (consumers.length === 0) return { leadsTo: 'restore', acts };
  if (!crossable) return null;
  const promises = consumers.map(({ dependence }) => dependence.consumer);
  const forbidden = promises.filter((instance) => !isAllowed(rules, instance));
  if (forbidden.length > 0) acts.push({ act: 'allow_joint', instances: forbidden });
  return { leadsTo: 'restore_joint', acts };
}

/**
 * The act after which §6 lets an effect be crossed. An unknown effect may turn out to be confirmed, which is a new
 * question.
 */
function clear(effect: Effect): Act {
  return { act: cures[crossing(effect) as EffectVeto], effect };
}

const cures = {
  effect_outcome_unknown: 'settle_outcome',
  compensation_missing: 'register_undo',
  irreversible_effect_policy: 'undo_by_hand',
} as const satisfies Record<EffectVeto, Act['act']>;
