/** The preview of a complaint about a run of a machine that another process has, or none (semantics.md C12). */
import type { AnyStateMachine } from 'xstate';
import type { AbortPreview } from '../sidecar/aborting/preview-abort.ts';
import type { SteerAnswer } from '../sidecar/failures/steering.ts';
import { type PreviewOptions, previewAbortOf, previewRun, previewSteerOf } from '../sidecar/opening/preview-run.ts';
import type { ComplaintPreview } from '../sidecar/run/preview.ts';
import { programOf } from './attach.ts';

export type { AbortPreview } from '../sidecar/aborting/preview-abort.ts';
export type { SteerAnswer } from '../sidecar/failures/steering.ts';
export type { ComplaintPreview, PreviewedComplaint } from '../sidecar/run/preview.ts';

/**
 * Makes the preview of a complaint from the rows of a run, its machine and its config: the machine is not begun, and nothing is called.
 * @throws SidecarError as `fail`, and `other_agent`, `machine_changed`, `config_changed`, `config_refused`; JournalError `journal_corrupt`.
 */
export function previewOf(
  machine: AnyStateMachine,
  options: PreviewOptions,
  rows: Parameters<typeof previewRun>[2],
  complaint: Parameters<typeof previewRun>[3],
): ComplaintPreview {
  return previewRun(programOf('preview', machine, options), options, rows, complaint);
}

/**
 * Makes the preview of an act on an event from the rows of a run, its machine and its config: the machine is not begun, and nothing is called.
 * @throws SidecarError `event_unknown`, `run_finished`, and as {@link previewOf}.
 */
export function steerPreviewOf(
  machine: AnyStateMachine,
  options: PreviewOptions,
  rows: Parameters<typeof previewSteerOf>[2],
  sent: Parameters<typeof previewSteerOf>[3],
): Promise<SteerAnswer> {
  return previewSteerOf(programOf('preview', machine, options), options, rows, sent);
}

/**
 * Makes the preview of an abort from the rows of a run, its machine and its config: the machine is not begun, and nothing is called.
 * @throws SidecarError `run_finished`, and as {@link previewOf}.
 */
export function abortPreviewOf(
  machine: AnyStateMachine,
  options: PreviewOptions,
  rows: Parameters<typeof previewAbortOf>[2],
): AbortPreview {
  return previewAbortOf(programOf('preview', machine, options), options, rows);
}
