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
  readonly #places: Places<RecordedStep>;

  constructor(places: Places<RecordedStep>) {
    this.#places = places;
  }

  /** Arms a timer, or takes one back. `now` is the wall clock of the entry, in milliseconds. */
  take({ actor, id, region, event, delay, due }: Extract<Entry, { do: 'timer' }>, now: number): void {
    const step = this.#moverOf(actor, regionName(actor, region));
    for (const timer of this.all)
      if (timer.actor === actor && timer.id === id) timer.gone ??= this.#moverOf(actor, timer.region);
    if (delay === null) return;
    this.all.push({
      actor,
      id,
      region: regionName(actor, region),
      event,
      // A journal of an earlier version says when it was armed by the time of its row.
      due: due ?? now + delay,
      delay,
      armed: step,
      gone: null,
    });
  }

  /** Notes that a delayed event was heard. */
  heard({ actor, event }: StepEntry, step: RecordedStep): void {
    const { type } = event as { type?: unknown };
    if (!isDelay(type)) return;
    for (const timer of this.all) if (timer.actor === actor && timer.id === type) timer.gone ??= step;
  }

  /** Notes that an actor ended, and its timers with it. */
  ended(actor: number, step: RecordedStep): void {
    for (const timer of this.all) if (timer.actor === actor) timer.gone ??= step;
  }

  /** Forgets the timers whose steps were undone, and arms those again that undone steps had taken back. */
  rollBack(undone: ReadonlySet<PlacedStep>): void {
    this.all = this.all.filter(({ armed }) => !armed.gone);
    for (const timer of this.all) if (timer.gone !== null && undone.has(timer.gone)) timer.gone = null;
  }

  /** The step that last moved a region: the one that armed its timers, or took them back. */
  #moverOf(actor: number, region: Region): PlacedStep {
    const own = this.#places.lastMover(region, (step) => step.actor === actor);
    const { steps } = this.#places;
    return own ?? steps.findLast((step) => step.actor === actor) ?? (steps[0] as RecordedStep);
  }
}
