/**
 * The past of a run on paper (semantics.md PA1): the machine goes again through the events that a cut keeps, in their
 * place, from the first step that the cut takes out. Guards, assigns, eventless transitions and raised events are
 * evaluated at their place in the past; a step that turns out differently is taken out, too. Only reads: nothing is
 * called, nothing is undone, and the run does not move.
 */
import { contextKey, fold } from '../../history/context.ts';
import type { Pieces } from '../../history/pieces.ts';
import type { PlacedStep } from '../../history/step-lists.ts';
import { type Key, overlaps } from '../../model/key.ts';
import { endedChild, eventType, INIT } from '../../model/reply-event.ts';
import { RESTART } from '../../model/step-entry.ts';
import { changeOf } from '../../projection/edits.ts';
import { isSeenTheSame } from '../../projection/meets.ts';
import { contextWithoutSteps } from '../../projection/rollback.ts';
import type { RunState } from '../../projection/run-state.ts';
import { isEqual } from '../../projection/set-aside/records.ts';
import type { RecordedStep } from '../../projection/state-types.ts';
import type { ChangedPaper, Paper } from '../../recovery/cut.ts';
import type { Effort } from '../../recovery/effort.ts';
import type { Machines } from '../../runtime/runtime.ts';
import type { Change } from '../parts.ts';
import { planBefore, planWithout } from '../plan/restore-plan.ts';
import { isLookEvaluated, isReadEvaluated } from './evaluated.ts';
import { PaperMachine } from './paper-machine.ts';
import { isPlaced, isRestart, type Passage, place, UnchangedPast, Walk } from './past.ts';

/** The past of a run from a step on, as the machine takes it on paper without any change. */
interface Unchanged {
  readonly from: RecordedStep;
  readonly passages: readonly Passage[];
  /** The inputs of the actors that it starts, by their numbers. */
  readonly inputs: ReadonlyMap<number, unknown>;
}

/** The outcome of a passage. */
interface Taken {
  readonly missing: readonly PlacedStep[];
  /** True where the machine takes steps that the cut does not keep. */
  readonly isMore: boolean;
}

/** The keys that the sender of an event from outside has seen, by the step that took it; null where none are named: then it has seen everything (PA6). */
export type ReadsOf = (step: RecordedStep) => readonly Key[] | null;

/** The past of a run on paper, as a decision asks about it. */
export function paperFor(runState: RunState, machines: Machines, readsOf: ReadsOf): Paper {
  return paperOver(runState, new OnPaper(runState, machines, readsOf, null));
}

function paperOver(runState: RunState, onPaper: OnPaper): Paper {
  return {
    reads: (read) => isReadEvaluated(runState.places, read),
    looks: isLookEvaluated,
    judge: (undone, effort) => onPaper.judge(undone, effort),
  };
}

/** The past of a run on paper with a changed event in its place (ST3). Where there is no such past on paper, nothing behind the event stands. */
export function paperWith(runState: RunState, machines: Machines, readsOf: ReadsOf, change: Change): ChangedPaper {
  const onPaper = new OnPaper(runState, machines, readsOf, change);
  const { places } = runState;
  return {
    ...paperOver(runState, onPaper),
    *judge(undone, effort) {
      const lost = yield* onPaper.judge(undone, effort);
      if (lost !== null) return lost;
      // The first step of a run always stands (C1a), with what its input says now.
      const first = change.step.nth === 0 ? 1 : Math.min(...[...undone].map(({ nth }) => nth));
      return places.between(first - 1, Number.POSITIVE_INFINITY).filter((step) => !undone.has(step));
    },
    met: (effort) => onPaper.met(change, effort),
  };
}

/** The past of a run on paper, for the cuts of one decision. The run must not go on meanwhile. */
class OnPaper {
  readonly #runState: RunState;
  readonly #machine: PaperMachine;
  readonly #readsOf: ReadsOf;
  readonly #change: Change | null;
  #unchanged: Unchanged | null = null;
  /** The context of the machine behind its first step, as it was begun last. */
  #begunAt: unknown;
  /**
   * The last step from which the paper differed from the past; it differs from every earlier step, too. -1 for none.
   */
  #unlikeFrom = -1;

  constructor(runState: RunState, machines: Machines, readsOf: ReadsOf, change: Change | null) {
    this.#runState = runState;
    this.#readsOf = readsOf;
    this.#change = change;
    this.#machine = new PaperMachine(machines);
  }

