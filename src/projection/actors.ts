/** The actors of a run, in the order in which they were started. */

import { fold } from '../history/context.ts';
import type { Places } from '../history/places.ts';
import type { PlacedStep } from '../history/step-lists.ts';
import type { ControlEntry } from '../model/entry.ts';
import { type Region, regionName, split } from '../model/region.ts';
import { answeringChild, endedChild } from '../model/reply-event.ts';
import type { HistoryValue, Started, StepEntry } from '../model/step-entry.ts';
import { RetainedActor } from './base/retained-actor.ts';
import { changeOf } from './edits.ts';
import type { ActorState, RecordedStep } from './state-types.ts';

/** The number of steps of an actor after which its context is kept: at most so many are folded to make one again. */
const BASE_EVERY = 64;

const NOTHING: HistoryValue = {};

/** The actors of one run. */
export class Actors {
  readonly all: ActorState[] = [];
  /** Those that go on, by their parents; the root has none. */
  readonly #running = new Map<number | null, Set<ActorState>>();
  readonly #endedBy = new Map<PlacedStep, ActorState[]>();
  readonly #places: Places<RecordedStep>;

  constructor(places: Places<RecordedStep>) {
    this.#places = places;
  }

  /** The parts that a base holds. */
  get parts() {
    return { endedBy: this.#endedBy as ReadonlyMap<PlacedStep, readonly ActorState[]> };
  }

  /** Adds an actor as it was known before. */
  readd(actor: ActorState): void {
    this.all.push(actor);
    if (actor.ended === null) this.#run(actor);
    const { parent, region, by } = actor;
    this.#places.actors.push({ parent, at: region === null ? '' : split(region)[1], started: by });
  }

  /** Has a step have ended some actors. */
  readdEnded(step: PlacedStep, actors: ActorState[]): void {
    this.#endedBy.set(step, actors);
  }

  /** The actor with a number. */
  at(number: number): ActorState {
    return this.all[number] as ActorState;
  }

  /** Adds the root: the machine of the run. */
  begin(): void {
    this.#add({ parent: null, region: null, by: null, own: { started: null, event: null } });
  }

  /** Adds the next of the actors that a step started. */
  start({ at }: Started, parent: number, by: PlacedStep): void {
    this.#add({ parent, region: regionName(parent, at ?? ''), by, own: null });
  }

  #add(of: Pick<ConstructorParameters<typeof RetainedActor>[0], 'parent' | 'region' | 'by' | 'own'>): void {
    const first = { sinceBase: 0, last: undefined, context: undefined, value: '', begun: false, ended: null };
    this.readd(new RetainedActor({ ...of, ...first, number: this.all.length, remembered: NOTHING }));
  }

  #run(actor: ActorState): void {
    this.#running.set(actor.parent, (this.#running.get(actor.parent) ?? new Set()).add(actor));
  }

  /** Has an actor end by a step. */
  end(actor: ActorState, step: PlacedStep): void {
    actor.ended = step;
    const ended = this.#endedBy.get(step);
    if (ended === undefined) this.#endedBy.set(step, [actor]);
    else ended.push(actor);
    const siblings = this.#running.get(actor.parent);
    siblings?.delete(actor);
    if (siblings?.size === 0) this.#running.delete(actor.parent);
  }

  /** Has an actor go on that had ended. */
  revive(number: number): void {
    const actor = this.at(number);
    actor.ended = null;
    this.#run(actor);
  }

  /** The root, the actors that go on, and those that undone steps have ended, in their order. */
  concerned(undone: Iterable<PlacedStep>): ActorState[] {
    const running = [...this.#running.values()].flatMap((actors) => [...actors]);
    return inOrder(this.all.slice(0, 1), running, this.#endedIn(undone));
  }

  /** The same, of the children of an actor. */
  childrenOf(parent: number, undone: Iterable<PlacedStep> = []): ActorState[] {
    return inOrder(
      this.#running.get(parent) ?? [],
      this.#endedIn(undone).filter((actor) => actor.parent === parent),
    );
  }

  /** The actors that a step has ended. */
  endedBy(step: PlacedStep): readonly ActorState[] {
    return this.#endedBy.get(step) ?? [];
  }

  #endedIn(undone: Iterable<PlacedStep>): ActorState[] {
    return [...undone].flatMap((step) => this.endedBy(step));
  }

  /** Has the actors go on that undone steps had ended, and those be gone that undone steps had started. */
  rollBack(undone: ReadonlySet<RecordedStep>): void {
    for (const step of undone) {
      for (const actor of this.endedBy(step)) if (actor.ended === step) this.revive(actor.number);
      this.#endedBy.delete(step);
    }
    for (const step of undone)
      for (let number = step.firstStarted; this.all[number]?.by === step; number += 1) this.end(this.at(number), step);
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

  /**
   * The child whose end a step hears, by an event of one of some kinds: the one that the step ends. After a restore that is not always the last one
   * that was started under its id.
   */
  heard({ actor, event, ended }: StepEntry, kinds: 'done' | 'done|error'): ActorState | undefined {
    const { type } = event as { type?: unknown };
    const id = kinds === 'done' ? answeringChild(type) : endedChild(type);
    if (id === null) return undefined;
    const isMeant = ({ parent, started }: ActorState) => parent === actor && started?.id === id;
    return ended.map((number) => this.at(number)).findLast(isMeant) ?? this.all.findLast(isMeant);
  }

  /** The region without numbers of actors: the ids of invokes and the paths of states from the root (C5). */
  structureOf(region: Region): string {
    const [number, path] = split(region);
    const { parent, started, region: around } = this.at(number);
    if (parent === null || started === null) return path;
    return `${this.structureOf(around ?? regionName(parent, ''))}/${started.at ?? ''}#${started.id}:${path}`;
  }
}

function inOrder(...lists: readonly Iterable<ActorState>[]): ActorState[] {
  return [...new Set(lists.flatMap((list) => [...list]))].sort((a, b) => a.number - b.number);
}
