/**
 * The part of a step in the lives of sources: the sources that it began, told or ended, and the source whose chunk it
 * received (semantics.md CH8).
 */
import { endOf, lifeOf } from '../history/sources.ts';
import type { Region } from '../model/region.ts';
import type { StepEntry } from '../model/step-entry.ts';
import type { Actors } from './actors.ts';
import type { ActorState } from './state-types.ts';

/** `moves`: the regions of sources that a step writes. `looks`: the region that the step reads, if any. */
interface SourceRegions {
  readonly moves: readonly Region[];
  readonly looks: readonly Region[];
}

const NONE: SourceRegions = { moves: [], looks: [] };

/** The regions of sources that a step writes and reads, before it is folded in. */
export function sourceRegions(actors: Actors, { source, tells = [], started, ended }: StepEntry): SourceRegions {
  if (source === undefined && tells.length === 0 && started.length === 0 && ended.length === 0) return NONE;
  const first = actors.all.length;
  const begun = started.flatMap(({ kind }, index) => (kind === 'other' ? [first + index] : []));
  const over = ended.flatMap((number) => sourcesIn(actors, number));
  const moves = [...begun, ...tells, ...over].map(lifeOf).concat(over.map(endOf));
  if (moves.length === 0 && source === undefined) return NONE;
  return { moves, looks: source === undefined ? [] : [lifeOf(source)] };
}

/** The sources that end with an actor: the actor itself if it is a source, else the sources within a machine. */
function sourcesIn(actors: Actors, number: number): number[] {
  const { started, ended }: ActorState = actors.at(number);
  if (ended !== null || started === null || started.kind === 'promise') return [];
  if (started.kind === 'other') return [number];
  return actors.childrenOf(number).flatMap((child) => sourcesIn(actors, child.number));
}
