/** What a person has read stands: a decision that would take back something from before the end of such a turn is refused (semantics.md RC3, RC4). */
import type { History } from '../history/history.ts';
import type { Decision, Keep } from '../model/decision.ts';
import type { InstanceId } from '../model/instance.ts';
import type { Said } from '../model/said.ts';
import type { Refusal } from '../model/veto.ts';

/** True for work that was begun before the end of a turn. */
export function isSaid(history: History, said: Said, id: InstanceId): boolean {
  const record = history.registry.get(id);
  return record !== undefined && record.entry.at <= said.at;
}

/** A decision as it may be carried out in a thread: one that would take back what was said is an escalation, whose act is a new turn. */
export function heldToSaid(history: History, said: Said | null, decision: Decision): Decision {
  if (said === null || decision.verdict === 'settle' || !goesBehind(history, said, decision)) return decision;
  const { turn, step } = said;
  const refusal: Refusal = { code: 'said_to_person', candidate: null, instance: decision.failed, turn, step };
  return {
    verdict: 'escalate',
    failed: decision.failed,
    at: decision.at,
    policy: decision.policy,
    refusals: [...decision.refusals, refusal],
    undo: [],
    line: null,
    unblock: { leadsTo: 'ask_again', acts: [{ act: 'correct_in_turn', turn }] },
  };
}

function goesBehind(history: History, said: Said, decision: Exclude<Decision, { verdict: 'settle' }>): boolean {
  const { failed, line, aside = [] } = decision;
  if (decision.verdict === 'rerun' || ('unblock' in decision && decision.unblock.leadsTo === 'rerun')) return true;
  const isBehind = (id: InstanceId, keep: Keep) =>
    keep === 'none' ? isSaid(history, said, id) : keep.at < said.at && isSaid(history, said, id);
  return (
    (failed !== null && isSaid(history, said, failed)) ||
    (line?.moves ?? []).some(({ instance, keep }) => isBehind(instance, keep)) ||
    aside.some(({ instance }) => isSaid(history, said, instance))
  );
}
