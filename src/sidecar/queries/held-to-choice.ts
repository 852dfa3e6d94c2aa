/** The law that a choice among alternatives stands: a decision that would take it back, or work of its branches, is refused (semantics.md AL9). */
import { CHOICE_EVENTS } from '../../model/choice-entries.ts';
import { type Decision, escalated, isRestore } from '../../model/decision.ts';
import { eventType } from '../../model/reply-event.ts';
import type { Refusal } from '../../model/veto.ts';
import type { Choice } from '../../projection/choices.ts';
import type { RecordedStep } from '../../projection/state-types.ts';
import type { RunParts } from '../parts.ts';
import type { RecoveryQueries } from './recovery-queries.ts';

/** The parts of a run that the law reads. */
interface Needs {
  readonly parts: Pick<RunParts, 'runState'>;
  readonly queries: Pick<RecoveryQueries, 'keptBy'>;
}

/** Turns a decision that would take back a choice into an escalation. */
export function heldToChoice({ parts, queries }: Needs, decision: Decision): Decision {
  const { choices, actors } = parts.runState;
  if (choices.all.length === 0 || decision.verdict === 'settle') return decision;
  const choice = isRestore(decision)
    ? firstOf(parts.runState.takenOutBy(queries.keptBy(decision)), choices, actors)
    : rerunOf(decision, choices.all);
  if (choice === undefined) return decision;
  const winner = choice.branches.find(({ is }) => is === 'won')?.branch ?? null;
  const refusal: Refusal = {
    code: 'choice_stands',
    candidate: null,
    instance: decision.failed,
    alternatives: choice.alternatives,
    winner,
  };
  return escalated(decision, [...decision.refusals, refusal], [{ act: 'cancel_run' }]);
}

function rerunOf(decision: Decision, all: readonly Choice[]): Choice | undefined {
  const isRerun = decision.verdict === 'rerun' || ('unblock' in decision && decision.unblock.leadsTo === 'rerun');
  return isRerun ? all[0] : undefined;
}

/** The choice that the first of these steps belongs to: a step of a branch, or the step that took the choice. */
function firstOf(
  steps: readonly RecordedStep[],
  choices: Needs['parts']['runState']['choices'],
  actors: Needs['parts']['runState']['actors'],
): Choice | undefined {
  for (const step of steps) {
    const of = choices.branchOf(actors, step.actor)?.choice;
    if (of !== undefined) return of;
    const type = step.actor === 0 ? eventType(step.entry?.event) : '';
    if (type === CHOICE_EVENTS.chosen || type === CHOICE_EVENTS.none)
      return choices.all.findLast(({ at }) => at <= step.act) ?? choices.all[0];
  }
  return undefined;
}
