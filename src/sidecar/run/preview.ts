/**
 * Previews a complaint: the answer that it would have now (semantics.md C12). The run is only read: no entry is
 * written, no counterparty is asked, no budget is charged.
 */
import { Turns } from '../../clock/turns.ts';
import type { SentSteer } from '../../effects/messages/steers.ts';
import type { Pieces } from '../../history/pieces.ts';
import { isRestore } from '../../model/decision.ts';
import type { Entry } from '../../model/entry.ts';
import type { Signal } from '../../model/failure.ts';
import { type InstanceId, instanceName } from '../../model/instance.ts';
import { goneCalls } from '../../projection/gone-calls.ts';
import type { Paper } from '../../recovery/cut.ts';
import type { Runtime } from '../../runtime/runtime.ts';
import { isReplaced, type ParkedQuestion, refuseUnlessParked } from '../failures/complaints.ts';
import { Deciding, MOST_TURNS } from '../failures/deciding.ts';
import { decidedAbout } from '../failures/decisions.ts';
import { stuckError } from '../failures/open-failures.ts';
import type { Recovering } from '../failures/recovering.ts';
import type { SteerAnswer } from '../failures/steering.ts';
import { callsOf, crossedBy } from '../failures/taking-back.ts';
import { isTakenBack, recordOf } from '../failures/undone-work.ts';
import { WrongAnswers } from '../failures/wrong-answers.ts';
import type { Raised, RunParts, Suspect } from '../parts.ts';
import { inFull, type PreviewedAnswer } from '../queries/answer-in-full.ts';
import { heldToChoice } from '../queries/held-to-choice.ts';
import type { RecoveryQueries } from '../queries/recovery-queries.ts';
import { effectsStand } from '../queries/refused-questions.ts';
import type { Writing } from '../writing.ts';
import { type FoundWrong, refuseComplaint } from './complain.ts';
import { Complaints } from './complaints.ts';
import { paperOf, papersOf } from './ports.ts';
import { metAhead, previewedSteer } from './preview-steer.ts';

/** The complaint that is previewed: the arguments of `fail`. */
export interface PreviewedComplaint extends FoundWrong {
  readonly signal: Signal;
}

/** The answer that a complaint would have. */
export interface ComplaintPreview {
  /** The number of the last event of the history that the preview was made at. */
  readonly at: number;
  /**
   * The answers, one for each piece of work that the complaint is about: nearly always one. Each is given at the history as it is; the second is given
   * behind the first, whose restore may change it. Empty where the work is undone already: the complaint then needs no other answer.
   */
  readonly answers: readonly PreviewedAnswer[];
  /** The parked complaints whose place it takes. */
  readonly replaces: readonly Suspect[];
  /** The work of the run that the complaint would be answered behind, and that may change its answer; null where nothing comes first. */
  readonly waitsFor: string | null;
}

/** A run as a preview reads it. */
export interface PreviewedRun {
  readonly parts: Pick<RunParts, 'runState' | 'config' | 'decisionPolicy' | 'lifecycle'>;
  readonly queries: RecoveryQueries;
  /** The past of the run on paper; null for a runtime that has no machine. */
  paper(): Paper | null;
  /** The failures that wait for an answer: those that the run is parked on, and the others. */
  readonly waiting: { readonly parked: readonly ParkedQuestion[]; readonly others: readonly Pick<Raised, 'failure'>[] };
}

/** A run that a process holds. */
interface HeldRun extends Pick<PreviewedRun, 'queries'> {
  readonly parts: RunParts;
  readonly runtime: Pick<Runtime, 'machines' | 'enterable'>;
  readonly write: Pick<Writing, 'entries'>;
  readonly recovering: Pick<Recovering, 'waiting'>;
}

/**
 * Makes the preview of a complaint in the process that has the run.
 * @throws as {@link previewed}.
 */
export function previewComplaint(run: HeldRun, complaint: PreviewedComplaint): Promise<ComplaintPreview> {
  const { parts, queries, recovering, runtime } = run;
  const paper = () => paperOf(parts, runtime);
  return madeInTurns(run, () => previewed({ parts, queries, paper, waiting: recovering.waiting }, complaint));
}

/** Makes the preview of an act on an event in the process that has the run. @throws as {@link previewedSteer}. */
export async function previewSteer(run: HeldRun, sent: SentSteer): Promise<SteerAnswer> {
  const { parts, queries, runtime, recovering } = run;
  const met = await metAhead({ parts, ...papersOf(parts, runtime) }, sent);
  const beside = () => [...recovering.waiting.parked, ...recovering.waiting.others].flatMap(namesIn);
  return madeInTurns(run, () =>
    previewedSteer(
      { parts, queries, beside: beside(), ...papersOf(parts, runtime), ...(met !== null && { met }) },
      sent,
    ),
  );
}

