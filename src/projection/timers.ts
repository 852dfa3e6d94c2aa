/**
 * The timers of a run: delayed events, with the steps that armed them and the steps at which they fired or were
 * cancelled.
 */

import type { Places } from '../history/places.ts';
import { withOne } from '../history/sorted-steps.ts';
import type { PlacedStep } from '../history/step-lists.ts';
import type { Entry } from '../model/entry.ts';
import { type Region, regionName } from '../model/region.ts';
import { isDelay } from '../model/reply-event.ts';
import type { StepEntry } from '../model/step-entry.ts';
import type { RecordedStep, Timer } from './state-types.ts';

/** The timers of one run. What steps and restores ask of them is found by step, actor and id, however many there were. */
export class Timers {
  #next = 0;
  /** Those that are armed, by their actors and ids. */
  readonly #armed = new Map<number, Map<string, readonly Timer[]>>();
  /** All of them, in their order, by their actors and ids. */
  readonly #named = new Map<number, Map<string, Timer[]>>();
  readonly #armedBy = new Map<PlacedStep, Timer[]>();
  readonly #goneBy = new Map<PlacedStep, Timer[]>();
  readonly #places: Places<RecordedStep>;

  constructor(places: Places<RecordedStep>) {
    this.#places = places;
  }

  /** The parts that a base holds. */
  get parts() {
    return { next: this.#next, armed: this.#armed, named: this.#named, armedBy: this.#armedBy, goneBy: this.#goneBy };
  }

  /** Goes on with a number, where the timers before it are known. */
  resumeAt(next: number): void {
    this.#next = next;
  }

  /** The armed timers of an actor, or of all, in their order. */
  armed(actor?: number): Timer[] {
    const of = actor === undefined ? [...this.#armed.values()] : [this.#armed.get(actor) ?? new Map<string, Timer[]>()];
    return inOrder(of.flatMap((ids) => [...ids.values()].flat()));
  }

  /** True where an actor has an armed timer of an id. */
  isArmed(actor: number, id: string): boolean {
    return this.#armed.get(actor)?.has(id) === true;
  }

  /** The armed timer of an actor and an id; undefined where there is none. */
  armedNow(actor: number, id: string): Timer | undefined {
    return this.#armed.get(actor)?.get(id)?.at(-1);
  }

  /** The timers of an actor and an id, armed or gone, in their order. */
  named(actor: number, id: string): readonly Timer[] {
    return this.#named.get(actor)?.get(id) ?? [];
  }

  /** The ids of the timers that an actor ever had. */
  idsOf(actor: number): Iterable<string> {
    return this.#named.get(actor)?.keys() ?? [];
  }

  /** The timers that a step armed, in their order. */
  armedBy(step: PlacedStep): readonly Timer[] {
    return this.#armedBy.get(step) ?? [];
  }

  /** The timers of an actor that are armed, and those that steps have taken back which are undone, in their order. */
  besides(actor: number, undone: Iterable<PlacedStep>): Timer[] {
    const back = [...undone].flatMap((step) => this.#goneBy.get(step) ?? []);
    return inOrder([...this.armed(actor), ...back.filter((timer) => timer.actor === actor)]);
  }

  /** Arms a timer, or takes one back. */
  take(entry: Extract<Entry, { do: 'timer' }>): void {
    const { actor, id, region, event, delay, due, back, to } = entry;
    const step = this.#armerOf(actor, back) ?? this.#moverOf(actor, regionName(actor, region));
    for (const timer of this.#taken(actor, id)) {
      if (entry.heard === true) this.#heardBy(timer, this.#places.steps.last as RecordedStep);
      else if (!isByAction(timer)) this.#end(timer, this.#moverOf(actor, timer.region));
      // Scheduled again for the same step, as by another process, it is one event.
      else if (delay !== null && timer.armed === step) this.#drop(timer);
      else this.#end(timer, delay === null ? (this.#armerOf(actor, 1) ?? step) : step);
    }
    if (delay === null || due === undefined) return;
    const timer: Timer = {
      nth: this.#next,
      actor,
      id,
      region: regionName(actor, region),
      event,
      due,
      delay,
      to: to ?? null,
      armed: step,
      gone: null,
    };
    this.#next += 1;
    const names = this.#named.get(actor) ?? new Map<string, Timer[]>();
    this.#named.set(actor, names);
    add(names, id, timer);
    add(this.#armedBy, step, timer);
    this.#arm(timer);
  }

  #arm(timer: Timer): void {
    const ids = this.#armed.get(timer.actor) ?? new Map<string, readonly Timer[]>();
    this.#armed.set(timer.actor, ids);
    ids.set(timer.id, [...(ids.get(timer.id) ?? []), timer]);
    if (isByAction(timer)) timer.armed.owes += 1;
  }

  /** A step has heard a delayed event of no state: it depends on the one that scheduled it, like one that hears a raised event (C1a). */
  #heardBy(timer: Timer, step: RecordedStep): void {
    this.#end(timer, step);
    if (timer.armed !== step && !step.ties.includes(timer.armed)) timer.armed.leads = withOne(timer.armed.leads, step);
  }

  #end(timer: Timer, step: PlacedStep): void {
    if (timer.gone === null && isByAction(timer)) timer.armed.owes -= 1;
    timer.gone = step;
    add(this.#goneBy, step, timer);
  }

  /** The armed timers of an actor and an id, which are armed no more. */
  #taken(actor: number, id: string): readonly Timer[] {
    const ids = this.#armed.get(actor);
    const timers = ids?.get(id) ?? [];
    ids?.delete(id);
    return timers;
  }

  /** Notes that a delayed event was heard. */
  heard({ actor, event }: StepEntry, step: RecordedStep): void {
    const { type } = event as { type?: unknown };
    if (!isDelay(type)) return;
    for (const timer of this.#taken(actor, type as string)) this.#end(timer, step);
  }

  /** Notes that an actor ended, and its timers with it. */
  ended(actor: number, step: RecordedStep): void {
    for (const timer of this.armed(actor)) this.#end(timer, step);
    this.#armed.delete(actor);
  }

  /** Forgets the timers whose steps were undone, and arms those again that undone steps had taken back. Costs those. */
  rollBack(undone: ReadonlySet<PlacedStep>): void {
    const back = [...undone].flatMap((step) => this.#goneBy.get(step) ?? []);
    for (const step of undone) this.#goneBy.delete(step);
    const forgotten = [...undone].flatMap((step) => this.#armedBy.get(step) ?? []);
    for (const step of undone) this.#armedBy.delete(step);
    for (const timer of inOrder(forgotten).reverse()) this.#forget(timer);
    for (const timer of inOrder(back)) {
      if (undone.has(timer.armed)) continue;
      timer.gone = null;
      this.#arm(timer);
    }
  }

  #forget(timer: Timer): void {
    const { actor, id, gone } = timer;
    const named = this.#named.get(actor)?.get(id) as Timer[];
    named.splice(named.lastIndexOf(timer), 1);
    if (gone === null) {
      this.#disarm(timer);
      if (isByAction(timer)) timer.armed.owes -= 1;
    }
    const others = gone === null ? undefined : this.#goneBy.get(gone);
    if (others !== undefined) others.splice(others.lastIndexOf(timer), 1);
  }

  #drop(timer: Timer): void {
    this.#forget(timer);
    const others = this.#armedBy.get(timer.armed) ?? [];
    others.splice(others.indexOf(timer), 1);
  }

  #disarm({ actor, id, nth }: Timer): void {
    const ids = this.#armed.get(actor);
    const left = (ids?.get(id) ?? []).filter((other) => other.nth !== nth);
    if (left.length > 0) ids?.set(id, left);
    else ids?.delete(id);
  }

  /** Has timers be gone, unless they are already. */
  giveUp(timers: Iterable<Timer>, step: PlacedStep): void {
    for (const timer of timers) {
      if (timer.gone !== null) continue;
      this.#disarm(timer);
      this.#end(timer, step);
    }
  }

  /** The step of an actor that is so many of its steps ago. */
  #armerOf(actor: number, back: number | undefined): PlacedStep | undefined {
    let left = back ?? 0;
    if (left < 1) return undefined;
    for (const step of this.#places.before(this.#places.next, actor)) {
      left -= 1;
      if (left === 0) return step;
    }
    return undefined;
  }

  /** The step that last moved a region: the one that armed its timers, or took them back. */
  #moverOf(actor: number, region: Region): PlacedStep {
    const own = this.#places.lastMover(region, (step) => step.actor === actor);
    const [last] = own === undefined ? this.#places.before(this.#places.next, actor) : [own];
    return last ?? (this.#places.first as RecordedStep);
  }
}

/** True for a delayed event that an action scheduled, and no state. */
function isByAction({ event }: Timer): boolean {
  return !isDelay((event as { type?: unknown }).type);
}

function inOrder(timers: Timer[]): Timer[] {
  return timers.sort((a, b) => a.nth - b.nth);
}

function add<K>(to: Map<K, Timer[]>, key: K, timer: Timer): void {
  const list = to.get(key);
  if (list === undefined) to.set(key, [timer]);
  else list.push(timer);
}
