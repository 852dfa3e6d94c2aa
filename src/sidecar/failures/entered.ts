/** The past of an entered program on paper, with an input changed (semantics.md PA12): the program runs with the answers of its past up to the first call that does not meet the same. */
import { withComputed } from '../../boundaries/computed.ts';
import { argsDigest } from '../../effects/digest.ts';
import type { PlacedStep } from '../../history/step-lists.ts';
import type { Steers } from '../../model/entry.ts';
import { turnIn } from '../../model/turn-event.ts';
import type { RunState } from '../../projection/run-state.ts';
import type { RecordedStep } from '../../projection/state-types.ts';
import type { ChangedPaper } from '../../recovery/cut.ts';
import type { Enterable, PaperChange } from '../../runtime/runtime.ts';
import type { RunParts } from '../parts.ts';

/** The past of a run, and the config of its calls. */
export type Past = Pick<RunParts, 'runState' | 'config'>;

/** The steps that took the inputs of turns, from a step on, in order. */
export function turnsFrom({ places }: Pick<RunState, 'places'>, nth: number): RecordedStep[] {
  const steps = places.between(nth - 1, Number.POSITIVE_INFINITY);
  return steps.filter((step) => step.isOutside && turnIn(step.outside) !== null);
}

/** The names of the calls that a program comes to with the same arguments once an act has changed its past. */
export function metOnPaper(program: Enterable, past: Past, steers: Steers): Promise<ReadonlySet<string>> {
  return program.onPaper(changeOf(past, steers));
}

function changeOf({ runState, config }: Past, { act, event, step, begun }: Steers): PaperChange {
  const is = (event as { readonly input?: unknown } | undefined)?.input;
  const turn = begun === undefined ? (turnIn(runState.places.between(step - 1, step)[0]?.outside)?.turn ?? 0) : 0;
  const started = startedFrom(runState, step);
  const numbers = new Map(started.map(({ id, number }) => [id, number]));
  const hasActed = (name: string, input: unknown) => {
    const call = runState.ledger.ofActor(numbers.get(name) ?? -1);
    if (call === undefined) return false;
    const given = withComputed(config, call.tool, input);
    return argsDigest(given, runState.secret, runState.codecs) === call.intent.digest;
  };
  return { turn, input: act === 'revise' ? { is } : null, behind: new Set(numbers.keys()), hasActed };
}

/** The actors that steps have started from a step on. */
function startedFrom({ places }: RunState, nth: number): { readonly id: string; readonly number: number }[] {
  const behind = places.between(nth, Number.POSITIVE_INFINITY);
  return behind.flatMap(({ entry, firstStarted }) =>
    (entry?.started ?? []).map(({ id }, place) => ({ id, number: firstStarted + place })),
  );
}

/** A past on paper in which nothing behind a step stands: a call has read all that its program was given before. @param names those of the calls that meet the same. */
export function enteredPaper(runState: RunState, changed: PlacedStep, names: ReadonlySet<string>): ChangedPaper {
  const { places } = runState;
  return {
    reads: () => false,
    looks: () => false,
    *judge(undone) {
      const first = changed.nth === 0 ? 1 : changed.nth;
      return places.between(first - 1, Number.POSITIVE_INFINITY).filter((step) => !undone.has(step));
    },
    *met() {
      const started = startedFrom(runState, changed.nth);
      return new Set(started.flatMap(({ id, number }) => (names.has(id) ? [number] : [])));
    },
  };
}
