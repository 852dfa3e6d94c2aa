/** The actors and the timers of a run in a base. */

import type { PlacedStep } from '../../history/step-lists.ts';
import { inputPlace } from '../../journal/lost.ts';
import type { Started, StateValue } from '../../model/step-entry.ts';
import type { Actors } from '../actors.ts';
import type { ActorState, RecordedStep, Timer } from '../state-types.ts';
import type { Timers } from '../timers.ts';
import type { Loading } from './loading.ts';
import { RetainedActor } from './retained-actor.ts';
import type { Saving } from './saving.ts';

/** Lays the actors down, without their contexts. */
export function savedActors(actors: Actors, to: Saving) {
  return actors.all.map((actor) => savedActor(actor, to));
}

function savedActor(actor: ActorState, to: Saving) {
  const { parent, by, region, last, value, remembered, sinceBase, begun, ended, isSaid } = actor;
  const flags = (begun ? 1 : 0) + (ended === null ? 0 : 2) + (isSaid ? 4 : 0);
  const own = isSaid ? null : [startedOf(actor.started, to), to.texts.value(actor.event, 'event')];
  const said = last === undefined ? -1 : to.texts.value(last, 'event');
  return [
    ...([parent ?? -1, to.step(by), region === null ? -1 : to.word(region), flags, to.step(ended)] as const),
    ...([said, value, remembered, sinceBase, own] as const),
  ] as const;
}

function startedOf(started: Started | null, to: Saving) {
  if (started === null) return null;
  const { id, src, at, kind, systemId } = started;
  const input = 'input' in started ? [to.texts.value(started.input, inputPlace(at))] : [];
  return [id, src, at, kind, input, ...(systemId === undefined ? [] : [systemId])] as const;
}

/** Lays down which actors which steps have ended, of the steps that were met. */
export function savedEnds(actors: Actors, to: Saving) {
  const ends: (readonly [step: number, actors: readonly number[]])[] = [];
  for (const [step, ended] of actors.parts.endedBy)
    if (to.steps.has(step as RecordedStep)) ends.push([to.step(step), ended.map(({ number }) => number)]);
  return ends;
}

/** Makes the actors again. */
export function loadActors(
  actors: Actors,
  saved: ReturnType<typeof savedActors>,
  contexts: readonly unknown[],
  from: Loading,
): void {
  for (const [number, row] of saved.entries()) {
    const [parent, by, region, flags, ended, last, value, remembered, sinceBase, own] = row;
    const actor = new RetainedActor({
      number,
      parent: parent === -1 ? null : parent,
      by: from.stepOrNull(by),
      region: region === -1 ? null : from.word(region),
      last: last === -1 ? undefined : from.source.value(last),
      context: contexts[number] === -1 ? undefined : from.source.value(contexts[number]),
      value: value as StateValue,
      remembered,
      sinceBase,
      begun: (flags & 1) !== 0,
      ended: (flags & 2) !== 0 ? from.step(ended) : null,
      own: own === null ? null : { started: startedFrom(own[0], from), event: from.source.value(own[1]) },
    });
    actors.readd(actor);
  }
}

function startedFrom(stored: unknown, from: Loading): Started | null {
  if (stored === null) return null;
  const [id, src, at, kind, input, systemId] = stored as NonNullable<ReturnType<typeof startedOf>>;
  const given = input.length > 0 ? { input: from.source.value(input[0]) } : {};
  return { id, src, at, kind, ...given, ...(systemId !== undefined && { systemId }) };
}

export function loadEnds(actors: Actors, saved: ReturnType<typeof savedEnds>, from: Loading): void {
  for (const [step, ended] of saved)
    actors.readdEnded(
      from.step(step),
      ended.map((number) => actors.at(number)),
    );
}

type ByName = ReadonlyMap<number, ReadonlyMap<string, readonly Timer[]>>;
type ByStep = ReadonlyMap<PlacedStep, readonly Timer[]>;

/** Lays down which timers there are, and where they stand. The timers themselves follow: `savedTimers`. */
export function savedStanding(timers: Timers, to: Saving) {
  const { next, named, armed, armedBy, goneBy } = timers.parts;
  return {
    next,
    named: byName(named, to),
    armed: byName(armed, to),
    armedBy: byStep(armedBy, to),
    goneBy: byStep(goneBy, to),
  };
}

function byName(all: ByName, to: Saving) {
  return [...all].map(([actor, ids]) => {
    const lists = [...ids].map(([id, list]) => [id, list.map((timer) => to.timers.of(timer))] as const);
    return [actor, lists] as const;
  });
}

function byStep(all: ByStep, to: Saving) {
  return [...all].map(([step, list]) => [to.step(step), list.map((timer) => to.timers.of(timer))] as const);
}

/** Lays down all timers that were met. */
export function savedTimers(to: Saving) {
  return to.timers.all.map(({ nth, actor, id, region, event, due, delay, to: hears, armed, gone }) => {
    const steps = [to.step(armed), to.step(gone)] as const;
    return [
      nth,
      actor,
      id,
      to.word(region),
      to.texts.value(event, 'event'),
      due,
      delay,
      hears ?? -1,
      ...steps,
    ] as const;
  });
}

/** Makes the timers again, once the steps are there. */
export function loadTimers(saved: ReturnType<typeof savedTimers>, from: Loading): void {
  for (const [nth, actor, id, region, event, due, delay, to, armed, gone] of saved)
    from.timers.push({
      ...{ nth, actor, id, due, delay },
      region: from.word(region),
      event: from.source.value(event),
      to: to === -1 ? null : to,
      armed: from.step(armed),
      gone: from.stepOrNull(gone),
    });
}

/** Puts the timers where they stand. */
export function loadStanding(timers: Timers, saved: ReturnType<typeof savedStanding>, from: Loading): void {
  const { named, armed, armedBy, goneBy } = timers.parts;
  const lists = (list: readonly number[]) => list.map((number) => from.timer(number));
  for (const [all, stored] of [
    [named, saved.named],
    [armed as typeof named, saved.armed],
  ] as const)
    for (const [actor, ids] of stored) all.set(actor, new Map(ids.map(([id, list]) => [id, lists(list)])));
  for (const [all, stored] of [
    [armedBy, saved.armedBy],
    [goneBy, saved.goneBy],
  ] as const)
    for (const [step, list] of stored) all.set(from.step(step), lists(list));
  timers.resumeAt(saved.next);
}
