/**
 * The stored lists, so that a growing list costs only its new members. A member counts as unchanged if it is the same
 * object as before: a part of the context is never changed in place (semantics.md §3). All the same, the last members
 * and some others in turn are written again, so that a change against that rule is recorded once it is found. A member
 * that may be changed in place (`unsure`) is written again each time.
 */

/** A stored list: its number, and the texts of its members. */
export interface StoredList {
  readonly number: number;
  readonly members: readonly string[];
}

/**
 * The measures of a list up to each of its members: the length of its text, the length of the stored texts it refers
 * to, and the depth of its containers.
 */
export class Ends {
  readonly #lengths: number[];
  readonly #stored: number[];
  readonly #heights: number[];
  /** The places of the members that are written again each time, in order. */
  #unsure: number[];

  constructor(lengths: number[] = [], stored: number[] = [], heights: number[] = [], unsure: number[] = []) {
    this.#lengths = lengths;
    this.#stored = stored;
    this.#heights = heights;
    this.#unsure = unsure;
  }

  get unsure(): readonly number[] {
    return this.#unsure;
  }

  /** The measures of the first members. */
  upTo(count: number): { readonly length: number; readonly held: number; readonly height: number } {
    if (count === 0) return { length: 0, held: 0, height: 0 };
    const [length, held, height] = [this.#lengths, this.#stored, this.#heights].map(
      (list) => list[count - 1] as number,
    );
    return { length, held, height } as { length: number; held: number; height: number };
  }

  add(length: number, held: number, height: number, isSure: boolean): void {
    const count = this.#lengths.length;
    const before = this.upTo(count);
    if (!isSure) this.#unsure.push(count);
    this.#lengths.push(before.length + length);
    this.#stored.push(before.held + held);
    this.#heights.push(Math.max(before.height, height));
  }

  /** The measures of the first members, as `Ends` of their own. */
  first(count: number): Ends {
    const unsure = this.#unsure.filter((place) => place < count);
    return new Ends(this.#lengths.slice(0, count), this.#stored.slice(0, count), this.#heights.slice(0, count), unsure);
  }

  /** Notes for each member that was written again whether it is sure now. */
  know(places: readonly number[], isSure: (place: number) => boolean): void {
    if (places.length === 0) return;
    const known = new Set(places);
    const others = this.#unsure.filter((place) => !known.has(place));
    this.#unsure = [...others, ...places.filter((place) => !isSure(place))].sort((a, b) => a - b);
  }
}

/** The members of a list as the writer met them. */
export interface Met {
  readonly values: readonly unknown[];
  readonly ends: Ends;
  /** The list that this list continues, and the number of members that both have in common. */
  readonly from: { readonly list: object; readonly kept: number } | null;
}

interface KnownList {
  /** Null if the list is no longer stored, but its members are still known. */
  readonly number: number | null;
  readonly members: readonly string[];
  /** Null if only the texts are known. */
  met: Omit<Met, 'from'> | null;
  /** The next member that is written again although it is sure. */
  next: number;
}

/** A list that may continue a stored list. */
export interface Begun {
  readonly list: object;
  /** The number of members that are the same by reference, the places in `again` included. */
  readonly kept: number;
  /** The places of the members to be written again, in order. */
  readonly again: readonly number[];
  readonly texts: readonly string[];
  readonly ends: Ends;
}

/** The number of lists that a writer knows: the last state of each growing list. */
export const LISTS = 8;
/**
 * The number of last members that are written again each time, and of members before them that are written again in
 * turn.
 */
const LAST = 32;
const IN_TURN = 32;
/**
 * The most members that may be new objects of the same text: a program often makes the first message of a conversation
 * anew.
 */
const OTHERS = 8;

/** The lists that one writer has stored. */
export class KnownLists {
  /** In the order of use: the list used last stands last. */
  #lists: KnownList[];

  constructor(lists: readonly StoredList[] = []) {
    this.#lists = lists.slice(-LISTS).map((list) => ({ ...list, met: null, next: 0 }));
  }

