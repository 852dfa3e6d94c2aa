/**
 * Says whether a run has work under way in this process, and when the run can go on by itself. A process can give back
 * a run that only waits, for a time, a person or an event; any process can then go on with the run.
 */
import { encode } from '../../journal/codec.ts';
import type { Rest } from '../../journal/work.ts';
import { isOpen } from '../../model/effect.ts';
import { isReviewed } from '../../projection/open-judgments.ts';
import type { RunState } from '../../projection/run-state.ts';
import type { Configuration } from '../lifecycle/table.ts';
import type { Run } from './run.ts';

/** The rest of a run. */
export interface RunRest {
  /** True where nothing of it is under way in this process: no call, no recovery, no commit, no row that is not durable. */
  readonly idle: boolean;
  /**
   * The wall clock from which the run can go on by itself, in milliseconds; null if it waits for a message or has
   * ended.
   */
  readonly due: number | null;
}

/** Looks for messages, and says if a run is at rest, and until when. */
export function lookedRest(run: Run): RunRest {
  run.approvals.poll();
  run.heard.offer();
  // Rows that no one waits for are made durable here: a run at rest has none.
  if (!isDurable(run)) void run.write.durable().catch(() => {});
  return restOf(run);
}

function restOf(run: Run): RunRest {
  const { runState, now } = run.parts;
  if (isOver(run)) return { idle: isDurable(run), due: null };
  // Only a message has it go on.
  if (run.parts.lifecycle.configuration.pause === 'on') return { idle: isStill(run), due: null };
  if (isEnding(run) || !isIdle(run) || run.choosing.isTimed) return { idle: false, due: now() };
  // An answer that came as the process was leaving is heard in the next one.
  if (run.hasUnheard && run.parts.lifecycle.configuration.question === 'clear') return { idle: true, due: now() };
  const isHeld = !run.parts.lifecycle.may('answer');
  const times = [
    ...runState.asked.pending().flatMap(({ expires }) => (expires === null ? [] : [expires])),
    ...runState.ledger
      .open()
      .flatMap(({ asked, status }) => (isOpen(status) && asked.next !== null ? [asked.next] : [])),
    ...(run.announcing.next === null ? [] : [run.announcing.next]),
    // What is overdue is told where a plan could be fenced.
    ...(run.owing.next === null || !run.parts.lifecycle.may('plan') ? [] : [run.owing.next]),
    ...(run.attempting.next === null ? [] : [run.attempting.next]),
    ...(run.calls.pooling.next === null ? [] : [run.calls.pooling.next]),
    // Delays move no machine whose run is parked.
    ...(isHeld ? [] : runState.timers.armed().map(({ due }) => due)),
  ];
  return { idle: true, due: times.length === 0 ? null : Math.min(...times) };
}

/** The state of a run that is given back, for the store. */
export function givenBack(run: Run): Rest {
  const { now, runState } = run.parts;
  const digests = runState.digests ?? { config: '', machine: '' };
  const { due } = restOf(run);
  const ended = isOver(run);
  const next = due === null ? null : Math.max(0, due - now());
  const threw = run.recovering.retrying.threwUnder();
  return { due: next, heard: run.approvals.looked, ended, digests, threw, output: ended ? outputOf(run) : null };
}

/** The output of the root, as JSON text; null where it has none, or none that a journal could hold. */
function outputOf({ runtime, root, runState: { codecs } }: Run): string | null {
  const output = root === undefined ? undefined : runtime.outputOf(root);
  const encoded = output === undefined ? null : encode(output, { codecs });
  return encoded !== null && 'text' in encoded ? encoded.text : null;
}

/** True where nothing is left to do of a run that has ended. */
function isOver({ parts: { runState, activity, lifecycle } }: Run): boolean {
  if (lifecycle.configuration.will !== 'over') return false;
  const isEndedByPerson = runState.ended === 'cancelled' || runState.ended === 'compensated';
  return isEndedByPerson || (activity.isNone && runState.publications.length === 0);
}

/** The wills under which a run comes to its end by itself. */
const ENDING: Readonly<Record<Configuration['will'], boolean>> = {
  unbegun: false,
  going: false,
  ending: true,
  cancelling: true,
  aborting: true,
  finishing: true,
  over: false,
};

/** True while a run comes to its end: what that has left to undo, to make visible and to free is done at once, unless a person has to act. */
function isEnding({ parts: { lifecycle, runState } }: Run): boolean {
  const { will, question, attempt } = lifecycle.configuration;
  return question === 'clear' && ENDING[will] && attempt === 'none' && !isReviewed(runState);
}

function isIdle(run: Run): boolean {
  const { parts, calls, heard } = run;
  const { question, machine, will } = parts.lifecycle.configuration;
  if (heard.hasComplaints || calls.underWay.isActing || !parts.lifecycle.may('rest')) return false;
  if (machine === 'claiming' && question === 'clear' && will !== 'cancelling' && will !== 'aborting') return false;
  // Calls that come to a plan which cannot go on wait for it.
  if (!parts.activity.isNone && question !== 'stuck') return false;
  return isDurable(run) && !run.runtime.isRunning && !hasLiveActors(parts.runState);
}

/** True where nothing of a paused run is under way: what waits for the end of the pause goes on waiting in the next process. */
function isStill(run: Run): boolean {
  const { parts, calls } = run;
  return parts.activity.isNone && !calls.underWay.isActing && isDurable(run) && !hasLiveActors(parts.runState);
}

/** True where nothing of a run waits to be written. */
export function isDurable({ parts: { journal }, write }: Run): boolean {
  return write.isEmpty && journal.durable === journal.head;
}

/** True where an actor lives that goes on by itself, and that nothing but its process knows of: a callback, an observable. */
function hasLiveActors({ family }: RunState): boolean {
  return family.concerned([]).some(({ ended, started }) => {
    if (ended !== null || started === null || started.kind === 'machine') return false;
    return started.kind === 'other' || started.src === null;
  });
}
