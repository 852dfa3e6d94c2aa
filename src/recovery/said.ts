/** The law that what a person has read stands: a decision that would take back something from before the end of such a turn is refused (semantics.md RC3, RC4). */
import type { History } from '../history/history.ts';
import { positionBefore } from '../history/registry.ts';
import { type Decision, escalated, type Keep } from '../model/decision.ts';
import { type InstanceId, ROOT } from '../model/instance.ts';
import type { Said } from '../model/said.ts';
import type { Refusal } from '../model/veto.ts';

/** True for work that was begun before the end of a turn. */
export function isSaid(history: History, said: Said, id: InstanceId): boolean {
  const record = history.registry.get(id);
  return record !== undefined && record.entry.at <= said.at;
}

/** Turns a decision that would take back what a person has read into an escalation: the act is a new turn (RC4). */
export function heldToSaid(history: History, said: Said | null, decision: Decision): Decision {
  if (said === null || decision.verdict === 'settle' || !goesBehind(history, said, decision)) return decision;
  const { turn, step } = said;
  const refusal: Refusal = { code: 'said_to_person', candidate: null, instance: decision.failed, turn, step };
  return escalated(decision, [...decision.refusals, refusal], [{ act: 'correct_in_turn', turn }]);
}

/** True where a root, which lasts from turn to turn, would lose a position from before the end of a turn. */
function losesSaid(history: History, said: Said, id: InstanceId, keep: Keep): boolean {
  const record = history.registry.get(id);
  const last = record === undefined ? null : positionBefore(record, said.at + 1);
  return last !== null && (keep === 'none' || keep.at < last.at);
}

function goesBehind(history: History, said: Said, decision: Exclude<Decision, { verdict: 'settle' }>): boolean {
  const { failed, line, aside = [] } = decision;
  if (decision.verdict === 'rerun' || ('unblock' in decision && decision.unblock.leadsTo === 'rerun')) return true;
  const isBehind = (id: InstanceId, keep: Keep) =>
    isSaid(history, said, id) && (id.skeleton !== ROOT || losesSaid(history, said, id, keep));
  return (
    (failed !== null && isSaid(history, said, failed)) ||
    (line?.moves ?? []).some(({ instance, keep }) => isBehind(instance, keep)) ||
    aside.some(({ instance }) => isSaid(history, said, instance))
  );
}