  /**
   * The known list that a list seems to continue, by comparing references; null if there is none. May throw if the list
   * is a proxy.
   */
  begun(value: readonly unknown[]): Begun | null {
    for (let index = this.#lists.length - 1; index >= 0; index -= 1) {
      const list = this.#lists[index] as KnownList;
      if (list.met === null || !isAlike(value, list.met.values)) continue;
      const { kept, again } = compared(value, list.met);
      if (kept === 0) continue;
      const turn = inTurn(list.next, kept);
      list.next = turn.next;
      const all = new Set([...again, ...turn.places]);
      return {
        list,
        kept,
        again: [...all].filter((place) => place < kept).sort((a, b) => a - b),
        texts: list.members,
        ends: list.met.ends,
      };
    }
    return null;
  }

  /** The stored list with the longest common beginning, and the number of common members. */
  longest(members: readonly string[], from: Met['from']): { readonly base: StoredList | null; readonly kept: number } {
    let [base, kept]: [StoredList | null, number] = [null, 0];
    for (let index = this.#lists.length - 1; index >= 0; index -= 1) {
      const list = this.#lists[index] as KnownList;
      if (!isStored(list)) continue;
      const most = Math.min(list.members.length, members.length);
      // The kept members of the list that it continues have the same texts.
      let same = from?.list === list ? from.kept : 0;
      while (same < most && list.members[same] === members[same]) same += 1;
      if (same > kept) [base, kept] = [list, same];
      if (kept === list.members.length && kept >= members.length - 1) break;
    }
    return { base, kept };
  }

  /** The number of the stored list with exactly these members. */
  numberOf(members: readonly string[]): number | undefined {
    const isSame = (list: KnownList) =>
      list.members.length === members.length && list.members.every((member, index) => member === members[index]);
    return this.#lists.filter(isStored).find(isSame)?.number;
  }

  /** Records a list as the last one used, in place of the list that it continues. */
  use(instead: StoredList | null, list: StoredList, met: Met | null): void {
    const same = (met?.from?.list ?? null) as KnownList | null;
    const next = same?.next ?? 0;
    this.#lists = this.#lists.filter((each) => each !== instead && (each !== same || isStored(each)));
    const own = met === null ? null : { values: met.values, ends: met.ends };
    this.#lists.push({ number: list.number, members: list.members, met: own, next });
    if (this.#lists.length > LISTS) this.#lists.shift();
  }

  /**
   * Forgets all contents but some. The members of a forgotten list stay known if they refer to no forgotten content.
   */
  retain(numbers: { has(number: number): boolean }): void {
    this.#lists = this.#lists.flatMap((list) => {
      if (list.number !== null && numbers.has(list.number)) return [list];
      const isKnown =
        list.met !== null && list.members.every((member) => referredIn(member).every((n) => numbers.has(n)));
      return isKnown ? [{ ...list, number: null }] : [];
    });
  }
}

function isStored(list: KnownList): list is KnownList & StoredList {
  return list.number !== null;
}

/** True if the first, second or middle member shows that a list may continue another. */
function isAlike(value: readonly unknown[], known: readonly unknown[]): boolean {
  const most = Math.min(value.length, known.length);
  if (most === 0) return false;
  return [0, 1, most >> 1].some((place) => place < most && Object.is(value[place], known[place]));
}

function compared(value: readonly unknown[], { values, ends }: Omit<Met, 'from'>): { kept: number; again: number[] } {
  const most = Math.min(value.length, values.length);
  const others: number[] = [];
  let kept = 0;
  for (; kept < most; kept += 1) {
    const member = value[kept];
    if (Object.is(member, values[kept]) && (member !== undefined || Object.hasOwn(value, kept))) continue;
    // A hole is no member.
    if (others.length === OTHERS || !Object.hasOwn(value, kept)) break;
    others.push(kept);
  }
  return { kept, again: [...others, ...ends.unsure] };
}

/** The places of the members that are written again although they are sure. */
function inTurn(next: number, kept: number): { readonly places: readonly number[]; readonly next: number } {
  const last = Math.max(0, kept - LAST);
  const places: number[] = [];
  for (let place = last; place < kept; place += 1) places.push(place);
  const from = next < last ? next : 0;
  const to = Math.min(last, from + IN_TURN);
  for (let place = from; place < to; place += 1) places.push(place);
  return { places, next: to };
}

const REFERENCE = /\{"\$":(-?\d+)\}/g;

/** The numbers of the contents that a text refers to. A user's object that looks like a reference counts as one. */
function referredIn(text: string): number[] {
  return [...text.matchAll(REFERENCE)].map(([, number]) => Number(number));
}
