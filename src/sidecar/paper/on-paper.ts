/**
 * The past of a run on paper (semantics.md PA1): what a cut keeps is gone through again in its place, from the first step that it takes out. Guards,
 * assigns, eventless transitions and raised events are evaluated where they were, and what does not come to the same is taken out, too. It is a pure
 * reading: nothing is called, nothing is undone, and the run does not move.
 */
import { contextKey } from '../../history/context.ts';
import type { PlacedStep } from '../../history/step-lists.ts';
import { type Key, overlaps } from '../../model/key.ts';
import { eventType } from '../../model/reply-event.ts';
import { isSeenTheSame } from '../../projection/meets.ts';
import type { RunState } from '../../projection/run-state.ts';
import { isEqual } from '../../projection/set-aside/records.ts';
import type { RecordedStep } from '../../projection/state-types.ts';
import type { Paper } from '../../recovery/cut.ts';
import type { Effort } from '../../recovery/effort.ts';
import type { Pieces } from '../../recovery/pieces.ts';
import type { Machines } from '../../runtime/runtime.ts';
import { planBefore, planWithout } from '../plan/restore-plan.ts';
import { isLookEvaluated, isReadEvaluated } from './evaluated.ts';
import { PaperMachine } from './paper-machine.ts';
import { isPlaced, isRestart, type Passage, place, RESTART, UnchangedPast, Walk } from './past.ts';

/** The past of a run from a step on, as the machine takes it on paper without any change. */
interface Unchanged {
  readonly from: RecordedStep;
  readonly passages: readonly Passage[];
}

/** The outcome of a passage. */
interface Taken {
  readonly missing: readonly PlacedStep[];
  /** True where the machine takes steps that the cut does not keep. */
  readonly isMore: boolean;
}

/** The keys that the sender of an event from outside has seen, by the step that took it; null where none are named: then it has seen everything (PA6). */
type ReadsOf = (step: RecordedStep) => readonly Key[] | null;

/** The past of a run on paper, as a decision asks about it. */
export function paperFor(runState: RunState, machines: Machines, readsOf: ReadsOf): Paper {
  const onPaper = new OnPaper(runState, machines, readsOf);
  return {
    reads: (read) => isReadEvaluated(runState.places, read),
    looks: isLookEvaluated,
    judge: (undone, effort) => onPaper.judge(undone, effort),
  };
}

/** The past of a run on paper, for the cuts of one decision. The run must not go on meanwhile. */
class OnPaper {
  readonly #runState: RunState;
  readonly #machine: PaperMachine;
  readonly #readsOf: ReadsOf;
  #unchanged: Unchanged | null = null;
  /** The past was not the same on paper, from this step on or from one before it. */
  #unlikeFrom = -1;

  constructor(runState: RunState, machines: Machines, readsOf: ReadsOf) {
    this.#runState = runState;
    this.#readsOf = readsOf;
    this.#machine = new PaperMachine(machines);
  }

  /** Judges what a cut keeps behind the first step that it takes out. */
  *judge(undone: ReadonlySet<PlacedStep>, effort: Effort): Pieces<readonly PlacedStep[] | null> {
    const first = Math.min(...[...undone].map(({ nth }) => nth));
    const behind = this.#runState.places.between(first - 1, Number.POSITIVE_INFINITY);
    if (behind.length === undone.size || undone.size === 0) return [];
    try {
      const unchanged = yield* this.#from(first, effort);
      if (unchanged === null) return null;
      return yield* this.#changed(unchanged, undone, effort);
    } finally {
      this.#machine.stop();
    }
  }

  /** The unchanged past from an input at or before a step; null where the machine does not come to it. */
  *#from(first: number, effort: Effort): Pieces<Unchanged | null> {
    const known = this.#unchanged;
    if (known !== null && known.from.nth <= first) return known;
    if (first <= this.#unlikeFrom) return null;
    const from = this.#inputBefore(first);
    const passages = from === undefined ? null : yield* this.#passages(from, effort);
    if (from === undefined || passages === null) {
      this.#unlikeFrom = first;
      return null;
    }
    this.#unchanged = { from, passages };
    return this.#unchanged;
  }

  /** The last step at or before a number that is an input of the machine for sure, and no step that followed of itself. */
  #inputBefore(first: number): RecordedStep | undefined {
    const { steps } = this.#runState.places;
    for (const step of steps.backwards(steps.countUpTo(first, 'nth'))) if (this.#isInput(step)) return step;
    return undefined;
  }

