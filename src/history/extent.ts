/**
 * The extent of a finished instance, with all that ran inside it (semantics.md C2): its own steps, the steps of the
 * child machines that it invoked, and the steps of the regions within its own. Work that is set aside, or that a replay
 * claims, is such an extent, whole.
 */
import { instanceName } from '../model/instance.ts';
import { regionName } from '../model/region.ts';
import type { Place, Places } from './places.ts';
import { isLife } from './sources.ts';
import type { PlacedStep } from './step-lists.ts';

/**
 * The steps of an instance from the one after its entry up to the one that closed it, and the parties of those steps.
 */
export interface Extent<Step extends PlacedStep = PlacedStep> {
  readonly steps: readonly Step[];
  /** The names of the instance, of the instances inside of it and of the roots that had a part. */
  readonly members: ReadonlySet<string>;
}

/**
 * The extent of a finished instance. Null if it cannot be separated: an outside instance has a part in one of its
 * steps, the instance started work that goes on without it, or its last step sent an event that cannot be sent again.
 */
export function extentOf<Step extends PlacedStep>(places: Places<Step>, place: Place): Extent<Step> | null {
  const { closed, entered, region } = place;
  if (closed === null) return null;
  const steps: Step[] = [];
  const members = new Set([instanceName(place.id)]);
  const inside = new Set<PlacedStep>();
  for (const step of places.between(entered.nth, closed.nth)) {
    const own = [...step.moves, ...step.looks, ...step.parties.map((party) => party.region)].map((other) =>
      places.within(other, region),
    );
    if (!own.includes(true)) continue;
    if (own.includes(false)) return null;
    steps.push(step);
    inside.add(step);
    for (const { name } of step.parties) members.add(name);
    if (step !== closed) for (const name of step.entered) members.add(name);
  }
  const isApart = (step: PlacedStep) => {
    const isOutside = (other: PlacedStep) => !other.gone && !inside.has(other);
    // What a source says hangs on all that it was told, and no record has that.
    if (step.looks.some(isLife)) return false;
    if (step.spawns || step.ties.some(isOutside) || (step !== closed && step.owes > 0)) return false;
    return step.leads.every((later) => !isOutside(later) || (step === closed && isSentAgain(places, step, later)));
  };
  const isOver = (name: string) => !goesOn(places, name, place, steps);
  return steps.every(isApart) && [...members].every(isOver) ? { steps, members } : null;
}

/**
 * True for work that a step of the extent has entered, in a region inside of its own, and that goes on behind its last step: a claim would lead into
 * the middle of it, and start nothing there.
 */
function goesOn(places: Places, name: string, around: Place, steps: readonly PlacedStep[]): boolean {
  const place = places.of(name);
  const closed = around.closed as PlacedStep;
  if (place === undefined || place === around || !steps.includes(place.entered) || place.entered === closed)
    return false;
  if (!place.root) return place.closed === null || place.closed.nth > closed.nth;
  const isInner = place.region !== around.region && places.within(place.region, around.region);
  if (!isInner || steps.findLast(({ moves }) => moves.includes(place.region)) !== place.entered) return false;
  // A delay and an event are waited for in the control that a claim leads to; an actor that was started there is not started again.
  return places.actors.some(({ parent, at, started }) => {
    return parent !== null && started === place.entered && places.within(regionName(parent, at), place.region);
  });
}

/** True where a claim sends the event again that the last step of a record sent: to its own machine, or to the parent, and surely by itself (C5a). */
function isSentAgain({ actors }: Places, last: PlacedStep, later: PlacedStep): boolean {
  if (later.actor === last.actor) return true;
  const senders = later.ties.filter(({ actor }) => actor === last.actor);
  return actors[last.actor]?.parent === later.actor && senders.length === 1;
}
