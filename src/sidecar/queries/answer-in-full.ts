/**
 * The full answer to a complaint or to an act on an event: the instances that stand or go back, the effects to undo,
 * and the blockers.
 */
import { type Act, type Decision, effectsIn, isRestore, type Move, recordsIn } from '../../model/decision.ts';
import { type Effect, isOpen } from '../../model/effect.ts';
import { type InstanceId, instanceName, ROOT } from '../../model/instance.ts';
import type { Veto } from '../../model/veto.ts';
import { vetoes } from '../../recovery/vetoes.ts';
import type { RunParts } from '../parts.ts';
import type { MovedInput } from '../report.ts';
import type { RecoveryQueries } from './recovery-queries.ts';

/** The answer about one piece of work. */
export interface PreviewedAnswer {
  /** The way of the answer: by a decision; by giving up the record of work that is set aside; or by undoing what undone work has left in the world. */
  readonly is: 'decided' | 'set_aside' | 'undone_before';
  /** The decision, with its verdict, line and refusals; null where none is needed. */
  readonly decision: Decision | null;
  /** The checkpoint that the work goes back to, and the moves of the others; empty where nothing goes back. */
  readonly back: readonly Move[];
  /** The instances that are kept whole, in the order in which they were entered. */
  readonly stands: readonly InstanceId[];
  /** The instances that are set aside, and taken over where their replay meets the same. */
  readonly aside: readonly InstanceId[];
  /** The effects that are undone in the world, in that order. */
  readonly undo: readonly Effect[];
  /** The effects whose outcome is not known and that are asked about first: the answer may change the decision. */
  readonly asks: readonly Effect[];
  /** The reasons against each checkpoint that cannot be used, each with its witness. */
  readonly blocks: readonly Veto[];
  /** The smallest set of acts that would let the work go back; empty where it goes back, or nothing has to be done first. */
  readonly acts: readonly Act[];
  /** The inputs that the replay would read in another version. */
  readonly movedInputs: readonly MovedInput[];
  /** The events from outside that the restore would take back. */
  readonly events: readonly unknown[];
}

/** The parts of a run that an answer is read from. */
interface Answered {
  readonly parts: Pick<RunParts, 'runState'>;
  readonly queries: RecoveryQueries;
}

/** An answer in full, from its decision and the calls that are undone before it. */
export function inFull(
  { parts: { runState }, queries }: Answered,
  is: PreviewedAnswer['is'],
  decision: Decision | null,
  undo: readonly Effect[],
): PreviewedAnswer {
  const restore = decision !== null && isRestore(decision) ? decision : null;
  const kept = restore === null ? [] : queries.keptBy(restore);
  const lowered = new Set(kept.map(([id]) => instanceName(id)));
  const entered = [...runState.history.registry.all()].map(({ id }) => id);
  return {
    is,
    decision,
    back: restore?.line.moves ?? [],
    stands: entered.filter((id) => id.skeleton !== ROOT && !lowered.has(instanceName(id))),
    aside: restore?.aside?.map(({ instance }) => instance) ?? [],
    undo: [...undo, ...(restore?.undo ?? [])],
    asks: decision === null ? [] : openIn(decision),
    blocks: decision === null ? [] : [...vetoes(decision)],
    acts: decision !== null && 'unblock' in decision ? decision.unblock.acts : [],
    movedInputs: restore === null ? [] : queries.movedInputs(kept),
    events: restore === null ? [] : runState.takenBackBy(kept, recordsIn(restore)),
  };
}

/** The effects that a decision names and whose outcome is not known. */
function openIn({ refusals }: Decision): Effect[] {
  return effectsIn(refusals).filter(({ id, status }) => id !== null && isOpen(status));
}
