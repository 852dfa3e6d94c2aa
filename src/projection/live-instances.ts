/**
 * The live instances of a run: the region of each, its certified boundaries there, and the reason if it no longer
 * certifies.
 */
import type { Places } from '../history/places.ts';
import { withOne } from '../history/sorted-steps.ts';
import type { Entry } from '../model/entry.ts';
import { type InstanceId, instanceName } from '../model/instance.ts';
import { type Region, split } from '../model/region.ts';
import type { Live, RecordedStep } from './state-types.ts';

/** The live instances of one run. */
export class LiveInstances {
  readonly all = new Map<string, Live>();
  readonly #places: Places<RecordedStep>;

  constructor(places: Places<RecordedStep>) {
    this.#places = places;
  }

  /** Has an instance live in a region. */
  enliven(id: InstanceId, region: Region): void {
    this.#places.liveVersion += 1;
    this.all.set(instanceName(id), { id, region, certified: new Set(), told: new Set(), stray: null });
  }

  /** Notes a boundary that a live instance certified. */
  certified(name: string, boundary: string): void {
    this.all.get(name)?.certified.add(boundary);
  }

  /** Closes an instance. */
  close(id: InstanceId, certified: boolean, step: RecordedStep): void {
    const name = instanceName(id);
    this.#places.liveVersion += 1;
    this.all.delete(name);
    const place = this.#places.of(name);
    if (place === undefined) return;
    place.closed = step;
    place.certified = certified;
    step.closes = withOne(step.closes, name);
  }

  /** Closes the instances that live in an actor. */
  closeIn(actor: number, step: RecordedStep): void {
    for (const { id, region } of [...this.all.values()]) if (split(region)[0] === actor) this.close(id, false, step);
  }

  /** Opens an instance again whose closing step was undone, unless it never started. */
  reopen(name: string): void {
    const place = this.#places.of(name);
    if (place === undefined || place.entered.gone) return;
    place.closed = null;
    place.certified = false;
    if (!this.all.has(name)) this.enliven(place.id, place.region);
  }

  /** Forgets an instance that never started. */
  forget(name: string): void {
    this.#places.liveVersion += 1;
    this.#places.forget(name);
    this.all.delete(name);
  }

  /** Has an instance that is kept in part be as it was at its position: what was certified since is not. */
  keep(name: string): void {
    const live = this.all.get(name);
    if (live === undefined) return;
    live.certified.clear();
    live.told.clear();
    live.stray = null;
  }

  /** Notes what a finding says of an instance. */
  find({ code, instance, text, boundary }: Extract<Entry, { do: 'finding' }>): void {
    const live = instance === null ? undefined : this.all.get(instanceName(instance));
    if (boundary !== undefined) live?.told.add(boundary);
    if (live !== undefined && (code === 'write_outside_outputs' || code === 'no_codec')) live.stray ??= text;
  }

  /** The live instance that a state belongs to: the one of the innermost region that covers it. */
  ownerOf(region: Region, placed: readonly Covering[]): Live | undefined {
    const [actor, path] = split(region);
    let owner: Live | undefined;
    for (const live of this.all.values()) {
      const of = placed.find(({ skeleton }) => skeleton.name === live.id.skeleton);
      if (of === undefined || split(live.region)[0] !== actor || !covers(of, path)) continue;
      if (of.lanes && !isIn(path, split(live.region)[1])) continue;
      if (owner === undefined || this.#places.within(live.region, owner.region)) owner = live;
    }
    return owner;
  }
}

/** The states that a skeleton covers, in an actor whose states have a prefix. */
interface Covering {
  readonly skeleton: { readonly name: string; readonly states: readonly string[] };
  readonly prefix: string;
  /** True where each unit has a region of its own. */
  readonly lanes: boolean;
}

function isIn(path: string, region: string): boolean {
  return region === '' || path === region || path.startsWith(`${region}.`);
}

function covers({ skeleton, prefix }: Covering, path: string): boolean {
  const full = `${prefix}${path}`;
  return skeleton.states.some((state) => full === state || full.startsWith(`${state}.`));
}
