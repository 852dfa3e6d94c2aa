/** The effect of a step on control (semantics.md C1, C1a): the regions that it moves and looks at, and the earlier steps that are undone with it. */
import type { Places } from '../history/places.ts';
import type { PlacedStep } from '../history/step-lists.ts';
import { type Region, regionName, split } from '../model/region.ts';
import { endedChild } from '../model/reply-event.ts';
import type { HistoryValue, StepEntry } from '../model/step-entry.ts';
import type { Actors } from './actors.ts';
import { RetainedStep } from './base/retained-step.ts';
import { sourceRegions } from './source-steps.ts';
import type { ActorState, RecordedStep } from './state-types.ts';

const NOTHING: readonly never[] = [];

/** The regions whose control a step wrote, and those that it only read (C1). */
export function controlOf(
  places: Places<RecordedStep>,
  actors: Actors,
  entry: StepEntry,
): Pick<RecordedStep, 'moves' | 'looks'> {
  const { begun, region } = actors.at(entry.actor);
  const own = (path: string) => regionName(entry.actor, path);
  const ofSources = sourceRegions(actors, entry);
  const isPlain =
    ofSources.moves.length === 0 &&
    ofSources.looks.length === 0 &&
    begun &&
    (entry.looks?.length ?? 0) === 0 &&
    endedChild((entry.event as { type?: unknown }).type) === null;
  if (isPlain && entry.moves !== undefined)
    return { moves: ownRegions(places, entry.actor, entry.moves), looks: NOTHING };
  const moves = new Set(entry.moves === undefined ? entry.parties.map((party) => party.region) : entry.moves.map(own));
  const looks = new Set((entry.looks ?? []).map(own));
  // The first step of a child machine is its start: an act apart from the move that entered its state.
  if (!begun && region !== null) moves.add(regionAround(places, region));
  const child = actors.heard(entry, 'done|error');
  if (child?.started?.kind === 'machine') for (const each of places.regionsOf(child.number)) moves.add(each);
  for (const each of ofSources.moves) moves.add(each);
  for (const each of ofSources.looks) looks.add(each);
  for (const each of moves) looks.delete(each);
  return { moves: [...moves], looks: [...looks] };
}

/** The regions of an actor by their paths: the list of its last step, where that had the same. */
function ownRegions(places: Places<RecordedStep>, actor: number, paths: readonly string[]): readonly Region[] {
  const last = places.steps.last;
  const before = last?.actor === actor ? last.entry?.moves : undefined;
  const isSame = before?.length === paths.length && paths.every((path, index) => before[index] === path);
  return isSame && last?.moves.length === paths.length ? last.moves : paths.map((path) => regionName(actor, path));
}

/** The nearest region that has control of its own, at or around a state of an actor. */
function regionAround(places: Places<RecordedStep>, state: Region): Region {
  const [actor, path] = split(state);
  let best = regionName(actor, '');
  for (const region of places.regionsOf(actor)) {
    const [, at] = split(region);
    const isAround = path === at || path.startsWith(`${at}.`);
    if (isAround && at.length > split(best)[1].length) best = region;
  }
  return best;
}

/** The earlier steps that are undone with a step: those that raised or sent its event. */
export function tiesOf(places: Places<RecordedStep>, { ties = NOTHING }: StepEntry): readonly PlacedStep[] {
  if (ties.length === 0) return NOTHING;
  return ties.flatMap(([actor, back]) => {
    let left = back;
    for (const step of places.before(places.next, actor)) {
      left -= 1;
      if (left === 0) return [step];
    }
    return [];
  });
}

/** The part of a history value that is another than before. */
export function changed(before: HistoryValue, after: HistoryValue): HistoryValue {
  return Object.fromEntries(
    Object.entries(after).filter(([id, ids]) => JSON.stringify(before[id]) !== JSON.stringify(ids)),
  );
}

/** A step by which a restore puts the control of an actor in a region that resumes elsewhere than its own past says. */
export function placedControl(
  places: Places<RecordedStep>,
  actors: Actors,
  around: { readonly region: Region; readonly party: string | null; readonly at: number; readonly time: number },
): RecordedStep {
  const { region, party, at, time } = around;
  const { number, value, remembered, context }: ActorState = actors.at(split(region)[0]);
  const facts = {
    nth: places.next,
    act: at,
    to: at,
    actor: number,
    parties: party === null ? NOTHING : [{ name: party, region }],
    moves: [region],
    looks: NOTHING,
    entered: NOTHING,
    owes: 0,
    spawns: false,
    gone: false,
    remembered,
    recalled: {},
    certified: NOTHING,
    time,
    firstStarted: actors.all.length,
  };
  const step = new RetainedStep(facts, { entry: null, placed: value, isOutside: false });
  step.context = { is: context };
  return step;
}
