/** The timers of a run: delayed events, by the steps that armed them and by which they were gone. */

import type { PlacedStep, Places } from '../history/places.ts';
import type { Entry } from '../model/entry.ts';
import { type Region, regionName } from '../model/region.ts';
import { isDelay } from '../model/reply-event.ts';
import type { StepEntry } from '../model/step-entry.ts';
import type { RecordedStep, Timer } from './state-types.ts';

/** The timers of one run. */
export class Timers {
  all: Timer[] = [];
  /** Those that are armed, by their actors and ids. */
  readonly #armed = new Map<number, Map<string, readonly Timer[]>>();
  readonly #places: Places<RecordedStep>;

  constructor(places: Places<RecordedStep>) {
    this.#places = places;
  }

  /** Arms a timer, or takes one back. `now` is the wall clock of the entry, in milliseconds. */
  take({ actor, id, region, event, delay, due }: Extract<Entry, { do: 'timer' }>, now: number): void {
    const step = this.#moverOf(actor, regionName(actor, region));
    for (const timer of this.#taken(actor, id)) timer.gone = this.#moverOf(actor, timer.region);
    if (delay === null) return;
    const timer: Timer = {
      actor,
      id,
      region: regionName(actor, region),
      event,
      // A journal of an earlier version says when it was armed by the time of its row.
      due: due ?? now + delay,
      delay,
      armed: step,
      gone: null,
    };
    this.all.push(timer);
    this.#arm(timer);
  }

  #arm(timer: Timer): void {
    const ids = this.#armed.get(timer.actor) ?? new Map<string, readonly Timer[]>();
    this.#armed.set(timer.actor, ids);
    ids.set(timer.id, [...(ids.get(timer.id) ?? []), timer]);
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
    for (const timer of this.#taken(actor, type as string)) timer.gone = step;
  }

  /** Notes that an actor ended, and its timers with it. */
  ended(actor: number, step: RecordedStep): void {
    for (const timers of this.#armed.get(actor)?.values() ?? []) for (const timer of timers) timer.gone = step;
    this.#armed.delete(actor);
  }

  /** Forgets the timers whose steps were undone, and arms those again that undone steps had taken back. */
  rollBack(undone: ReadonlySet<PlacedStep>): void {
    this.all = this.all.filter(({ armed }) => !armed.gone);
    for (const timer of this.all) if (timer.gone !== null && undone.has(timer.gone)) timer.gone = null;
    this.#armed.clear();
    for (const timer of this.all) if (timer.gone === null) this.#arm(timer);
  }

  /** Has timers be gone, unless they are already. */
  giveUp(timers: Iterable<Timer>, step: PlacedStep): void {
    for (const timer of timers) {
      timer.gone ??= step;
      const left = (this.#armed.get(timer.actor)?.get(timer.id) ?? []).filter((other) => other.gone === null);
      if (left.length > 0) this.#armed.get(timer.actor)?.set(timer.id, left);
      else this.#armed.get(timer.actor)?.delete(timer.id);
    }
  }

  /** The step that last moved a region: the one that armed its timers, or took them back. */
  #moverOf(actor: number, region: Region): PlacedStep {
    const own = this.#places.lastMover(region, (step) => step.actor === actor);
    const { steps } = this.#places;
    return own ?? steps.findLast((step) => step.actor === actor) ?? (steps[0] as RecordedStep);
  }
}
