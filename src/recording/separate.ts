/**
 * Splits a microstep in which several regions took eventless transitions at once into one step for each region. It does
 * so if no region reads what another region writes and no event was raised: the transitions could then have been taken
 * one after the other (semantics.md C1a).
 */

import type { HistoryEvent } from '../model/event.ts';
import { instanceName } from '../model/instance.ts';
import { overlaps } from '../model/key.ts';
import { type Region, regionName, split } from '../model/region.ts';
import { namedMarks, type StateValue, type StepEntry } from '../model/step-entry.ts';
import { partOf } from '../projection/set-aside/records.ts';
import { withPart } from '../projection/set-aside/translate.ts';

/** The parts of a run that separating reads. */
interface Surroundings {
  /** The control of the actor before the step. */
  readonly before: StateValue;
  /** The region of an instance that was there before. */
  regionOf(name: string): Region | undefined;
  regionOfActor(number: number): Region | null;
}

/**
 * The steps of a microstep: itself, if it cannot be split.
 * @param parts the paths of the regions that each of its transitions moved.
 */
export function separated(entry: StepEntry, parts: readonly (readonly string[])[], around: Surroundings): StepEntry[] {
  if (parts.length !== entry.parties.length || parts.length < 2) return [entry];
  const partOfRegion = (region: Region): number => {
    const [actor, path] = split(region);
    if (actor !== entry.actor) return -1;
    return parts.findIndex((paths) => paths.some((own) => path === own || path.startsWith(`${own}.`)));
  };
  const byName = new Map<string, number>();
  for (const { instance, region } of entry.parties) byName.set(instanceName(instance), partOfRegion(region));
  const named = namedMarks(entry);
  for (const { mark, region } of named)
    if (region !== undefined) byName.set(instanceName(mark.in), partOfRegion(region));
  const placed = [...byName.values()];
  if (
    placed.includes(-1) ||
    new Set(entry.parties.map(({ instance }) => byName.get(instanceName(instance)))).size < parts.length
  )
    return [entry];
  if (entry.edits.some(({ by }) => by.length !== 1) || crossReads(entry.marks, byName)) return [entry];
  const of = (name: string) => byName.get(name) ?? partOfRegion(around.regionOf(name) ?? '-1:');
  const partOfActor = (number: number) => partOfRegion(around.regionOfActor(number) ?? '-1:');
  const others = [
    ...entry.marks.map((mark) => of(instanceName(mark.in))),
    ...entry.closed.map(({ instance }) => of(instanceName(instance))),
    ...entry.started.map(({ at }) => partOfRegion(regionName(entry.actor, at ?? ''))),
    ...entry.ended.map(partOfActor),
  ];
  if (others.includes(-1)) return [entry];
  let value = around.before;
  return parts.map((paths, index): StepEntry => {
    for (const path of paths) value = withPart(value, path, partOf(entry.value, path) as StateValue);
    const party = entry.parties.findIndex(({ instance }) => byName.get(instanceName(instance)) === index);
    const isLast = index === parts.length - 1;
    const own = named.filter(({ mark }) => of(instanceName(mark.in)) === index);
    return {
      ...entry,
      value: isLast ? entry.value : value,
      remembered: isLast ? entry.remembered : null,
      done: isLast && entry.done,
      parties: [entry.parties[party] as StepEntry['parties'][number]],
      edits: entry.edits.filter(({ by }) => by[0] === party).map((edit) => ({ ...edit, by: [0] })),
      started: entry.started.filter(({ at }) => partOfRegion(regionName(entry.actor, at ?? '')) === index),
      marks: own.map(({ mark }) => mark),
      regions: own.flatMap(({ region }) => region ?? []),
      boundaries: own.flatMap(({ boundary }) => boundary ?? []),
      moves: [...paths],
      looks: [],
      closed: entry.closed.filter(({ instance }) => of(instanceName(instance)) === index),
      ended: entry.ended.filter((number) => partOfActor(number) === index),
    };
  });
}

/** True where a part reads, or writes, what another part writes. */
function crossReads(marks: readonly HistoryEvent[], byName: ReadonlyMap<string, number>): boolean {
  const accesses = marks.flatMap((mark) =>
    mark.do === 'read' || mark.do === 'write' ? [{ mark, part: byName.get(instanceName(mark.in)) }] : [],
  );
  const writes = accesses.filter(({ mark }) => mark.do === 'write');
  return writes.some((write) =>
    accesses.some(({ mark, part }) => part !== write.part && overlaps(mark.key, write.mark.key)),
  );
}
