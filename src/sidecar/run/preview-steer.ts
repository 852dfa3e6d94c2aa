/** Previews an act on an event: the answer that the act would have now (semantics.md ST11). The run is only read. */
import type { SentSteer } from '../../effects/messages/steers.ts';
import type { Pieces } from '../../history/pieces.ts';
import { isRestore } from '../../model/decision.ts';
import type { Begun } from '../../model/entry.ts';
import { INPUT } from '../../model/message-entries.ts';
import type { ChangedPaper } from '../../recovery/cut.ts';
import { waitingEvents } from '../../reports/events.ts';
import { blockedText, waitingText } from '../../reports/steer-text.ts';
import type { Enterable } from '../../runtime/runtime.ts';
import { causeOf, lookAt, lookedAt, named, notReceived, revised } from '../failures/steered-event.ts';
import { metBy } from '../failures/steered-turn.ts';
import type { SteerAnswer } from '../failures/steering.ts';
import { keptThoughUndone } from '../failures/undone-by-hand.ts';
import { decidedWithout, leftByWaiting } from '../failures/without-event.ts';
import type { Change, RunParts } from '../parts.ts';
import { inFull, type PreviewedAnswer } from '../queries/answer-in-full.ts';
import { heldToChoice } from '../queries/held-to-choice.ts';
import type { RecoveryQueries } from '../queries/recovery-queries.ts';

/** A run as the preview of an act reads it. */
interface SteeredRun {
  readonly parts: Pick<RunParts, 'runState' | 'config' | 'decisionPolicy' | 'lifecycle'>;
  /** The program as it is entered on paper; null for a machine, and where it cannot be. */
  readonly program: Enterable | null;
  /** The calls of a program that meet the same, by their numbers; left out where that is not known. */
  readonly met?: ReadonlySet<number>;
  readonly queries: RecoveryQueries;
  /** The past of the run on paper with a change; null for a runtime that has no machine. */
  paperWith(change: Change): ChangedPaper | null;
  /** The first step of the run with another input; null if the step then goes elsewhere. */
  begunWith(event: unknown): Begun | null;
  /** The names of the instances that waiting failures are about. */
  readonly beside: readonly string[];
}

/** The calls of a program that meet the same behind an act, by their numbers; null where the act has none to ask for. @throws SidecarError as {@link previewedSteer}. */
export async function metAhead(
  { parts, program, begunWith }: Pick<SteeredRun, 'parts' | 'program' | 'begunWith'>,
  sent: SentSteer,
): Promise<ReadonlySet<number> | null> {
  const word = { ...named(parts.runState, sent), post: null };
  const looked = program === null ? null : lookAt(lookedAt(parts, program), word);
  if (looked?.is !== 'open' || looked.found.step === null) return null;
  const { found } = looked;
  const begun = found.name === INPUT ? begunWith(revised(found, word)) : null;
  const raised = causeOf(parts.runState, word, found, looked.found.step, begun);
  return raised === null ? null : ((await metBy(parts, raised, program)).met ?? null);
}

/**
 * Makes the preview of an act on an event, in pieces. Nothing that it reads may have changed when it goes on.
 * @throws SidecarError `event_unknown`, `run_finished`.
 */
export function* previewedSteer(run: SteeredRun, sent: SentSteer): Pieces<SteerAnswer> {
  const { parts } = run;
  const { runState } = parts;
  const word = { ...named(runState, sent), post: null };
  const version = runState.received.get(word.of)?.version ?? 0;
  const says = (is: SteerAnswer['is'], why: string | null, answer: PreviewedAnswer | null = null): SteerAnswer => ({
    ...{ event: word.of, act: word.act, is, why, version, answer, waits: waitingEvents(runState) },
  });
  const looked = lookAt(lookedAt(parts, run.program), word);
  if ('why' in looked) return says(looked.is, looked.why);
  const { found } = looked;
  if (looked.is === 'here') return says('done', null);
  if (found.step === null) {
    const left = word.act === 'confirm' ? [] : leftByWaiting(run, found, word.undone);
    return left.length > 0 ? says('refused', waitingText(left)) : says('done', null);
  }
  const begun = found.name === INPUT ? run.begunWith(revised(found, word)) : null;
  const raised = causeOf(runState, word, found, found.step, begun);
  if (raised?.steers === undefined) return says('refused', notReceived(found));
  const { met } = run;
  const asked = met === undefined ? raised : { ...raised, met };
  const decision = heldToChoice(run, yield* decidedWithout(run, asked, raised.steers, run.beside));
  const answer = inFull(run, 'decided', decision, []);
  const kept = isRestore(decision) ? keptThoughUndone(runState, word.undone ?? [], decision) : blockedText(decision);
  return kept === null ? says('done', null, answer) : says('refused', kept, answer);
}
