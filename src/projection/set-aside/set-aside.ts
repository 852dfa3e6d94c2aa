/** The work of a run that was set aside: its records and their fate (semantics.md C2 to C7). */
import { type Extent, extentOf } from '../../history/extent.ts';
import { inOneGo, type Pieces } from '../../history/pieces.ts';
import type { Place } from '../../history/places.ts';
import type { PlacedStep } from '../../history/step-lists.ts';
import { type InstanceId, instanceName, ROOT } from '../../model/instance.ts';
import { type Region, split } from '../../model/region.ts';
import { type Kept, rollBack, undoneSteps } from '../rollback.ts';
import type { RecordedStep, Timer } from '../state-types.ts';
import type { Projections, Steps } from '../steps.ts';
import { ContextReads } from './context-reads.ts';
import { type Recordable, recordOf, type WorkRecord } from './records.ts';
import { Translating } from './translate.ts';

/** The actors and timers that the entry of an instance has started, where its record takes their place. */
interface Replaced {
  readonly actors: readonly number[];
  readonly timers: readonly Timer[];
}

/** Records that were made ahead. */
interface Ahead {
  /** The number of changes of the run before. */
  readonly at: number;
  readonly names: string;
  readonly records: ReadonlyMap<string, WorkRecord>;
}

/** The records of one run. */
export class SetAside {
  /** The work that was set aside and is not claimed, by the name of its instance (C3). */
  readonly records = new Map<string, WorkRecord>();
  readonly #run: Projections;
  readonly #steps: Steps;
  readonly #changes: () => number;
  /** The extents that were found since the run changed last. */
  #extents = new Map<Place, Extent<RecordedStep> | null>();
  #extentsAt = -1;
  #ahead: Ahead | null = null;

  /** @param changes counts the changes of the run: a record made ahead is valid only while the count is the same. */
  constructor(run: Projections, steps: Steps, changes: () => number) {
    this.#run = run;
    this.#steps = steps;
    this.#changes = changes;
  }

  /** The records of the instances that are set aside by themselves, while everything still stands. Costs nothing where they were made ahead. */
  recordsOf(aside: readonly InstanceId[]): ReadonlyMap<string, WorkRecord> {
    const ahead = this.#ahead;
    this.#ahead = null;
    const isSame = ahead?.at === this.#changes() && ahead.names === namesOf(aside);
    return ahead !== null && isSame ? ahead.records : inOneGo(this.#records(aside));
  }

  /** Makes the records ahead that the next restore asks for, in pieces. @returns their number. */
  *recordAhead(aside: readonly InstanceId[]): Pieces<number> {
    const at = this.#changes();
    const records = yield* this.#records(aside);
    this.#ahead = { at, names: namesOf(aside), records };
    return records.size;
  }

  *#records(aside: readonly InstanceId[]): Pieces<ReadonlyMap<string, WorkRecord>> {
    const { places } = this.#run;
    const records = new Map<string, WorkRecord>();
    const contexts = new ContextReads(places);
    const run = this.#recordable(contexts);
    for (const id of aside) {
      const name = instanceName(id);
      const place = places.of(name);
      const record = place === undefined ? null : recordOf(run, place, this.#extentOf(place));
      if (record !== null) records.set(name, record);
      yield;
    }
    yield* contexts.inPieces();
    return records;
  }

  /** The steps of instances that are set aside by themselves. */
  stepsOf(aside: readonly InstanceId[]): Set<PlacedStep> {
    const steps = new Set<PlacedStep>();
    for (const id of aside) for (const step of this.#extentNamed(id)?.steps ?? []) steps.add(step);
    return steps;
  }

  /** Finds ahead what `stepsOf` is asked for, in pieces. */
  *extentsAhead(aside: readonly InstanceId[]): Pieces<void> {
    for (const id of aside) {
      this.#extentNamed(id);
      yield;
    }
  }

  #extentNamed(id: InstanceId): Extent<RecordedStep> | null {
    const place = this.#run.places.of(instanceName(id));
    return place === undefined ? null : this.#extentOf(place);
  }

  #extentOf(place: Place): Extent<RecordedStep> | null {
    if (this.#extentsAt !== this.#changes()) this.#extents = new Map();
    this.#extentsAt = this.#changes();
    const known = this.#extents.get(place);
    if (known !== undefined) return known;
    const extent = extentOf(this.#run.places, place);
    this.#extents.set(place, extent);
    return extent;
  }

  #recordable(contexts: ContextReads): Recordable {
    const { actors, calls, decisions, events, places, timers } = this.#run;
    return {
      hasSteps: places.steps.last !== undefined,
      places,
      armedBy: (step) => timers.armedBy(step),
      account: decisions.account,
      calls: (name, after, upTo) => calls.ledger.between(name, after, upTo),
      structureOf: (region) => actors.structureOf(region),
      contexts,
      nextOf: (step) => places.nextOf(step.nth, step.actor),
      versionOf: (key, before, but) => events.versions.newest(key, before, but),
      enteredAt: (name) => events.history.registry.named(name)?.entry.at ?? 0,
    };
  }

  /** The replay takes a record over: all that it did is done again, now, with numbers of its own (C5). */
  claim(id: InstanceId): void {
    const { actors, calls, events, places, received } = this.#run;
    const name = instanceName(id);
    const record = this.records.get(name);
    const place = places.of(name);
    if (record === undefined || place === undefined) return;
    this.records.delete(name);
    const replaced = this.#restart(id, place);
    for (const { key } of record.first) events.happen({ do: 'read', in: id, key });
    const run = { actors: actors.all, actor: (number: number) => actors.at(number), history: events.history };
    const translation = new Translating(record, place, run);
    let first: RecordedStep | null = null;
    for (const item of record.items) {
      if (item.is === 'call') {
        calls.claim(item.call, translation.instance(item.call.intent.instance));
        continue;
      }
      const { entry, around } = translation.of(item.step);
      const step = this.#steps.take(entry, undefined, around);
      translation.done(item.step, step);
      received.moved(item.step.nth, step.nth);
      if (first === null) this.#replace(replaced, translation, step);
      first ??= step;
    }
    for (const [actor, as] of translation.actors) calls.looks.claim(actor, as);
  }

  /** Removes what the entry has started, at the first step of the record, unless it stands for something of it. */
  #replace({ actors, timers }: Replaced, translation: Translating, step: RecordedStep): void {
    for (const number of actors) if (!translation.knows(number)) this.#steps.end(number, step);
    this.#run.timers.giveUp(timers, step);
  }

