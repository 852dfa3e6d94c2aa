/**
 * The events from outside that restores took back and that have not come again, in order, each with the situation that
 * it met (semantics.md C1b).
 */
import type { Places } from '../history/places.ts';
import type { SortedStep } from '../history/sorted-steps.ts';
import { encode } from '../journal/codec.ts';
import type { ValueCodec } from '../journal/value-codec.ts';
import type { HeldEntry, MessageEntry, SteeredEntry } from '../model/message-entries.ts';
import type { Region } from '../model/region.ts';
import { turnIn } from '../model/turn-event.ts';
import type { ActorState, HeardBefore, HeardCourse, HeldMessage, RecordedStep, ToRedeliver } from './state-types.ts';

/** The events to redeliver of one run. */
export class Redelivery {
  readonly all: ToRedeliver[] = [];
  /** The events that came while the run could not take them, in order. Nothing was taken back since that they rest on. */
  readonly held: ToRedeliver[] = [];
  /** The number of events that were held so far. */
  count = 0;
  /** True between the entry that hands a held event on and the step that takes it. */
  #isHandedOn = false;
  readonly #codecs: readonly ValueCodec[];

  constructor(codecs: readonly ValueCodec[]) {
    this.#codecs = codecs;
  }

  /** Notes an event from outside that came: it is not redelivered any more. */
  /** @returns the name of the event that was taken back and comes again. */
  came(event: unknown): string | null {
    const isHeld = this.#isHandedOn;
    this.#isHandedOn = false;
    if (this.all.length === 0 || isHeld) return null;
    const text = this.#textOf(event);
    const index = this.all.findIndex((back) => this.#textOf(back.event) === text);
    return index === -1 ? null : ((this.all.splice(index, 1)[0] as ToRedeliver).name ?? null);
  }

  /** Adds the events that a restore takes back. */
  add(events: readonly ToRedeliver[]): void {
    const later = this.all.splice(0);
    for (const back of events) this.all.push(back);
    for (const back of later) this.all.push(back);
  }

  /** Notes an event that the run cannot take now. `course`: what its regions hear from here on. */
  hold(
    { event, post, by, takers }: HeldEntry,
    { context, value }: ActorState,
    next: number,
    name: string | null,
  ): void {
    this.#isHandedOn = false;
    const regions = takers.map(([region]) => region as Region);
    const heard = { course: { regions, from: next, types: [] }, later: 0 };
    const held: HeldMessage = { number: this.count, post, by, owners: takers.map(([, owner]) => owner) };
    this.count += 1;
    this.held.push({ event, context, control: value, regions, moved: regions, heard, wrong: null, held, name });
  }

  /** Has an act on an event hold for it where it waits: it is another one, it is dropped, or it is confirmed (ST2). */
  /** @returns the event that was retracted; null where none was. */
  steer({ of, act, event }: Pick<SteeredEntry, 'of' | 'act' | 'event'>): unknown {
    let gone: unknown = null;
    for (const list of [this.all, this.held]) {
      const index = list.findIndex(({ name }) => name === of);
      const back = list[index];
      if (back === undefined) continue;
      if (act === 'retract') {
        list.splice(index, 1);
        gone = back.event;
        this.#closesUp(gone);
      } else if (act === 'confirm' && list === this.all) back.confirmed = true;
      // An act that changes nothing has no event.
      else if (event !== undefined) back.event = event;
    }
    return gone;
  }

  /** The turns behind one that never was have the numbers before theirs. */
  #closesUp(gone: unknown): void {
    const nth = turnIn(gone)?.turn;
    if (nth === undefined) return;
    for (const back of this.all) {
      const later = turnIn(back.event);
      if (later?.turn !== undefined && later.turn > nth) back.event = { ...later, turn: later.turn - 1 };
    }
  }

  /** A restore has changed what is there: no event has its place any more, and none is confirmed for what its sender has not seen. */
  unsettle(): void {
    for (const back of [...this.all, ...this.held]) {
      delete back.place;
      delete back.confirmed;
    }
  }

  /** An event that was taken back was refused: it comes no more. */
  refuse(name: string): void {
    const index = this.all.findIndex((back) => back.name === name);
    if (index !== -1) this.all.splice(index, 1);
  }

  /**
   * Notes the outcome of an event that was held. If the run took the event, the events behind it in its regions have it
   * before them.
   */
  handedOn({ held: number, refused, event: type }: MessageEntry): void {
    this.#isHandedOn = false;
    if (number === undefined) return;
    this.#isHandedOn = refused === null;
    for (const list of [this.held, this.all]) {
      const index = list.findIndex(({ held }) => held?.number === number);
      if (index === -1) continue;
      const [{ regions }] = list.splice(index, 1) as [ToRedeliver];
      if (refused !== null) continue;
      const behind = [...this.held, ...this.all].filter(({ held }) => (held?.number ?? -1) > number);
      for (const { heard, regions: others } of behind)
        if (others.some((region) => regions.includes(region))) heard.course.types.push(type);
    }
  }

  /**
   * A restore has moved instances. The held events that may rest on the undone work wait for the situation that they
   * met, like the events that the restore took back. An event whose takers all belong to instances that did not move
   * stays held, and fares as if its takers had it (CH3).
   */
  moved(names: ReadonlySet<string>, wrong: readonly string[] | null): void {
    // A turn waits for the run to rest, at any state: the messages before the turn stand, or are said again before the turn.
    const stays = ({ event, held }: ToRedeliver) =>
      turnIn(event) !== null ||
      (held !== null && held.owners.length > 0 && held.owners.every((owner) => owner !== null && !names.has(owner)));
    const kept = this.held.filter(stays);
    this.all.push(...this.held.filter((one) => !kept.includes(one)).map((one) => ({ ...one, wrong })));
    this.held.splice(0, this.held.length, ...kept);
  }

