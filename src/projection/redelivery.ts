/** The events from outside that restores took back and that have not come again, in order, and what they met (semantics.md C1b). */
import { createHash } from 'node:crypto';
import type { Places } from '../history/places.ts';
import { encode } from '../journal/codec.ts';
import type { ValueCodec } from '../journal/value-codec.ts';
import type { Region } from '../model/region.ts';
import type { RecordedStep, ToRedeliver } from './state-types.ts';

/** The events to redeliver of one run. */
export class Redelivery {
  readonly all: ToRedeliver[] = [];
  readonly #codecs: readonly ValueCodec[];

  constructor(codecs: readonly ValueCodec[]) {
    this.#codecs = codecs;
  }

  /** Notes an event from outside that came: it is not redelivered any more. */
  came(event: unknown): void {
    if (this.all.length === 0) return;
    const text = this.#textOf(event);
    const index = this.all.findIndex((back) => this.#textOf(back.event) === text);
    if (index !== -1) this.all.splice(index, 1);
  }

  /** Adds the events that a restore takes back. */
  add(events: readonly ToRedeliver[]): void {
    const later = this.all.splice(0);
    for (const back of events) this.all.push(back);
    for (const back of later) this.all.push(back);
  }

  /** Adds an event that a record had heard and that nothing hears now: its sender may send it again, and nothing else does. */
  lose({ outside }: RecordedStep): void {
    this.all.push({ event: outside, context: [], control: '', regions: [], moved: [], heard: NOTHING_HEARD });
  }

  #textOf(event: unknown): string {
    const encoded = encode(event, { codecs: this.#codecs });
    return 'text' in encoded ? encoded.text : `!${encoded.path.join('/')}`;
  }
}

/** The events that some regions have heard: up to each of them, the digest of their types. */
interface Course {
  readonly numbers: number[];
  readonly digests: string[];
  /** The number of steps of each region that are digested. */
  readonly seen: number[];
}

/** The digest where nothing was heard. */
const NOTHING_HEARD = '';

/**
 * The events from outside that the regions of a run have heard, as a digest of their types in order. It is asked for every event that a restore takes
 * back: what was heard before is digested once.
 */
export class Heard {
  readonly #places: Places<RecordedStep>;
  readonly #courses = new Map<string, Course>();
  #removals: number;

  constructor(places: Places<RecordedStep>) {
    this.#places = places;
    this.#removals = places.removals;
  }

  /** The events that regions have received before a step; by default all. Costs the steps since it was last asked for. */
  before(regions: readonly Region[], nth = Number.POSITIVE_INFINITY): string {
    if (this.#removals !== this.#places.removals) {
      this.#removals = this.#places.removals;
      this.#courses.clear();
    }
    const name = JSON.stringify(regions);
    const course = this.#courses.get(name) ?? { numbers: [], digests: [], seen: regions.map(() => 0) };
    this.#courses.set(name, course);
    this.#goOn(course, regions);
    return course.digests[countBelow(course.numbers, nth) - 1] ?? NOTHING_HEARD;
  }

  #goOn({ numbers, digests, seen }: Course, regions: readonly Region[]): void {
    const heard = new Set<RecordedStep>();
    for (const [index, region] of regions.entries()) {
      const chain = this.#places.chain(region);
      for (let at = seen[index] as number; at < chain.length; at += 1)
        if (chain[at]?.outside != null) heard.add(chain[at] as RecordedStep);
      seen[index] = chain.length;
    }
    // Every step that is new to a region is newer than all that were there.
    for (const { nth, outside } of [...heard].sort((a, b) => a.nth - b.nth)) {
      const type = String((outside as { type?: unknown }).type);
      const digest = createHash('sha256').update(`${digests.at(-1) ?? NOTHING_HEARD}\n${JSON.stringify(type)}`);
      numbers.push(nth);
      digests.push(digest.digest('base64'));
    }
  }
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
