/** The steps of a run: each is folded into the history, the actors, the places of control, the timers and the live instances. */
import type { Places } from '../history/places.ts';
import { withOne } from '../history/sorted-steps.ts';
import { type InstanceId, instanceName, ROOT } from '../model/instance.ts';
import type { Region } from '../model/region.ts';
import type { HistoryValue, Party, StepEntry } from '../model/step-entry.ts';
import type { Actors } from './actors.ts';
import { RetainedStep } from './base/retained-step.ts';
import type { Calls } from './calls.ts';
import { changed, controlOf, placedControl, tiesOf } from './control.ts';
import type { Discards } from './discards.ts';
import type { Events } from './events.ts';
import type { LiveInstances } from './live-instances.ts';
import type { OpenDecisions } from './open-decisions.ts';
import type { Received } from './received.ts';
import type { Redelivery } from './redelivery.ts';
import type { Translation } from './set-aside/translate.ts';
import type { RecordedStep } from './state-types.ts';
import type { Timers } from './timers.ts';
import type { Turns } from './turns.ts';

/** The projections that a run is composed of. Those below know those above by their constructors. */
export interface Projections {
  readonly events: Events;
  readonly places: Places<RecordedStep>;
  readonly actors: Actors;
  readonly timers: Timers;
  readonly instances: LiveInstances;
  readonly decisions: OpenDecisions;
  readonly calls: Calls;
  readonly discards: Discards;
  readonly redelivery: Redelivery;
  readonly received: Received;
  readonly turns: Turns;
}

const NOTHING: readonly never[] = [];
const UNCHANGED: HistoryValue = {};

/** The steps of one run. */
export class Steps {
  readonly #run: Projections;

