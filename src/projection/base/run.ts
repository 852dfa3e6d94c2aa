/**
 * The state of a run after one of its rows, as plain data, so that a resume reads only the rows after it. It adds
 * nothing to the rows.
 */
import type { Digests, Entry, TraceContext } from '../../model/entry.ts';
import { instanceName } from '../../model/instance.ts';
import type { RunState } from '../run-state.ts';
import type { WorkRecord } from '../set-aside/records.ts';
import {
  loadActors,
  loadEnds,
  loadStanding,
  loadTimers,
  savedActors,
  savedEnds,
  savedStanding,
  savedTimers,
} from './actors.ts';
import {
  loadAsked,
  loadBudgets,
  loadCalls,
  loadLedger,
  loadLooks,
  loadPositions,
  savedAsked,
  savedBudgets,
  savedCalls,
  savedLedger,
  savedLooks,
  savedPositions,
} from './calls.ts';
import {
  loadDecisions,
  loadLive,
  loadRedaction,
  loadRedelivery,
  loadUsed,
  savedCourses,
  savedDecisions,
  savedLive,
  savedRedaction,
  savedRedelivery,
  savedUsed,
} from './decisions.ts';
import { loadHistory, savedHistory } from './history.ts';
import { type BaseSource, Loading } from './loading.ts';
import { loadRecords, savedRecords } from './records.ts';
import { type BaseTexts, Saving } from './saving.ts';
import { loadPlaces, loadSteps, savedContexts, savedPlaces, savedSteps } from './steps.ts';

/** The state of a run as plain data. */
export type SavedRun = ReturnType<typeof savedRun>;

/** Lays the state of a run down. */
export function savedRun(runState: RunState, texts: BaseTexts) {
  const { actors, calls, decisions, events, instances, places, received, redelivery, timers } = runState.parts;
  const { pages } = runState;
  const to = new Saving(texts);
  const first = {
    run: savedMembers(runState),
    history: savedHistory(events.history, to),
    places: savedPlaces(places, pages, to),
    live: savedLive(instances, to),
    used: savedUsed(events, to),
    decisions: savedDecisions(decisions, to),
    redelivery: savedRedelivery(redelivery, to),
    received: received.all,
    redaction: savedRedaction(runState.redaction),
    ledger: savedLedger(calls.ledger, to),
    asked: savedAsked(calls.asked, to),
    budgets: savedBudgets(calls.budgets),
    positions: savedPositions(calls.positions, calls.publications, to),
    looks: savedLooks(calls.looks, to),
    records: savedRecords(runState.records, to),
    actors: savedActors(actors, to),
    standing: savedStanding(timers, to),
    contexts: savedContexts(places, actors.all, to),
  };
  // The members met on the way; each may lead to more of the members that follow.
  const second = {
    courses: savedCourses(to),
    calls: savedCalls(to),
    timers: savedTimers(to),
    steps: savedSteps(pages, to),
  };
  return { ...first, ...second, ends: savedEnds(actors, to), named: to.named };
}

function savedMembers({
  agent,
  digests,
  trace,
  staleUpTo,
  comparedFrom,
  ended,
  discards,
  aborted,
  before,
  turns,
  choices,
  attempt,
  commits,
  judgments,
  sandboxes,
  obligations,
  mandates,
}: RunState) {
  const left = [...discards.all.values()].map(({ instance, is }) => ({ instance, is }));
  const abort = { owed: [...aborted.owed], stands: [...aborted.stands] };
  return {
    agent,
    digests,
    trace,
    staleUpTo,
    ...(comparedFrom > 0 && { comparedFrom }),
    ended,
    left,
    abort,
    before: [...before],
    turns: turns.saved,
    choices: choices.saved,
    ...(attempt.now.terms !== null && { attempt: attempt.now }),
    commits: commits.due,
    ...(judgments.isUsed && { judgments: judgments.saved }),
    sandboxes: sandboxes.saved,
    obligations: obligations.saved,
    ...(mandates.isUsed && { mandates: mandates.saved }),
  };
}

/** Makes the state of a run again, in a `RunState` that has folded nothing yet and knows the run's pages. */
export function loadRun(runState: RunState, saved: SavedRun, source: BaseSource): void {
  const { actors, calls, decisions, events, instances, places, received, redelivery, timers } = runState.parts;
  const from = new Loading(source, saved.named);
  loadSteps(saved.steps, from);
  loadTimers(saved.timers, from);
  loadCalls(saved.calls, from);
  loadMembers(runState, saved.run);
  loadHistory(events.history, saved.history, runState.pages, from);
  loadPlaces(places, saved.places, { steps: saved.steps, pages: runState.pages }, from);
  loadLive(instances, saved.live, from);
  loadUsed(events, saved.used);
  loadDecisions(decisions, saved.decisions, from);
  received.resumeAt(saved.received);
  loadRedelivery(redelivery, saved.redelivery, saved.courses, from);
  loadRedaction(runState.redaction, saved.redaction);
  loadLedger(calls.ledger, saved.ledger, from);
  loadAsked(calls.asked, saved.asked);
  loadBudgets(calls.budgets, saved.budgets);
  calls.publications = loadPositions(calls.positions, saved.positions, from);
  loadLooks(calls.looks, saved.looks, from);
  loadRecords(runState.records as Map<string, WorkRecord>, saved.records, from);
  loadActors(actors, saved.actors, saved.contexts.present, from);
  loadEnds(actors, saved.ends, from);
  loadStanding(timers, saved.standing, from);
  for (const [step, context] of saved.contexts.contexts) from.step(step).context = { is: source.value(context) };
}

function loadMembers(runState: RunState, saved: ReturnType<typeof savedMembers>): void {
  const {
    agent,
    digests,
    trace,
    staleUpTo,
    comparedFrom = 0,
    ended,
    left,
    abort,
    before,
    turns,
    choices,
    attempt,
    commits,
    judgments,
    sandboxes,
    obligations,
    mandates,
  } = saved;
  runState.turns.resumeAt(turns);
  runState.choices.resumeAt(choices);
  if (attempt !== undefined) runState.attempt.resumeAt(attempt);
  runState.commits.resumeAt(commits);
  if (judgments !== undefined) runState.judgments.resumeAt(judgments);
  runState.sandboxes.resumeAt(sandboxes);
  runState.obligations.resumeAt(obligations);
  if (mandates !== undefined) runState.mandates.resumeAt(mandates);
  for (const { instance, is } of left) runState.discards.all.set(instanceName(instance), { instance, is });
  for (const [key, error] of abort.owed) runState.aborted.owed.set(key, error);
  for (const [key, standing] of abort.stands) runState.aborted.stands.set(key, standing);
  runState.agent = agent;
  runState.digests = digests as Digests | null;
  runState.trace = trace as TraceContext | null;
  runState.staleUpTo = staleUpTo;
  runState.comparedFrom = comparedFrom;
  runState.before.push(...before);
  runState.ended = ended as Extract<Entry, { do: 'end' }>['status'] | null;
}
