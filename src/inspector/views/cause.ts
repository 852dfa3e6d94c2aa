/** The reason why a run stands still, in the few sentences that a person on call reads first. */
import { alternativesAsked } from '../../model/choice-entries.ts';
import type { Unblock } from '../../model/decision.ts';
import { actSentence, explain, type PlaceText, quoted } from '../../recovery/explain.ts';
import { pendingRequests } from '../../reports/approval-requests.ts';
import { mandateText } from '../../reports/mandate-text.ts';
import type { Decided } from '../../reports/timeline.ts';
import { waitsText } from '../../reports/waits.ts';
import type { WireCause } from '../page-data.ts';
import type { Read } from '../reading.ts';
import { labelled, shownInstance } from './words.ts';

/** The reasons that are told at once; the decision has them all. */
const FEW = 4;

/** The cause; null where nothing is wrong and no person is asked. */
export function causeOf({ timeline, summary }: Read): WireCause | null {
  const { standing, runState, decisions, open } = timeline;
  const last = decisions.at(-1);
  switch (standing.is) {
    case 'done':
    case 'cancelled':
    case 'compensated':
      return null;
    case 'paused': {
      const { by, why } = standing;
      const text = `${JSON.stringify(runState.redaction.text(by))} has paused it: nothing leaves before a person has it go on.`;
      const said = why === null ? [] : [{ text: runState.redaction.text(why) }];
      return { label: 'PAUSED', text, why: said, unblock: [], decision: null };
    }
    case 'waiting': {
      const choice = runState.asked.pending().find(({ asks }) => asks === 'branch');
      if (choice !== undefined) {
        const text = `Nothing of ${quoted(alternativesAsked(choice.key))} goes on before a person has chosen a branch.`;
        return { label: 'APPROVAL', text, why: [], unblock: [], decision: null };
      }
      const review = pendingRequests(runState).find(({ asks }) => asks === 'review');
      if (review !== undefined) return { label: 'REVIEW', text: review.reason, why: [], unblock: [], decision: null };
      const tools = runState.asked.pending().flatMap(({ key, asks }) => {
        return asks === 'approval' ? [quoted(runState.ledger.get(key)?.intent.tool ?? 'a call')] : [];
      });
      const text = `${tools.join(', ')} may not be called before a person has approved it.`;
      return { label: 'APPROVAL', text, why: [], unblock: [], decision: null };
    }
    case 'stuck':
      return {
        label: 'STUCK',
        text: `An undo has failed, and memory is not restored over it: ${JSON.stringify(runState.redaction.text(standing.error))}`,
        why: last === undefined ? [] : decidedCause(last, timeline).why,
        unblock: [
          `Undo ${quoted(runState.ledger.get(standing.effect)?.intent.tool ?? 'the call')} by hand and say so, or resume: it is tried again.`,
        ],
        decision: last?.number ?? null,
      };
    case 'recovering':
      if (last === undefined) return null;
      return { ...decidedCause(last, timeline), unblock: summary.held ? [] : ['Resume: the recovery is finished.'] };
    case 'parked':
      return open.length === 0 ? mandateCause(timeline) : decidedCause(open.at(-1) as Decided, timeline);
    case 'open':
      return waitsCause('WAITS', timeline);
  }
}

function waitsCause(label: string, { waits }: Read['timeline']): WireCause | null {
  if (waits.length === 0) return null;
  return { label, text: `It waits for ${waitsText(waits)}.`, why: [], unblock: [], decision: null };
}

/** Nothing has failed, and the run has no mandate: who has withdrawn it, and what would have the run go on. */
function mandateCause(timeline: Read['timeline']): WireCause | null {
  const { mandates, redaction } = timeline.runState;
  const cause = waitsCause('MANDATE', timeline);
  if (cause === null) return null;
  const text = mandateText(mandates);
  const why = text === null ? [] : [{ text: redaction.text(text) }];
  return { ...cause, why, unblock: ['Give the run another mandate: belay mandate RUN \'{"by":"NAME"}\''] };
}

/** A failure in one sentence: its tool, its state, its work and the words of the error. */
export function causeText({ entry, around: { tool, state, error } }: Pick<Decided, 'entry' | 'around'>): string {
  const what = tool === null ? 'the machine failed' : `${quoted(tool)} failed`;
  const where = state === null ? '' : ` in the state ${quoted(state)}`;
  const of = shownInstance(entry.decision.failed);
  const whose = of === null ? '' : ` (work of ${quoted(of)})`;
  return `${what}${where}${whose}: ${JSON.stringify(error)}`;
}

function decidedCause(decided: Decided, { eventRows }: Read['timeline']): WireCause {
  const { number, seq, entry, around } = decided;
  const account = explain(entry.decision, around, eventRows.texts(seq));
  const { signal } = around;
  const why = labelled(account).filter(({ label }) => label !== signal);
  const more = why.length > FEW ? [{ text: `and ${why.length - FEW} more reasons, in decision ${number}` }] : [];
  return {
    label: signal,
    text: causeText(decided),
    why: [...why.slice(0, FEW), ...more],
    unblock: 'unblock' in entry.decision ? unblocking(entry.decision.unblock, account, eventRows.texts(seq)) : [],
    decision: number,
  };
}

/** The acts that would unblock it, each with the key of its call; where there is none, the last sentence of the account. */
function unblocking({ acts }: Unblock, account: ReturnType<typeof explain>, place: PlaceText): string[] {
  if (acts.length === 0) return [(account.under ?? []).findLast(({ text }) => text.startsWith('To go on'))?.text ?? ''];
  return acts.map((act) => {
    const key = 'effect' in act && act.effect.id !== null ? ` Its key is ${act.effect.id}.` : '';
    return `${actSentence(act, place)}${key}`;
  });
}