  /**
   * Removes what an instance has done since it was entered, for its record, and what its entry has started: it never was.
   * @returns the actors and timers that the entry has started.
   */
  #restart(id: InstanceId, place: Place): Replaced {
    const { actors, events, places, timers } = this.#run;
    const inside = (region: Region) => places.within(region, place.region);
    const from = (place.entered as RecordedStep).firstStarted;
    const started = actors.all.slice(from).filter(({ region, ended, started }) => {
      const isInvoked = started !== null && started.at !== null && region !== null;
      return ended === null && isInvoked && inside(region);
    });
    const numbers = new Set(started.map(({ number }) => number));
    const kept: Kept[] = [[id, events.enteredAt(id)]];
    // What lives in those actors was entered since.
    for (const name of places
      .between(place.entered.nth - 1, Number.POSITIVE_INFINITY)
      .flatMap((step) => step.entered)) {
      const other = places.of(name);
      if (other !== undefined && numbers.has(split(other.region)[0])) kept.push([other.id, 0]);
    }
    const undone = undoneSteps(places, kept);
    for (const [who, at] of kept) this.#giveWay(who, at);
    if (undone.size > 0) rollBack(this.#run, undone);
    return {
      actors: [...numbers].filter((number) => actors.at(number).by === place.entered),
      timers: timers.armedBy(place.entered).filter(({ gone, region }) => gone === null && inside(region)),
    };
  }

  #giveWay(id: InstanceId, at: number): void {
    const { calls, events, instances } = this.#run;
    const name = instanceName(id);
    if (at === 0) this.free(id);
    if (events.history.registry.get(id) !== undefined) events.undo([[id, at]]);
    calls.displace(id, at);
    events.versions.forget(name, at);
    if (at === 0) instances.forget(name);
  }

  /** Notes that an occurrence may be taken up again in the region where it was. */
  free(id: InstanceId): void {
    if (id.skeleton === ROOT) return;
    const { actors, events, places } = this.#run;
    events.occurrences.free(id, actors.structureOf(places.of(instanceName(id))?.region ?? '0:'));
  }

  /** A record is given up: the replay does the work again, its calls answered by their keys (C7). It is work of another epoch then. */
  dismiss(id: InstanceId): void {
    const record = this.records.get(instanceName(id));
    if (record === undefined) return;
    this.records.delete(instanceName(id));
    for (const name of record.members) this.#run.decisions.raiseEpoch(name);
    for (const item of record.items) {
      if (item.is === 'call') this.#run.calls.ledger.dismiss(item.call.key);
      else if (item.step.isOutside) this.#run.redelivery.lose(item.step, this.#run.received.undone(item.step.nth));
    }
  }

  /** Gives the records up that hold a call whose effect does not stand any more (C9). */
  dismissWith(key: string): void {
    for (const record of [...this.records.values()])
      if (record.items.some((item) => item.is === 'call' && item.call.key === key)) this.dismiss(record.id);
  }
}

function namesOf(ids: readonly InstanceId[]): string {
  return ids.map(instanceName).join('\n');
}

/** The contents of records: their steps, the keys of their calls, and the names of their instances. */
export function contentsOf(records: Iterable<WorkRecord>) {
  const steps = new Set<PlacedStep>();
  const keys = new Set<string>();
  const members = new Set<string>();
  for (const record of records) {
    for (const name of record.members) members.add(name);
    for (const item of record.items) {
      if (item.is === 'step') steps.add(item.step);
      else keys.add(item.call.key);
    }
  }
  return { steps, keys, members };
}
