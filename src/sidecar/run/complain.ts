/** Says that work of a run was found wrong: from the process that has it, or by a message (semantics.md C12). */

import { type Failure, SIGNALS, type Signal } from '../../model/failure.ts';
import { instanceName } from '../../model/instance.ts';
import type { ComplaintEntry } from '../../model/message-entries.ts';
import type { RunState } from '../../projection/run-state.ts';
import { isSaid } from '../../recovery/said.ts';
import { leftBefore } from '../failures/complaints.ts';
import type { Recovering } from '../failures/recovering.ts';
import type { Lifecycle } from '../lifecycle/lifecycle.ts';
import type { Suspect } from '../parts.ts';
import { SidecarError } from '../sidecar-error.ts';
import type { Complaints } from './complaints.ts';

/** The work that was found wrong. */
export interface FoundWrong {
  readonly instance: Suspect;
  readonly key?: string;
  readonly error?: unknown;
  readonly instead?: boolean;
}

/** The parts of a run that answer. */
interface Answering {
  readonly runState: RunState;
  readonly lifecycle: Lifecycle;
  readonly recovering: Recovering;
  readonly complaints: Complaints;
}

/**
 * Takes a complaint in.
 * @param heard the entry of the complaint's message, which is written with the answer.
 * @throws SidecarError `bad_failure`, `run_finished`, `stuck`; JournalError `journal_closed` while the run is given
 * back.
 */
export async function complain(
  { runState, lifecycle, recovering, complaints }: Answering,
  signal: Signal,
  { instance, key, error, instead = false }: FoundWrong,
  heard?: ComplaintEntry,
): Promise<void> {
  refuseComplaint(lifecycle, runState, signal);
  recovering.refuseIfStuck();
  if (instead) recovering.refuseUnlessParked();
  const suspicions = complaints.suspected(instance, key);
  // What was undone already needs no second answer (C12).
  if (suspicions.length === 0) return recovering.retract(instance, instead);
  const found = { signal, error: error ?? `found wrong: ${key ?? 'the work'}`, complaint: instance };
  refuseSaid(runState, suspicions);
  for (const [index, suspicion] of suspicions.entries()) {
    // The message is answered with the last of them: a process that ends before reads it again.
    const isLast = index === suspicions.length - 1;
    const brought = isLast && heard !== undefined ? { heard } : {};
    await recovering.fail({ ...suspicion, ...found, instead: instead && index === 0, ...brought });
  }
}

/** @throws SidecarError `bad_failure`, `run_finished`; JournalError `journal_closed` while the run is given back. */
export function refuseComplaint(lifecycle: Pick<Lifecycle, 'answer'>, runState: RunState, signal: Signal): void {
  if (!SIGNALS.includes(signal)) throw new SidecarError('bad_failure', `"${String(signal)}" is no signal`);
  const may = lifecycle.answer('complain');
  if (may.is === 'no' && (may.code.startsWith('run_') || may.code === 'aborting')) throw over(runState);
  if (may.is === 'no' && may.code === 'journal_closed') throw leftBefore();
}

/**
 * @throws SidecarError `said_to_person` if the work in question lies before the end of a turn that a person has read
 * (RC3).
 */
function refuseSaid(
  { history, turns: { said } }: RunState,
  suspicions: readonly { readonly failure: Failure }[],
): void {
  if (said === null) return;
  const accused = suspicions.find(({ failure }) => failure.in !== null && isSaid(history, said, failure.in));
  if (accused?.failure.in == null) return;
  const text = `${instanceName(accused.failure.in)} is work from before the end of turn ${said.turn} (step ${said.step}), and a person has read what that turn said: nothing moves. Correct it in a new turn, with what was found wrong as its input.`;
  throw new SidecarError('said_to_person', text);
}

function over({ asked: { cancelled } }: RunState): SidecarError {
  const what =
    cancelled === null
      ? 'the run has ended and its output was handed over'
      : `the run was cancelled by ${JSON.stringify(cancelled.by)}`;
  return new SidecarError('run_finished', `${what}: nothing of it is redone`);
}
