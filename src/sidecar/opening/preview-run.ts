/**
 * Previews a complaint about a run, or its abort, in a process that does not have the run: from its journal, its
 * program and its config. The program is placed and not begun; nothing is written, and nothing is called.
 */
import { holdsUnder } from '../../boundaries/certificate.ts';
import type { BoundaryConfig } from '../../boundaries/config.ts';
import type { SentSteer } from '../../effects/messages/steers.ts';
import { inOneGo } from '../../history/pieces.ts';
import type { StoredRow } from '../../journal/journal.ts';
import type { RunState } from '../../projection/run-state.ts';
import { placedIn } from '../../recording/entry-states.ts';
import { DECISION_POLICY } from '../../recovery/decision-policy.ts';
import { SilentWatcher } from '../../runtime/silent-watcher.ts';
import { type AbortPreview, endedError, previewAbort } from '../aborting/preview-abort.ts';
import type { SteerAnswer } from '../failures/steering.ts';
import { Lifecycle } from '../lifecycle/lifecycle.ts';
import { planResume } from '../plan/resume-plan.ts';
import { RecoveryQueries } from '../queries/recovery-queries.ts';
import { paperOf, papersOf } from '../run/ports.ts';
import { type ComplaintPreview, type PreviewedComplaint, previewed } from '../run/preview.ts';
import { metAhead, previewedSteer } from '../run/preview-steer.ts';
import { SidecarError } from '../sidecar-error.ts';
import { failureBy } from '../taking-up/journaled-questions.ts';
import { configOf } from './config.ts';
import { refuseOtherProgram } from './held-to-release.ts';
import { keptClasses } from './kept-classes.ts';
import type { RunOptions } from './options.ts';
import type { Program } from './program.ts';
import { readRun } from './read-run.ts';

/** The options of a run that its preview needs. */
export type PreviewOptions = Pick<RunOptions, 'run' | 'config' | 'guards' | 'codecs'>;

type PreviewedProgram = Pick<Program, 'agent' | 'digest' | 'runtime' | 'tools'>;

/**
 * Makes the preview of a complaint from the rows of a run.
 * @throws as `fail`: SidecarError `bad_failure`, `run_finished`, `stuck`; `other_agent`, `machine_changed` or `config_changed` where the program or the
 * config is not that of the run; `config_refused`; JournalError `journal_corrupt`.
 */
export function previewRun(
  program: PreviewedProgram,
  options: PreviewOptions,
  rows: Iterable<StoredRow>,
  complaint: PreviewedComplaint,
): ComplaintPreview {
  const { parts, queries, runtime } = standingRun(program, options, rows);
  const parked = [...parts.runState.open.values()].map(({ decision, key, complaint: named }) => ({
    failure: failureBy(decision, key),
    ...(named !== undefined && { complaint: named }),
  }));
  return inOneGo(
    previewed({ parts, queries, paper: () => paperOf(parts, runtime), waiting: { parked, others: [] } }, complaint),
  );
}

/**
 * Makes the preview of an act on an event from the rows of a run. A program that is entered again is entered on paper: its code runs, and makes no call.
 * @throws SidecarError `event_unknown`, `run_finished`, and as {@link previewRun}.
 */
export async function previewSteerOf(
  program: PreviewedProgram,
  options: PreviewOptions,
  rows: Iterable<StoredRow>,
  sent: SentSteer,
): Promise<SteerAnswer> {
  const { parts, queries, runtime } = standingRun(program, options, rows);
  const { runState } = parts;
  if (runtime.enterable !== null && runState.places.steps.last !== undefined)
    runtime.make({ plan: planResume(runState, () => 0) });
  const papers = papersOf(parts, runtime);
  const met = await metAhead({ parts, ...papers }, sent);
  return inOneGo(previewedSteer({ parts, queries, beside: [], ...papers, ...(met !== null && { met }) }, sent));
}

/** A run as the process that has it, or takes it, stands there once what it was parked on is asked again. */
function standingRun(program: PreviewedProgram, options: PreviewOptions, rows: Iterable<StoredRow>) {
  const { runState, config, runtime, placed } = readBy(program, options, rows);
  const lifecycle = new Lifecycle(runState);
  const parts = { runState, config, decisionPolicy: DECISION_POLICY, lifecycle, versions: program.tools };
  lifecycle.note({
    hold: 'held',
    machine: 'awake',
    parkedOn: runState.open.size > 0 ? 'person' : 'nothing',
    isStuck: (runState.pending?.stuck.size ?? 0) > 0,
    isCarrying: runState.pending?.phase === 'FENCED',
    commit: runState.publications.length > 0 ? 'publishing' : 'quiet',
  });
  return { parts, runtime, queries: new RecoveryQueries(parts, placed, runtime) };
}

/**
 * Makes the preview of an abort from the rows of a run.
 * @throws SidecarError `run_finished`, and as {@link previewRun}.
 */
export function previewAbortOf(
  program: PreviewedProgram,
  options: PreviewOptions,
  rows: Iterable<StoredRow>,
): AbortPreview {
  const { runState, config, runtime } = readBy(program, options, rows);
  if (runState.ended !== null) throw endedError(runState.ended);
  return previewAbort({ runState, config, versions: program.tools }, { hasMachines: runtime.machines !== null });
}

/** A run as its journal has it, with the program and the config that it was journaled under. */
function readBy(program: PreviewedProgram, options: PreviewOptions, rows: Iterable<StoredRow>) {
  const config = configOf(program.agent, options);
  const { runState } = readRun(rows, options.codecs);
  refuseOtherProgram(program, runState);
  if (!isPreviewedUnder(runState, config))
    throw new SidecarError(
      'config_changed',
      'the run was journaled under another config than this one: preview it with that config, or have a process take the run up first',
    );
  const runtime = program.runtime(new SilentWatcher(), () => 0);
  return { runState, config, runtime, placed: placedIn(config.skeletons.values(), (path) => runtime.placeAt(path)) };
}

/** True where taking the run up under a config would change nothing that a preview rests on (CO1, CO2). */
function isPreviewedUnder(runState: RunState, config: BoundaryConfig): boolean {
  const { digests, ledger } = runState;
  if (digests?.config === config.digest) return true;
  if (digests?.certificate === undefined) return false;
  const isCertified = holdsUnder(digests.certificate, config.certificate, (tool) => ledger.hasCalled(tool));
  return isCertified && keptClasses(runState, config).length === 0;
}
