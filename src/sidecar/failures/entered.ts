/** The past of an entered program on paper, with an input changed (semantics.md PA12): the program runs with the answers of its past up to the first call that does not meet the same. */
import { withComputed } from '../../boundaries/computed.ts';
import { argsDigest } from '../../effects/digest.ts';
import type { PlacedStep } from '../../history/step-lists.ts';
import type { Steers } from '../../model/entry.ts';
import { turnIn } from '../../model/turn-event.ts';
import type { RunState } from '../../projection/run-state.ts';
import type { RecordedStep } from '../../projection/state-types.ts';
import type { ChangedPaper } from '../../recovery/cut.ts';
import type { Enterable, PaperChange, PastStep } from '../../runtime/runtime.ts';
import type { RunParts } from '../parts.ts';
import { planBefore } from '../plan/restore-plan.ts';

/** The past of a run, and the config of its calls. */
export type Past = Pick<RunParts, 'runState' | 'config'>;

/** The steps that took the inputs of turns, from a step on, in order. */
export function turnsFrom({ places }: Pick<RunState, 'places'>, nth: number): RecordedStep[] {
  const steps = places.between(nth - 1, Number.POSITIVE_INFINITY);
  return steps.filter((step) => step.isOutside && turnIn(step.outside) !== null);
}

/** The numbers of the calls that a program comes to with the same arguments once an act has changed its past. @param undone the keys of calls that are made again in any case. */
export function metOnPaper(
  program: Enterable,
  past: Past,
  steers: Steers,
  undone: readonly string[] = [],
): Promise<ReadonlySet<number>> {
  return program.onPaper(changeOf(past, steers, undone));
}

function changeOf(
  { runState, config }: Past,
  { act, event, step, begun }: Steers,
  undone: readonly string[],
): PaperChange {
  const is = (event as { readonly input?: unknown } | undefined)?.input;
  const taken = turnIn(runState.places.between(step - 1, step)[0]?.outside);
  const turn = begun === undefined ? (taken?.turn ?? 0) : 0;
  // Behind the answer to a question nothing is known to meet the same.
  const isInput = begun !== undefined || taken !== null;
  const hasActed = (number: number, input: unknown) => {
    const call = runState.ledger.ofActor(number);
    if (call === undefined || undone.includes(call.key)) return false;
    const given = withComputed(config, call.tool, input);
    return argsDigest(given, runState.secret, runState.codecs) === call.intent.digest;
  };
  const steps = () => stepsFrom(runState, step);
  const behind = new Map(steps().flatMap(({ started }) => started.map(({ id, number }) => [id, number])));
  const standing = () => planBefore(runState, runState.places.between(step - 1, step)[0] as RecordedStep);
  return { turn, input: act === 'revise' && isInput ? { is } : null, behind, steps, standing, hasActed };
}

/** The steps from a step on, with the actors that they have started. */
function stepsFrom({ places }: RunState, nth: number): PastStep[] {
  return places.between(nth, Number.POSITIVE_INFINITY).map(({ entry, value, firstStarted }) => ({
    event: entry?.event,
    value,
    started: (entry?.started ?? []).map(({ id }, place) => ({ id, number: firstStarted + place })),
  }));
}

/** A past on paper in which nothing behind a step stands: a call has read all that its program was given before. @param met the numbers of the calls that meet the same. */
export function enteredPaper(runState: RunState, changed: PlacedStep, met: ReadonlySet<number>): ChangedPaper {
  const { places } = runState;
  return {
    reads: () => false,
    looks: () => false,
    *judge(undone) {
      const first = changed.nth === 0 ? 1 : changed.nth;
      return places.between(first - 1, Number.POSITIVE_INFINITY).filter((step) => !undone.has(step));
    },
    *met() {
      // It comes in one piece.
      yield* [];
      return met;
    },
  };
}