/** Makes a preview in turns with others where it takes long, and anew where the run has moved meanwhile. */
async function madeInTurns<Made>({ parts, write, recovering }: HeldRun, pieces: () => Pieces<Made>): Promise<Made> {
  const seen = () => JSON.stringify([write.entries, parts.journal.head, recovering.waiting.parked.length]);
  for (let times = 0; ; times += 1) {
    const making = new Deciding(pieces(), times < MOST_TURNS ? new Turns(parts) : null, seen);
    making.goOn();
    if (making.isLong) await making.inTurns();
    if (making.standing !== null) return making.standing;
  }
}

/**
 * Makes the preview of a complaint, in pieces. Nothing that it reads may have changed when it goes on.
 * @throws as `fail`: SidecarError `bad_failure`, `run_finished`, `stuck`; JournalError `journal_closed` while the run is given back.
 */
export function* previewed(run: PreviewedRun, complaint: PreviewedComplaint): Pieces<ComplaintPreview> {
  const { runState, lifecycle } = run.parts;
  const { signal, instance, key, instead = false, error = null } = complaint;
  refuseComplaint(lifecycle, runState, signal);
  const may = lifecycle.answer('complain');
  if (may.is === 'no' && may.code === 'stuck') throw stuckError();
  const { parked, others } = run.waiting;
  if (instead) refuseUnlessParked(parked);
  // What the complaint would write is thrown away with this list.
  const unwritten: Entry[] = [];
  const complaints = new Complaints(run.parts, { append: (entries) => void unwritten.push(...entries) }, run.queries);
  const suspicions = complaints.suspected(instance, key);
  const answers: PreviewedAnswer[] = [];
  const meant = { complaint: instance, instead };
  const successors = suspicions.length === 0 ? [null] : suspicions.map(({ failure }) => failure);
  const replaced = parked.filter((other) => successors.some((failure) => isReplaced(other, { ...meant, failure })));
  const beside = [...parked.filter((other) => !replaced.includes(other)), ...others];
  for (const suspicion of suspicions) {
    const raised = { ...suspicion, signal, error, actor: 0, call: null, suspect: true, complaint: instance } as const;
    answers.push(yield* answered(run, raised, beside));
  }
  return {
    at: runState.history.head,
    answers,
    replaces: replaced.flatMap(({ complaint: one }) => (one === undefined ? [] : [one])),
    waitsFor: whatComesFirst(run),
  };
}

/** The work that a complaint is answered behind; null where there is none. */
function whatComesFirst({ parts: { lifecycle, runState }, waiting }: PreviewedRun): string | null {
  for (const answer of [lifecycle.answer('ask'), lifecycle.answer('decide'), lifecycle.answer('rest')])
    if (answer.is === 'wait') return answer.for;
  const isAnswered = waiting.parked.length > 0 || waiting.others.length > 0;
  return !isAnswered && goneCalls(runState).length > 0 ? 'the answer to an effect that was undone in the world' : null;
}

function* answered(
  run: PreviewedRun,
  raised: Raised,
  beside: readonly Pick<Raised, 'failure'>[],
): Pieces<PreviewedAnswer> {
  const { parts, queries } = run;
  const { runState } = parts;
  const answers = new WrongAnswers(queries);
  const isUndone = isTakenBack(runState, raised);
  const record = isUndone ? null : recordOf(runState, raised);
  const is = isUndone ? 'undone_before' : record === null ? 'decided' : 'set_aside';
  const found = record === null ? null : callsOf(record, instanceName(raised.failure.in as InstanceId));
  const calls = found ?? (isUndone ? answers.standing(raised) : answers.unreached(raised));
  const { undone, blocked } = crossedBy(queries, calls);
  if (blocked.length > 0) return inFull(run, is, effectsStand(parts, raised.failure, blocked), []);
  const undo = undone.reverse();
  if (is !== 'decided') return inFull(run, is, null, undo);
  const decision = heldToChoice(run, yield* decidedAbout(run, raised, beside.flatMap(namesIn)));
  return inFull(run, is, isRestore(decision) ? decision : queries.withWhomToAsk(decision), undo);
}

/** The name of the instance that a failure is about; none where it is about no instance. */
function namesIn({ failure }: Pick<Raised, 'failure'>): string[] {
  return failure.in === null ? [] : [instanceName(failure.in)];
}
