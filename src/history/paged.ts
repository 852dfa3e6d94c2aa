/**
 * A list of things in the order of a run. The oldest may be paged out: a run of a million steps holds the newest in
 * memory and reads the others again when something asks for them. An index stands for the same thing all the while;
 * things paged out have the lower indices.
 */

/** The numbers that order such lists: of an event, of a step, and of the event before the acts of a step. */
export type Rank = 'at' | 'nth' | 'act';

/** The numbers of the newest thing that is paged out, in any list of a run. */
export type Limits = Readonly<Record<Rank, number>>;

/** Pages in what lists have paged out. */
export interface Pager {
  /** Below all numbers where nothing is paged out. */
  readonly upTo: Limits;
  /** Puts the newest pages at the beginnings of their lists. @param count how many. */
  pageIn(count: number): void;
  /** Pages in the things numbered above a limit. */
  pageInTo(limit: number, rank: Rank): void;
}

/** The limits of nothing. */
export const NOTHING_OUT: Limits = { at: -1, nth: -1, act: -1 };

/** A list whose oldest things may be paged out. */
export class Paged<T extends object> {
  #items: T[] = [];
  /** The index of the first thing that is there. */
  #first = 0;
  /** Pages in the things before the first in memory; null if there are none. */
  #pager: Pager | null = null;
  /**
   * The number of the newest thing that is paged out; for a step, also the number of the event before its acts. -1 if
   * unknown.
   */
  #newestOut = -1;
  #actOut = -1;

  /** True if things before the first in memory may be paged out. */
  get isPaged(): boolean {
    return this.#pager !== null && this.#pager.upTo.at >= 0;
  }

  /** The index behind the last thing. */
  get end(): number {
    return this.#first + this.#items.length;
  }

  /** The things that are not paged out. */
  get here(): readonly T[] {
    return this.#items;
  }

  /** The newest thing. */
  get last(): T | undefined {
    if (this.#items.length === 0) this.#reach(Number.NEGATIVE_INFINITY, () => this.#items.length > 0);
    return this.#items.at(-1);
  }

  /** The number of the newest event; -1 where there is none. */
  get newest(): number {
    const newest = this.#items.at(-1) ?? this.newestOut ?? this.last;
    return (newest as Partial<Limits> | undefined)?.at ?? -1;
  }

  /** The numbers of the newest thing that is paged out; null where they are not known. */
  get newestOut(): Limits | null {
    if (!this.isPaged || this.#newestOut < 0) return null;
    return { at: this.#newestOut, nth: this.#newestOut, act: this.#actOut };
  }

  /** All things; none of them is paged out any more. */
  get all(): readonly T[] {
    this.#reach(Number.NEGATIVE_INFINITY);
    return this.#items;
  }

  push(item: T): void {
    this.#items.push(item);
  }

  /** The thing at an index; undefined behind the last. */
  at(index: number): T | undefined {
    if (index < this.#first) this.#reach(index);
    return this.#items[index - this.#first];
  }

  /** The things from an index until before another. */
  slice(from: number, until = this.end): T[] {
    if (from < this.#first) this.#reach(from);
    return this.#items.slice(Math.max(0, from - this.#first), Math.max(0, until - this.#first));
  }

  /** The index of the first thing numbered above a limit. */
  countUpTo(limit: number, rank: Rank = 'at'): number {
    if (this.#pager !== null && this.#outUpTo(rank) > limit) this.#pager.pageInTo(limit, rank);
    const items = this.#items as readonly Record<Rank, number>[];
    let low = 0;
    let high = items.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((items[middle] as Record<Rank, number>)[rank] <= limit) low = middle + 1;
      else high = middle;
    }
    return this.#first + low;
  }

  /** The newest matching thing up to a limit that is in memory, after paging in everything behind the limit. */
  lastHere(limit: number, isAsked: (item: T) => boolean): T | undefined {
    for (let index = this.countUpTo(limit) - 1; index >= this.#first; index -= 1) {
      const item = this.#items[index - this.#first] as T;
      if (isAsked(item)) return item;
    }
    return undefined;
  }

  /** The things numbered above `after` and up to `upTo`. Costs its result and two searches. */
  between(after: number, upTo: number, rank: Rank = 'at'): T[] {
    const from = this.countUpTo(after, rank);
    return this.slice(from, this.countUpTo(upTo, rank));
  }

  /** Cuts the list before an index. @returns what was behind. */
  cut(index: number): T[] {
    if (index < this.#first) this.#reach(index);
    return this.#items.splice(Math.max(0, index - this.#first));
  }

  /** Removes the thing at an index, where it is that. */
  remove(index: number, item: T): void {
    if (this.at(index) === item) this.#items.splice(index - this.#first, 1);
  }

  /** Removes things from an index on. */
  sweep(index: number, isGone: (item: T) => boolean): void {
    if (index < this.#first) this.#reach(index);
    const from = Math.max(0, index - this.#first);
    let kept = from;
    for (let at = from; at < this.#items.length; at += 1) {
      const item = this.#items[at] as T;
      if (isGone(item)) continue;
      this.#items[kept] = item;
      kept += 1;
    }
    this.#items.length = kept;
  }

  /** The things from the newest on. Costs those that are asked for. */
  *backwards(from = this.end): Generator<T> {
    for (let index = from - 1; ; index -= 1) {
      const item = this.at(index);
      if (item === undefined) return;
      yield item;
    }
  }

  /** Lets go of the things before an index: from here on they are paged in where they are asked for. */
  pageOut(count: number, pager: Pager): void {
    const { at = -1, nth = at, act = -1 } = this.#items[count - 1] as Partial<Limits>;
    [this.#newestOut, this.#actOut] = [nth, act];
    this.#items = this.#items.slice(count);
    this.#first += count;
    this.#pager = pager;
  }

  /** Says that earlier things are paged out. @param newest the numbers of the newest of them, if known. */
  isBehind(pager: Pager, { at = -1, nth = at, act = -1 }: Partial<Limits> = {}): void {
    this.#pager = pager;
    [this.#newestOut, this.#actOut] = [nth, act];
  }

  /** Puts the things of a page before the first in memory. */
  pageIn(items: readonly T[]): void {
    this.#items = items.concat(this.#items);
    this.#first -= items.length;
    this.#newestOut = -1;
  }

  /** A number that none which is paged out is above. */
  #outUpTo(rank: Rank): number {
    const upTo = (this.#pager as Pager).upTo[rank];
    if (this.#newestOut < 0) return upTo;
    return Math.min(upTo, rank === 'act' ? this.#actOut : this.#newestOut);
  }

  /** Pages in until an index is there, or something else is: each time twice as much, as what is put before a list costs its length. */
  #reach(index: number, isReached = () => this.#first <= index): void {
    for (let count = 1; this.#pager !== null && !isReached(); count *= 2) {
      if (this.#pager.upTo.at < 0) this.#pager = null;
      else this.#pager.pageIn(count);
    }
  }
}
