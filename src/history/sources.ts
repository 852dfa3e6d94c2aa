/**
 * Sources: the callbacks and observables of a run, which send their machine chunks and cannot be put back (semantics.md CH8). The life of a source is
 * a region of its own: its start, its end and each step that tells it something write that region, and the receipt of a chunk reads it.
 */
import { type Region, regionName } from '../model/region.ts';
import type { PlacedStep, StepLists } from './step-lists.ts';

/** No path of a state begins with a dot. */
const LIFE = '.';
const END = '..';

/** The region that stands for the life of a source. */
export function lifeOf(source: number): Region {
  return regionName(source, LIFE);
}

/** The region that the end of a source writes besides. */
export function endOf(source: number): Region {
  return regionName(source, END);
}

/** True for the region that stands for the life of a source. */
export function isLife(region: Region): boolean {
  return region.endsWith(`:${LIFE}`);
}

/** True for a region that stands for a source, and for no states of a machine. */
export function isOfSource(region: Region): boolean {
  return isLife(region) || region.endsWith(`:${END}`);
}

/**
 * The steps that go back with a step because a source cannot be put back. If the step began, told or ended a source, the
 * source is begun anew and repeats its chunks, so every receipt of them goes back. If the step received a chunk of a
 * source that is over, the end of the source goes back.
 * @param anew the sources that are begun anew already; their receipts are listed once.
 */
export function* lostWithSource<Step extends PlacedStep>(
  lists: StepLists<Step>,
  step: PlacedStep,
  anew: Set<Region>,
): Generator<Step> {
  for (const region of step.moves) {
    if (!isLife(region) || anew.has(region)) continue;
    anew.add(region);
    for (const other of lists.chain(region).slice(0)) if (!other.moves.includes(region)) yield other;
  }
  for (const region of step.looks) if (isLife(region)) yield* lists.chain(`${region}${LIFE}`).slice(0);
}