  /** Adds an event that a record had heard and that nothing hears now: its sender may send it again, and nothing else does. */
  lose({ outside }: RecordedStep, name: string | null): void {
    const heard = { course: { regions: [], from: 0, types: [] }, later: 0 };
    const none = { context: [], control: '', regions: [], moved: [], wrong: null, held: null };
    this.all.push({ event: outside, ...none, heard, name });
  }

  /**
   * Before steps are removed, adds the events from outside that they took to the record of each waiting event. Costs
   * the steps behind the first removed one.
   */
  takeOut(places: Places<RecordedStep>, undone: Iterable<SortedStep>): void {
    const from = firstOf(undone);
    for (const course of new Set([...this.all, ...this.held].map(({ heard }) => heard.course))) {
      if (course.from <= from) continue;
      const lost = outsideIn(places, course.regions, from, course.from).map(typeOf);
      course.types = [...lost, ...course.types];
      course.from = from;
    }
  }

  #textOf(event: unknown): string {
    const encoded = encode(event, { codecs: this.#codecs });
    return 'text' in encoded ? encoded.text : `!${encoded.path.join('/')}`;
  }
}

/** The events that are taken back together, and what their regions had heard. Costs what lies behind the first step that is taken out. */
export class HeardThen {
  readonly #places: Places<RecordedStep>;
  readonly #from: number;
  readonly #courses = new Map<string, { readonly course: HeardCourse; readonly numbers: readonly number[] }>();

  /** @param undone the steps that are taken out. */
  constructor(places: Places<RecordedStep>, undone: Iterable<SortedStep>) {
    this.#places = places;
    this.#from = firstOf(undone);
  }

  /** The events that regions have heard before a step that is taken out. */
  before(regions: readonly Region[], nth: number): HeardBefore {
    const name = JSON.stringify(regions);
    const known = this.#courses.get(name) ?? this.#course(regions);
    this.#courses.set(name, known);
    return { course: known.course, later: known.numbers.length - countBelow(known.numbers, nth) };
  }

  #course(regions: readonly Region[]) {
    const heard = outsideIn(this.#places, regions, this.#from, Number.POSITIVE_INFINITY);
    return { course: { regions, from: this.#from, types: heard.map(typeOf) }, numbers: heard.map(({ nth }) => nth) };
  }
}

/** Compares what regions have heard with what they had heard when an event was taken back. Costs the steps since it was last asked. */
export class HeardNow {
  readonly #places: Places<RecordedStep>;
  /** Of each course, what was heard since it begins; the number of steps of each region that were looked at. */
  readonly #since = new Map<
    HeardCourse,
    { readonly from: number; readonly types: string[]; readonly seen: (number | null)[] }
  >();
  #removals: number;

  constructor(places: Places<RecordedStep>) {
    this.#places = places;
    this.#removals = places.removals;
  }

  /** True where the regions have heard the same. */
  isSame({ course, later }: HeardBefore): boolean {
    if (this.#removals !== this.#places.removals) {
      this.#removals = this.#places.removals;
      this.#since.clear();
    }
    const types = this.#typesSince(course);
    return types.length === course.types.length - later && types.every((type, index) => type === course.types[index]);
  }

  #typesSince(course: HeardCourse): readonly string[] {
    const { regions, from } = course;
    const known = this.#since.get(course);
    const since = known?.from === from ? known : { from, types: [], seen: regions.map(() => null) };
    this.#since.set(course, since);
    const heard = new Set<RecordedStep>();
    for (const [index, region] of regions.entries()) {
      const chain = this.#places.chain(region);
      const seen = since.seen[index] ?? chain.countUpTo(from - 1, 'nth');
      for (const step of chain.slice(seen)) if (step.outside != null) heard.add(step);
      since.seen[index] = chain.end;
    }
    // Every step that is new to a region is newer than all that were there.
    since.types.push(...inOrder(heard).map(typeOf));
    return since.types;
  }
}

/** The steps numbered from `from` up to before `until` that took an event from outside in any of some regions, in order. */
function outsideIn(
  places: Places<RecordedStep>,
  regions: readonly Region[],
  from: number,
  until: number,
): RecordedStep[] {
  const heard = new Set<RecordedStep>();
  for (const region of regions) {
    const chain = places.chain(region);
    for (const step of chain.between(from - 1, until - 1, 'nth')) if (step.outside != null) heard.add(step);
  }
  return inOrder(heard);
}

function inOrder(steps: Iterable<RecordedStep>): RecordedStep[] {
  return [...steps].sort((a, b) => a.nth - b.nth);
}

function typeOf({ outside }: RecordedStep): string {
  return String((outside as { type?: unknown }).type);
}

function firstOf(steps: Iterable<SortedStep>): number {
  let first = Number.POSITIVE_INFINITY;
  for (const { nth } of steps) first = Math.min(first, nth);
  return first;
}

function countBelow(numbers: readonly number[], nth: number): number {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((numbers[middle] as number) < nth) low = middle + 1;
    else high = middle;
  }
  return low;
}
