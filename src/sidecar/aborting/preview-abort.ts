/**
 * The preview of an abort: the calls that would be undone, in their order, and the calls that would stand, if every
 * undo worked. Asks no counterparty and moves nothing.
 */
import { rulesOf } from '../../boundaries/version-rules.ts';
import type { RunState } from '../../projection/run-state.ts';
import { holdersOf, nextToUndo } from '../../recovery/undo-order.ts';
import type { RunParts } from '../parts.ts';
import { SidecarError } from '../sidecar-error.ts';
import { type AbortedAct, abortedActs, relationOf, whyNotUndone } from './acts.ts';

/** A call in a preview. */
interface PreviewedCall {
  readonly key: string;
  readonly tool: string;
}

/** The result that an abort would have. */
export interface AbortPreview {
  /** The number of the last event of the history that the preview was made at. */
  readonly at: number;
  /** The calls that would be undone, in that order, each with the undo that its config names. */
  readonly undo: readonly (PreviewedCall & { readonly by: string })[];
  /** The calls that would stand, each with the reason, and with the keys of the undone calls that it rests on. */
  readonly stands: readonly (PreviewedCall & { readonly why: string; readonly gone: readonly string[] })[];
  /** The calls whose outcome is unknown, each with the keys of the calls whose undo waits for that outcome. */
  readonly unknown: readonly (PreviewedCall & { readonly holds: readonly string[] })[];
  /** The calls that have not left, and never would: at their gates, or held back for a commit. */
  readonly dropped: readonly PreviewedCall[];
}

/** The error of an abort of a run that has ended. */
export function endedError(how: string): SidecarError {
  return new SidecarError('run_finished', `the run has ended: it is ${how}, and nothing of it is undone any more`);
}

/** Makes the preview of an abort. */
export function previewAbort(
  parts: Pick<RunParts, 'runState' | 'config' | 'versions'>,
  { hasMachines }: { readonly hasMachines: boolean },
): AbortPreview {
  const { runState, config, versions } = parts;
  let acts = abortedActs(runState, relationOf(parts, hasMachines), new Set());
  const undo: AbortPreview['undo'][number][] = [];
  const stands: (Omit<AbortPreview['stands'][number], 'gone'> & { readonly on: ReadonlySet<string> })[] = [];
  for (let next = nextToUndo(acts); next !== null; next = nextToUndo(acts)) {
    const { key, call, on } = next as AbortedAct;
    const why = whyNotUndone(parts, call);
    const named = { key, tool: call.intent.tool };
    if (why === null) undo.push({ ...named, by: rulesOf(config, versions, call)?.undo ?? '' });
    else stands.push({ ...named, why, on });
    acts = acts.map((act) => (act.key === key ? { ...act, is: 'over' } : act));
  }
  const undone = new Set(undo.map(({ key }) => key));
  return {
    at: runState.history.head,
    undo,
    stands: stands.map(({ on, ...one }) => ({ ...one, gone: [...on].filter((key) => undone.has(key)) })),
    unknown: acts.flatMap(({ is, key, call }) => {
      const held = acts.filter(
        (other) => other.is === 'due' && holdersOf(acts, other.key).some((by) => by.key === key),
      );
      return is === 'unknown' ? [{ key, tool: call.intent.tool, holds: held.map((other) => other.key) }] : [];
    }),
    dropped: droppedIn(runState),
  };
}

function droppedIn({ ledger }: RunState): PreviewedCall[] {
  const held = [...ledger.all()].filter(({ status, at }) => status === 'buffered' && at !== null);
  return held.map(({ key, intent }) => ({ key, tool: intent.tool }));
}
