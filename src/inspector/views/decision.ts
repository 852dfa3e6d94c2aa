/**
 * A decision of a run: its account, the line drawn, every refusal with its witness, and the decision under
 * suppositions.
 */
import type { History } from '../../history/history.ts';
import type { Decision } from '../../model/decision.ts';
import { actSentence, effectName, explain, type PlaceText } from '../../recovery/explain.ts';
import type { Decided } from '../../reports/timeline.ts';
import { InspectorError } from '../inspector-error.ts';
import type { WireAnswer, WireDecision } from '../page-data.ts';
import type { Read } from '../reading.ts';
import { causeText } from './cause.ts';
import { graphOf } from './graph.ts';
import { type Moment, momentBefore } from './moment.ts';
import { refusalsOf } from './refusals.ts';
import { WhatIf } from './what-if.ts';

/** A decision by its number, from 1. @throws InspectorError where there is none. */
export function decisionView(read: Read, number: number): WireDecision {
  const decided = decisionNumbered(read, number);
  const { entry, around, time } = decided;
  const moment = momentBefore(read.rows, decided.seq);
  const whatIf = new WhatIf(read, decided);
  const place = read.timeline.eventRows.texts(decided.seq);
  return {
    ...answerOf(entry.decision, moment.runState.history, moment, read, place),
    number,
    time,
    signal: entry.signal,
    cause: causeText(decided),
    policy: entry.decision.policy,
    account: explain(entry.decision, around, place),
    toggles: whatIf.toggles.map(({ id, text, group }) => ({ id, text, group })),
    numbers: whatIf.sameNumbers
      ? null
      : 'Events that a restore has undone are not counted in a supposed answer: its numbers are not those of the run.',
    fixed: whatIf.fixed,
  };
}

/** A decision as it would be. @throws InspectorError where nothing can be supposed. */
export function supposedView(read: Read, number: number, suppose: unknown): WireAnswer {
  const isList = Array.isArray(suppose) && suppose.length <= 100 && suppose.every((each) => typeof each === 'string');
  if (!isList) throw new InspectorError('bad_request', '"suppose" is a list of the ids of toggles.');
  const decided = decisionNumbered(read, number);
  const whatIf = new WhatIf(read, decided);
  if (whatIf.fixed !== null) throw new InspectorError('not_offered', whatIf.fixed);
  const { history, decision } = whatIf.suppose(new Set(suppose));
  return answerOf(decision, history, null, read, (event) => `event ${event}`);
}

function decisionNumbered({ timeline }: Read, number: number): Decided {
  const decided = timeline.decisions[number - 1];
  if (decided === undefined) throw new InspectorError('not_found', `The run has no decision ${number}.`);
  return decided;
}

function answerOf(
  decision: Decision,
  history: History,
  moment: Moment | null,
  { timeline }: Read,
  place: PlaceText,
): WireAnswer {
  return {
    verdict: decision.verdict,
    level: decision.line?.level ?? null,
    headline: explain(decision, null, place).text,
    refusals: refusalsOf(decision, moment, timeline.runState, place),
    graph: graphOf(history, decision, place),
    undo: decision.undo.map((effect) => effectName(effect, place)),
    unblock: 'unblock' in decision ? decision.unblock.acts.map((act) => actSentence(act, place)) : [],
  };
}
