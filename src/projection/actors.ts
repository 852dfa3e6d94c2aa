/** The actors of a run, in the order in which they were started. */

import { fold } from '../history/context.ts';
import type { PlacedStep, Places } from '../history/places.ts';
import type { ControlEntry } from '../model/entry.ts';
import { type Region, regionName, split } from '../model/region.ts';
import { answeringChild, endedChild } from '../model/reply-event.ts';
import type { Started, StepEntry } from '../model/step-entry.ts';
import { changeOf } from './edits.ts';
import type { ActorState, RecordedStep } from './state-types.ts';

/** The number of steps of an actor after which its context is kept: at most so many are folded to make one again. */
const BASE_EVERY = 64;

/** The actors of one run. */
export class Actors {
  readonly all: ActorState[] = [];
  readonly #places: Places<RecordedStep>;

  constructor(places: Places<RecordedStep>) {
    this.#places = places;
  }

  /** The actor with a number. */
  at(number: number): ActorState {
    return this.all[number] as ActorState;
  }

  /** Adds the root: the machine of the run. */
  begin(): void {
    this.#add(null, null, null, null, null);
  }

  /** Adds an actor that a step started. */
  start(started: Started, { actor, event }: StepEntry, by: PlacedStep): void {
    this.#add(actor, started, event, regionName(actor, started.at ?? ''), by);
  }

  #add(
    parent: number | null,
    started: Started | null,
    event: unknown,
    region: Region | null,
    by: PlacedStep | null,
  ): void {
    this.all.push({
      sinceBase: 0,
      number: this.all.length,
      parent,
      started,
      by,
      event,
      last: undefined,
      region,
      context: undefined,
      value: '',
      remembered: {},
      begun: false,
      ended: null,
    });
    this.#places.actors.push({ parent, at: region === null ? '' : split(region)[1], started: by });
  }

  /**
   * Has an actor be as a step leaves it.
   * @param context its context, where the machine is at hand; else it is folded from the edits.
   */
  advance(actor: ActorState, entry: StepEntry, context: unknown): void {
    actor.context = context === undefined ? fold(actor.context, entry.edits.map(changeOf)) : context;
    actor.value = entry.value;
    actor.last = entry.event;
    if (entry.remembered !== null) actor.remembered = entry.remembered;
  }

  /** Counts a step. @returns true where the context after it is to be kept: every so often, and where control is likely to come back to. */
  isBase(actor: ActorState, isLandmark: boolean): boolean {
    const base = isLandmark || actor.sinceBase >= BASE_EVERY;
    actor.sinceBase = base ? 0 : actor.sinceBase + 1;
    return base;
  }

  /** Puts the control of actors where a restore has it. */
  put(controls: readonly ControlEntry[]): void {
    for (const { actor, value, remembered } of controls) Object.assign(this.at(actor), { value, remembered });
  }

  /** The child whose end a step hears, by an event of one of some kinds. */
  heard({ actor, event }: StepEntry, kinds: 'done' | 'done|error'): ActorState | undefined {
    const { type } = event as { type?: unknown };
    const id = kinds === 'done' ? answeringChild(type) : endedChild(type);
    return id === null ? undefined : this.all.findLast(({ parent, started }) => parent === actor && started?.id === id);
  }

  /** The region without numbers of actors: the ids of invokes and the paths of states from the root (C5). */
  structureOf(region: Region): string {
    const [number, path] = split(region);
    const { parent, started, region: around } = this.at(number);
    if (parent === null || started === null) return path;
    return `${this.structureOf(around ?? regionName(parent, ''))}/${started.at ?? ''}#${started.id}:${path}`;
  }
}