  /** The parties of the last step. */
  #last: { readonly of: StepEntry['parties']; readonly parties: RecordedStep['parties'] } = {
    of: NOTHING,
    parties: NOTHING,
  };
  /** The boundary that a step has certified last. */
  #certified: RecordedStep['certified'] = NOTHING;

  constructor(run: Projections) {
    this.#run = run;
  }

  /**
   * Folds a step in.
   * @param context the context of its actor, where the machine is at hand; else it is folded from the edits.
   * @param around has what the entry does not say: where it is a record's, done again.
   */
  take(entry: StepEntry, context: unknown, around: Partial<Translation> = {}): RecordedStep {
    const { actors, calls, discards, events, instances, places, received, redelivery, timers } = this.#run;
    const entered = this.#enter(entry);
    const act = events.head;
    const certified = this.#marks(entry, around.origins ?? null);
    const actor = actors.at(entry.actor);
    const before = actor.remembered;
    actors.advance(actor, entry, context);
    const step = this.#recorded(entry, { entered, act, certified, before }, around);
    actor.begun = true;
    places.add(step);
    this.#live(entry, step);
    if (entry.outside) received.taken(step, redelivery.came(entry.event));
    timers.heard(entry, step);
    calls.heard(entry, actors);
    for (const number of entry.ended) this.end(number, step);
    for (const started of entry.started) actors.start(started, entry.actor, step);
    for (const { instance, gate, discard } of entry.closed) {
      instances.close(instance, gate, step);
      if (discard !== undefined) discards.left(instance);
    }
    return step;
  }

  #recorded(
    entry: StepEntry,
    effects: Pick<RecordedStep, 'entered' | 'act' | 'certified'> & { readonly before: HistoryValue },
    around: Partial<Translation>,
  ): RecordedStep {
    const { actors, events, places } = this.#run;
    const { entered, act, certified, before } = effects;
    const actor = actors.at(entry.actor);
    // A replay that takes over many records makes a context for each: of those, one in so many is kept.
    const isLandmark = around.origins == null && (entry.regions.length > 0 || certified.length > 0);
    const isBase = actors.isBase(actor, isLandmark);
    const { moves, looks } = controlOf(places, actors, entry);
    const facts = {
      nth: places.next,
      act,
      to: events.head,
      actor: entry.actor,
      // The first step of all is the run's beginning, with its input: no line reaches below it, and nobody can undo it.
      parties: places.next === 0 ? NOTHING : this.#partiesOf(entry),
      moves,
      looks,
      entered,
      owes: 0,
      spawns: entry.started.some(({ at }) => at === null),
      gone: false,
      remembered: actor.remembered,
      recalled: entry.remembered === null ? UNCHANGED : changed(before, entry.remembered),
      certified,
      time: events.time,
      firstStarted: actors.all.length,
    };
    const step = new RetainedStep(facts, { entry, placed: null, isOutside: entry.outside });
    step.ties = around.ties ?? tiesOf(places, entry);
    step.context = isBase ? { is: actor.context } : null;
    step.origins = around.origins ?? null;
    return step;
  }

  /** The parties of a step by their names: one list for steps of the same parties that follow each other. */
  #partiesOf({ parties }: StepEntry): RecordedStep['parties'] {
    const { of } = this.#last;
    const isSame = (party: Party, index: number) =>
      of[index]?.instance === party.instance && of[index]?.region === party.region;
    if (of.length === parties.length && parties.every(isSame)) return this.#last.parties;
    const named = parties.map(({ instance, region }) => ({ name: instanceName(instance), region }));
    this.#last = { of: parties, parties: named };
    return named;
  }

  /** Folds what a step entered. @returns the names of those instances. */
  #enter({ marks }: StepEntry): readonly string[] {
    const { events } = this.#run;
    let entered: readonly string[] = NOTHING;
    for (const mark of marks) {
      if (mark.do !== 'enter') continue;
      events.happen(mark);
      entered = withOne(entered, instanceName(mark.in));
      if (mark.in.skeleton !== ROOT) events.occurrences.used(mark.in);
    }
    return entered;
  }

  /** Folds what a step's instances did besides entering; says which boundaries it certified. */
  #marks(entry: StepEntry, origins: Translation['origins'] | null): RecordedStep['certified'] {
    const { events, instances } = this.#run;
    let boundary = 0;
    let certified: RecordedStep['certified'] = NOTHING;
    for (const [index, mark] of entry.marks.entries()) {
      if (mark.do === 'enter') continue;
      events.happen(mark, origins?.[index]);
      if (mark.do !== 'boundary') continue;
      const id = entry.boundaries[boundary] ?? '';
      boundary += 1;
      if (mark.in.skeleton === ROOT) continue;
      const name = instanceName(mark.in);
      certified = withOne(certified, { name, id });
      instances.certified(name, id);
    }
    return this.#shared(certified);
  }

  /** One list for steps that certify the same boundary and follow each other. */
  #shared(certified: RecordedStep['certified']): RecordedStep['certified'] {
    const [one, ...others] = certified;
    if (one === undefined || others.length > 0) return certified;
    const [last] = this.#certified;
    if (last?.name !== one.name || last.id !== one.id) this.#certified = certified;
    return this.#certified;
  }

  /** Has the instances that a step entered live in their regions, with what they certified at once. */
  #live(entry: StepEntry, step: RecordedStep): void {
    const { instances, places } = this.#run;
    let enters = 0;
    for (const mark of entry.marks) {
      if (mark.do !== 'enter') continue;
      const region = entry.regions[enters] as Region;
      enters += 1;
      const root = mark.in.skeleton === ROOT;
      places.enter(mark.in, region, root, step);
      if (!root) instances.enliven(mark.in, region);
    }
    for (const { name, id } of step.certified) instances.certified(name, id);
  }

  /** Ends an actor, its children, its timers and the instances that live in it. */
  end(number: number, step: RecordedStep): void {
    const { actors, instances, timers } = this.#run;
    const actor = actors.at(number);
    if (actor.ended !== null) return;
    actors.end(actor, step);
    if (actor.started?.kind !== 'promise') {
      for (const child of actors.childrenOf(number)) this.end(child.number, step);
      instances.closeIn(number, step);
    }
    timers.ended(number, step);
  }

  /** Puts control in a region that resumes elsewhere than its own past says. */
  put(region: Region, party: InstanceId | null): void {
    const { actors, events, places } = this.#run;
    const name = party === null ? null : instanceName(party);
    places.add(placedControl(places, actors, { region, party: name, at: events.head, time: events.time }));
  }
}
