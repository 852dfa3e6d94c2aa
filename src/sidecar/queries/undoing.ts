/**
 * The steps that a restore would take out, followed from cut to cut of one decision. An older candidate's cut undoes a
 * superset of a newer one's, so only the difference is visited: all cuts together cost as much as the oldest. A cut
 * that undoes less begins anew.
 */
import type { Places } from '../../history/places.ts';
import type { PlacedStep } from '../../history/step-lists.ts';
import { instanceName } from '../../model/instance.ts';
import type { Region } from '../../model/region.ts';
import type { Kept } from '../../projection/rollback.ts';
import type { RecordedStep } from '../../projection/state-types.ts';

/** The steps beyond the cuts of one decision. The run must not go on between two of them. */
export class Undoing {
  readonly steps: ReadonlySet<PlacedStep>;
  readonly #places: Places<RecordedStep>;
  readonly #steps = new Set<PlacedStep>();
  readonly #closed = new Set<string>();
  /** The last mover of a region that was found; null for none. */
  readonly #movers = new Map<Region, RecordedStep | null>();
  #limits: ReadonlyMap<string, number> = new Map();

  constructor(places: Places<RecordedStep>) {
    this.#places = places;
    this.steps = this.#steps;
  }

  /** Goes on to the cut that keeps these positions. */
  to(kept: readonly Kept[]): void {
    const limits = new Map<string, number>();
    for (const [id, at] of kept) {
      const name = instanceName(id);
      limits.set(name, Math.min(at, limits.get(name) ?? at));
    }
    if (!isBelow(limits, this.#limits)) this.#begin();
    for (const [name, at] of limits) {
      const before = this.#limits.get(name) ?? Number.POSITIVE_INFINITY;
      for (const step of at < before ? this.#places.stepsOf(name, at, before) : []) {
        this.#steps.add(step);
        for (const closed of step.closes) this.#closed.add(closed);
      }
    }
    this.#limits = limits;
  }

  /** The names of the instances that undone steps have closed, but for those that are seen to be undone wholly. */
  closed(): string[] {
    for (const name of this.#closed) {
      const place = this.#places.of(name);
      if (place === undefined || this.#steps.has(place.entered)) this.#closed.delete(name);
    }
    return [...this.#closed];
  }

  /** The last step of an actor that wrote the control of a region of it and is not undone. */
  lastMover(region: Region, actor: number): RecordedStep | undefined {
    const known = this.#movers.get(region);
    if (known === null) return undefined;
    const stands = (step: RecordedStep) => step.actor === actor && !this.#steps.has(step);
    const found = this.#places.lastMover(region, stands, known?.nth);
    this.#movers.set(region, found ?? null);
    return found;
  }

  #begin(): void {
    this.#steps.clear();
    this.#closed.clear();
    this.#movers.clear();
    this.#limits = new Map();
  }
}

/** True where positions keep no more of anything than others do. */
function isBelow(limits: ReadonlyMap<string, number>, others: ReadonlyMap<string, number>): boolean {
  for (const [name, at] of others) if ((limits.get(name) ?? Number.POSITIVE_INFINITY) > at) return false;
  return true;
}
