/**
 * The question after the line: can control follow it? (semantics.md R2.) A region goes back to the earliest position that the
 * line moves in it. Its root gives way, and so does all that was started in it later; any other later step must be undone too,
 * or lie behind a gate. What stands in the way is a reason, `replay_escapes_instance`.
 */
import type { History } from '../history/history.ts';
import { type Place, type Places, type Region, split } from '../history/places.ts';
import { type InstanceRecord, positionBefore } from '../history/registry.ts';
import { type InstanceId, instanceName } from '../model/instance.ts';
import type { Dependence } from '../model/veto.ts';
import type { Placement } from './crossings.ts';

/** The moves of a line, and what else has to move with them for control to follow. */
export type Moves = ReadonlyMap<InstanceRecord, Placement>;

/** Answers whether control can follow a line. */
export interface Control {
  /** What must be lowered besides: roots that give way, and what was started later in a region that goes back. */
  demands(moves: Moves): Map<InstanceRecord, Placement>;
  /** Who would be left behind (R2), each with the number of its entry. */
  escapes(moves: Moves): { readonly instance: InstanceId; readonly step: number }[];
}

/** How far a region goes back: the index of the last step whose control is kept (-1: none), and whose move it is. */
export interface Back {
  readonly step: number;
  readonly by: InstanceId;
}

/** Where each instance of a plan is kept up to; null is ⊥. */
export type Kept = Iterable<readonly [InstanceId, Placement['keep']]>;

/** For every region that goes back because of the moves, how far. */
export function regionsBack(places: Places, moves: Kept): Map<Region, Back> {
  const back = new Map<Region, Back>();
  const lower = (region: Region, step: number, by: InstanceId) => {
    const standing = back.get(region);
    if (standing === undefined || step < standing.step) back.set(region, { step, by });
  };
  for (const [id, keep] of moves) {
    const place = places.of(instanceName(id));
    if (place !== undefined) lower(place.region, controlAt(places, place, keep), id);
  }
  for (const [outer, { step, by }] of [...back]) {
    for (const { region } of places.all()) {
      if (region !== outer && places.within(region, outer) && !survives(places, region, outer, step)) {
        lower(region, step, by);
      }
    }
  }
  return back;
}

function kept(moves: Moves): Kept {
  return [...moves].map(([record, { keep }]) => [record.id, keep] as const);
}

/** The step that a position of an instance stands for. Its entry keeps the step that entered it; ⊥, and a root's own entry, do not. */
function controlAt(places: Places, place: Place, keep: Placement['keep']): number {
  if (keep === null) return place.entered - 1;
  if (keep.kind === 'entry') return place.root ? place.entered - 1 : place.entered;
  return places.stepAt(keep.at);
}

/** A child machine that was there already, and still is, goes on as it is. */
function survives(places: Places, region: Region, outer: Region, step: number): boolean {
  const [outerActor] = split(outer);
  for (let [actor] = split(region); actor !== outerActor; ) {
    const placed = places.actors[actor];
    if (placed === undefined || placed.parent === null) return false;
    if (placed.started > step) return false;
    if (placed.parent === outerActor) return placed.alive;
    actor = placed.parent;
  }
  return false;
}

/** Control as the places of a history have it. */
export function controlOf(history: History, places: Places): Control {
  return {
    demands(moves) {
      const back = regionsBack(places, kept(moves));
      const demands = new Map<InstanceRecord, Placement>();
      for (const { record, place, from, act } of left(history, places, moves, back)) {
        const cause: Dependence = { kind: 'control', producer: from.by, consumer: record.id, step: act + 1 };
        if (place.root) demands.set(record, { keep: positionBefore(record, act + 1), cause });
        else if (isInside(places, back, place)) demands.set(record, { keep: null, cause });
      }
      for (const [record, placement] of begun(history, places, moves, back)) {
        if (!demands.has(record)) demands.set(record, placement);
      }
      return demands;
    },
    escapes(moves) {
      const back = regionsBack(places, kept(moves));
      return [...left(history, places, moves, back)]
        .filter(({ record, place, from }) => moves.has(record) || !place.gate || place.entered <= from.step)
        .map(({ record }) => ({ instance: record.id, step: record.checkpoints[0]?.at ?? 0 }));
    },
  };
}

/** Whether a place lies in a part of the machine that was entered only after the step that its surroundings go back to. */
function isInside(places: Places, back: ReadonlyMap<Region, Back>, place: Place): boolean {
  for (const [region, { step }] of back) {
    if (region !== place.region && step < place.entered && places.within(place.region, region)) return true;
  }
  return false;
}

/**
 * The instances that were entered after the point that their region goes back to, and that did nothing since but call: control
 * enters them again, and makes those calls again, so that they are kept at their entry.
 */
function* begun(
  history: History,
  places: Places,
  moves: Moves,
  back: ReadonlyMap<Region, Back>,
): Generator<[InstanceRecord, Placement]> {
  for (const place of places.all()) {
    const from = back.get(place.region);
    if (from === undefined || place.root || place.closed !== null || place.entered <= from.step) continue;
    const record = history.registry.get(place.id);
    const entry = record?.checkpoints[0];
    if (record === undefined || entry === undefined) continue;
    const [called] = history.effects.of(record, entry.at, history.head);
    const moved = moves.get(record);
    if (called === undefined || (moved !== undefined && (moved.keep?.at ?? 0) <= entry.at)) continue;
    const name = instanceName(place.id);
    if (places.steps.some(({ parties }) => parties.some((party) => party.name === name))) continue;
    yield [record, { keep: entry, cause: { kind: 'control', producer: from.by, consumer: place.id, step: called.at } }];
  }
}

interface Left {
  readonly record: InstanceRecord;
  readonly place: Place;
  readonly from: Back;
  /** The number of the last event before its first step that is left. */
  readonly act: number;
}

/** The instances with steps in a region after the point that it goes back to, which the line keeps: with the first of those. */
function* left(history: History, places: Places, moves: Moves, back: ReadonlyMap<Region, Back>): Generator<Left> {
  const seen = new Set<string>();
  let first = places.steps.length;
  for (const { step } of back.values()) first = Math.min(first, step + 1);
  for (let index = first; index < places.steps.length; index += 1) {
    const { parties, act } = places.steps[index] as Places['steps'][number];
    for (const { name, region } of parties) {
      const from = back.get(region);
      if (from === undefined || index <= from.step || seen.has(name)) continue;
      const place = places.of(name);
      const record = place === undefined ? undefined : history.registry.get(place.id);
      if (place === undefined || record === undefined) continue;
      const moved = moves.get(record);
      if (moved !== undefined && (moved.keep?.at ?? 0) <= act) continue;
      seen.add(name);
      yield { record, place, from, act };
    }
  }
}