  /** Judges what a cut keeps behind the first step that it takes out. */
  *judge(undone: ReadonlySet<PlacedStep>, effort: Effort): Pieces<readonly PlacedStep[] | null> {
    const first = this.#isBegunAnew ? 0 : Math.min(...[...undone].map(({ nth }) => nth));
    const behind = this.#runState.places.between(first - 1, Number.POSITIVE_INFINITY);
    if (behind.length === undone.size || (undone.size === 0 && !this.#isBegunAnew)) return [];
    // An event that is received anew before its place comes is none of this past.
    const changed = this.#change !== null && this.#change.step.nth === first ? this.#change : null;
    try {
      const unchanged = yield* this.#from(first, effort);
      if (unchanged === null) return null;
      return yield* this.#changed(unchanged, undone, changed, effort);
    } finally {
      this.#machine.stop();
    }
  }

  /** True where the change is another input of the run: its first step stands, and comes to something else. */
  get #isBegunAnew(): boolean {
    return this.#change?.step.nth === 0;
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
    this.#unchanged = { from, passages, inputs: new Map(this.#machine.inputs) };
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
    if (isPlaced(step) || type === RESTART || type === INIT || (entry.ties?.length ?? 0) > 0) return false;
    const [before] = this.#runState.places.before(nth, actor);
    return before !== undefined && before.entry !== null && eventType(before.entry.event) !== type;
  }

  #begin(from: RecordedStep, event: unknown = from.entry?.event): boolean {
    try {
      if (from.nth === 0) this.#machine.begin((event as { readonly input?: unknown } | undefined)?.input);
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
    changed: Change | null,
    effort: Effort,
  ): Pieces<PlacedStep[] | null> {
    const machine = this.#machine;
    const writes = new UndoneWrites(undone as ReadonlySet<RecordedStep>);
    const lost: PlacedStep[] = [];
    /** The inputs behind which the machine takes steps that the cut does not keep. */
    const more: RecordedStep[] = [];
    this.#begin(from, changed?.step === from ? changed.event : from.entry?.event);
    if (from.nth !== 0) machine.forget();
    else this.#begunAt = machine.ahead(0)[0]?.context;
    for (const passage of passages) {
      const { missing, isMore } = this.#takenIn(passage, undone, changed, writes);
      if (isMore) more.push(passage.first);
      lost.push(...missing);
      // A passage that is lost together with its input is lost whole; after any other loss, the machine is in another
      // state.
      if (missing.length > 0 && !undone.has(passage.first)) break;
      effort.visited += passage.steps.length;
      if (effort.endsPiece) yield;
    }
    // A step that the cut does not keep is taken again where the run stands: that may come to something else than in its place.
    const last = more.at(-1);
    if (lost.length === 0 && last !== undefined && !this.#endsThere(undone, changed)) {
      const input = more.findLast((step) => step.nth > 0 && !undone.has(step));
      // The place of a changed event is the head where no such input is left.
      if (input !== undefined) lost.push(input);
      else lost.push(...(changed === null ? [last] : keptIn(passages, undone).filter(({ nth }) => nth > 0)));
    }
    // The first step of a run always stands (C1a): where it would have to go, the cut decides alone.
    return lost.some(({ nth }) => nth === 0) ? null : lost;
  }

  #takenIn(passage: Passage, undone: ReadonlySet<PlacedStep>, changed: Change | null, writes: UndoneWrites): Taken {
    if (changed === null || passage.first !== changed.step) return this.#taken(passage, undone, writes);
    return changed.step.nth === 0 ? this.#begunAnew(passage, undone) : this.#takenAnew(passage, undone, changed);
  }