  #isInput(step: RecordedStep): boolean {
    const { entry, nth, actor, isOutside } = step;
    if (entry === null || nth === 0) return nth === 0;
    const type = eventType(entry.event);
    if (isOutside) return true;
    if (isPlaced(step) || type === RESTART || type === 'xstate.init' || (entry.ties?.length ?? 0) > 0) return false;
    const [before] = this.#runState.places.before(nth, actor);
    return before !== undefined && before.entry !== null && eventType(before.entry.event) !== type;
  }

  #begin(from: RecordedStep): boolean {
    try {
      if (from.nth === 0) this.#machine.begin((from.entry?.event as { readonly input?: unknown } | undefined)?.input);
      else this.#machine.putAt(planBefore(this.#runState, from));
      return true;
    } catch {
      // Today's machine has no such place, or its first step throws.
      return false;
    }
  }

  /** The passages of the unchanged past from an input on; null where the machine does not come to it, as where it asks a clock. */
  *#passages(from: RecordedStep, effort: Effort): Pieces<readonly Passage[] | null> {
    if (!this.#begin(from)) return null;
    if (from.nth !== 0) this.#machine.forget();
    const unchanged = new UnchangedPast(this.#machine);
    for (const step of this.#runState.places.between(from.nth - 1, Number.POSITIVE_INFINITY)) {
      if (isRestart(step)) continue;
      if (!unchanged.takes(step)) return null;
      effort.visited += 1;
      if (effort.endsPiece) yield;
    }
    return unchanged.isOver ? unchanged.passages : null;
  }

  /** The steps that a changed past loses, beyond those that are undone. */
  *#changed(
    { from, passages }: Unchanged,
    undone: ReadonlySet<PlacedStep>,
    effort: Effort,
  ): Pieces<PlacedStep[] | null> {
    const machine = this.#machine;
    const writes = new UndoneWrites(undone as ReadonlySet<RecordedStep>);
    const lost: PlacedStep[] = [];
    /** The inputs behind which the machine takes steps that the cut does not keep. */
    const more: RecordedStep[] = [];
    this.#begin(from);
    if (from.nth !== 0) machine.forget();
    for (const passage of passages) {
      const { missing, isMore } = this.#taken(passage, undone, writes);
      if (isMore) more.push(passage.first);
      lost.push(...missing);
      // What is lost with its input is all of it; behind anything else that is, the machine stands elsewhere.
      if (missing.length > 0 && !undone.has(passage.first)) break;
      effort.visited += passage.steps.length;
      if (effort.endsPiece) yield;
    }
    // A step that the cut does not keep is taken again where the run stands: that may come to something else than in its place.
    const last = more.at(-1);
    if (lost.length === 0 && last !== undefined && !this.#endsThere(undone)) lost.push(last);
    // The first step of a run always stands (C1a): where it would have to go, the cut decides alone.
    return lost.some(({ nth }) => nth === 0) ? null : lost;
  }

  /** True where the sender of an input from outside had seen what there is on paper (PA5): what is taken back was other, whatever stands in its place. */
  #isSeenTheSame({ first, seen }: Passage, writes: UndoneWrites): boolean {
    const now = seen === null ? null : this.#machine.now(first.actor);
    if (seen === null || now === null) return seen === null;
    const reads = this.#readsOf(first);
    if (writes.isAnyBefore(first, reads)) return false;
    return isSeenTheSame(reads, { ...seen, control: seen.value }, { ...now, control: now.value });
  }

  /** The outcome of a passage: the kept steps that are not taken any more, and whether others are. */
  #taken(passage: Passage, undone: ReadonlySet<PlacedStep>, writes: UndoneWrites): Taken {
    const machine = this.#machine;
    const { is, first, steps } = passage;
    const kept = steps.filter((step) => !undone.has(step));
    if (undone.has(first)) return { missing: kept, isMore: false };
    if (is === 'placed') return { missing: place(machine, first) ? [] : [first], isMore: false };
    if (first.nth !== 0) machine.forget();
    const isReceived = () => this.#isSeenTheSame(passage, writes) && machine.receives(first.actor, first.entry?.event);
    if (first.nth !== 0 && !isReceived()) return { missing: [first], isMore: false };
    const walk = new Walk(machine);
    const missing = steps.filter((step) => !walk.takes(step, undone) && !undone.has(step));
    return { missing, isMore: machine.isAhead || !walk.isOver || walk.hasTakenUndone };
  }

  /** True where the cut, and what the machine does of itself from there on, comes to where the past on paper ends. */
  #endsThere(undone: ReadonlySet<PlacedStep>): boolean {
    const machine = this.#machine;
    const onPaper = machine.whole;
    try {
      machine.putAt(planWithout(this.#runState, undone));
      return machine.settles() && isEqual(onPaper, machine.whole);
    } catch {
      return false;
    }
  }
}

/** The first write of undone steps to each key of a context. */
class UndoneWrites {
  readonly #first = new Map<string, { readonly actor: number; readonly key: Key; readonly nth: number }>();

  constructor(undone: ReadonlySet<RecordedStep>) {
    for (const { actor, nth, edits } of undone)
      for (const { path } of edits) {
        const key = contextKey(path);
        const name = `${actor} ${key.text}`;
        if ((this.#first.get(name)?.nth ?? Number.POSITIVE_INFINITY) > nth) this.#first.set(name, { actor, key, nth });
      }
  }

  /** True where one lies before a step of the same actor, and overlaps what was read; null: everything was. */
  isAnyBefore({ actor, nth }: RecordedStep, reads: readonly Key[] | null): boolean {
    const written = [...this.#first.values()].filter((write) => write.actor === actor && write.nth < nth);
    return written.some(({ key }) => reads === null || reads.some((read) => overlaps(read, key)));
  }
}