  /**
   * Judges the beginning of a run with another input: the first step stands if it goes the same way, whatever it
   * writes.
   */
  #begunAnew({ first, steps }: Passage, undone: ReadonlySet<PlacedStep>): Taken {
    const machine = this.#machine;
    const beginning = new Walk(machine);
    beginning.takes(first);
    if (!beginning.hasTakenLast || beginning.isWithin(first.actor)) return { missing: [first], isMore: false };
    const walk = new Walk(machine);
    const missing = steps.filter((step) => step !== first && !walk.takes(step, undone) && !undone.has(step));
    return { missing, isMore: machine.isAhead || !walk.isOver || walk.hasTakenUndone };
  }

  /**
   * True if the sender of an input from outside had seen the same values as are there on paper (PA5): undone writes
   * count as other values, whatever was written in their place.
   */
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

  /** The outcome of the passage whose event is another one: it is received in its place. */
  #takenAnew({ steps }: Passage, undone: ReadonlySet<PlacedStep>, { step, event }: Change): Taken {
    const machine = this.#machine;
    machine.forget();
    if (event !== null) machine.receives(step.actor, event);
    machine.forget();
    return { missing: steps.filter((one) => !undone.has(one)), isMore: event !== null };
  }

  /**
   * True where the cut, and what the machine does of itself from there on, comes to where the past on paper ends. A changed event is received there
   * before anything else is.
   */
  #endsThere(undone: ReadonlySet<PlacedStep>, changed: Change | null): boolean {
    const machine = this.#machine;
    const onPaper = machine.whole;
    try {
      const begunAnew = this.#isBegunAnew ? this.#contextsBegunAnew(undone) : null;
      machine.putAt(planWithout(this.#runState, undone, begunAnew));
      const stands = machine.whole;
      if (!machine.settles()) return false;
      const comesFirst = () =>
        changed === null ||
        begunAnew !== null ||
        (isEqual(stands, machine.whole) && machine.receives(changed.step.actor, changed.event));
      if (!comesFirst()) return false;
      return isEqual(onPaper, machine.whole);
    } catch {
      return false;
    }
  }

  /** The contexts of the past without some steps, where its first step is another one. */
  #contextsBegunAnew(undone: ReadonlySet<PlacedStep>): (actor: number) => unknown {
    const { places } = this.#runState;
    return (actor) => {
      if (actor !== 0)
        return undone.size === 0 ? this.#runState.actor(actor).context : contextWithoutSteps(places, actor, undone);
      const kept = places.steps.all.filter((step) => step.actor === 0 && step.nth > 0 && !undone.has(step));
      return fold(
        this.#begunAt,
        kept.flatMap(({ edits }) => edits.map(changeOf)),
      );
    };
  }

  /** The actors behind a change that begin again there and are given the same. */
  *met(change: Change, effort: Effort): Pieces<ReadonlySet<number>> {
    const met = new Set<number>();
    const machine = this.#machine;
    try {
      const unchanged = yield* this.#from(change.step.nth, effort);
      const isBegin = unchanged !== null && unchanged.from === change.step;
      if (unchanged === null || !this.#begin(unchanged.from, isBegin ? change.event : unchanged.from.entry?.event))
        return met;
      // What the first step writes is told by the values alone.
      const writes = new UndoneWrites(new Set(this.#isBegunAnew ? [] : [change.step]));
      for (const passage of unchanged.passages) {
        // What was taken over since is part of another order of things.
        if (passage.is === 'placed') break;
        if (passage.first.nth !== 0) machine.forget();
        if (this.#isMet(passage, change, met, writes)) this.#meet(passage, unchanged.inputs, met);
        effort.visited += passage.steps.length;
        if (effort.endsPiece) yield;
      }
      return met;
    } finally {
      machine.stop();
    }
  }

  /** True where an input is received again: the change itself, or what meets the same. */
  #isMet(passage: Passage, { step, event }: Change, met: ReadonlySet<number>, writes: UndoneWrites): boolean {
    const { first } = passage;
    if (first.nth === 0) return true;
    if (first === step) return event !== null && this.#machine.receives(step.actor, event);
    const asked = this.#answeringIn(first);
    if (asked !== null && first.nth > step.nth && this.#isStartedBehind(asked, step) && !met.has(asked)) return false;
    return this.#isSeenTheSame(passage, writes) && this.#machine.receives(first.actor, first.entry?.event);
  }

  /** The number of the actor whose answer a step took; null where it took none. */
  #answeringIn({ entry }: RecordedStep): number | null {
    const id = endedChild(entry?.event === undefined ? undefined : eventType(entry.event));
    return entry?.ended.find((number) => this.#runState.actor(number).started?.id === id) ?? null;
  }

  #isStartedBehind(number: number, { nth }: PlacedStep): boolean {
    const { by } = this.#runState.actor(number);
    return by !== null && by.nth >= nth;
  }

  /** Notes the actors that an input has begin again, as far as the machine takes the steps of its passage. */
  #meet({ steps }: Passage, inputs: ReadonlyMap<number, unknown>, met: Set<number>): void {
    const walk = new Walk(this.#machine);
    for (const step of steps) {
      // A step that writes something else goes the same way.
      if (!walk.takes(step) && !walk.hasTakenLast) return;
      for (let index = 0; index < (step.entry?.started.length ?? 0); index += 1) {
        const number = step.firstStarted + index;
        if (isEqual(this.#machine.inputs.get(number), inputs.get(number))) met.add(number);
      }
    }
  }
}

/** The steps of passages that are not undone. */
function keptIn(passages: readonly Passage[], undone: ReadonlySet<PlacedStep>): PlacedStep[] {
  return passages.flatMap(({ steps }) => steps.filter((step) => !undone.has(step)));
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
