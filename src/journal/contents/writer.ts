/** The contents of a run as its writer knows them: which texts and lists are stored already, and the rows of those that are not. */
import { createHash } from 'node:crypto';
import type { Known, Measures, Storing } from '../codec-form.ts';
import type { Row } from '../journal.ts';
import { CONTENT_KIND, listBody, PART, PART_KIND, referenceTo } from './form.ts';
import { ContentMemo } from './memo.ts';

/** A content that is stored. */
export interface StoredContent extends Measures {
  readonly number: number;
}

/** A list that is stored, and the texts of its members. */
export interface StoredList {
  readonly number: number;
  readonly members: readonly string[];
}

/** The number of texts that are known. One that is forgotten is stored again. */
const TEXTS = 65_536;
/** The number of lists that are known: the last one of each that grows. */
export const LISTS = 8;
/** The least part of a list that the rest refers to, in characters. */
const WORTH = 64;

const NO_ROWS: readonly Row[] = [];

/** The hash that a text is known by. */
export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}

/** The contents of one run, for its writer. */
export class ContentWriter implements Storing {
  #memo = new ContentMemo();
  readonly #texts: Map<string, StoredContent>;
  /** The one that was used last stands last. */
  #lists: StoredList[];
  #count: number;
  #queued: Row[] = [];

  /** @param from what a reader of the same journal knows. */
  constructor(
    from: {
      readonly count: number;
      readonly texts: Iterable<readonly [string, StoredContent]>;
      readonly lists: readonly StoredList[];
    } = { count: 0, texts: [], lists: [] },
  ) {
    this.#count = from.count;
    this.#texts = new Map(from.texts);
    this.#lists = from.lists.slice(-LISTS);
  }

  /** The number of contents that were ever stored. */
  get count(): number {
    return this.#count;
  }

  /** Knows what is stored, and stores nothing itself. */
  readonly unwritten: Storing = {
    put: () => '',
    list: () => '',
    known: (value) => this.#memo.known(value),
    remember: () => {},
  };

  /** The reference to a text, which is stored if it is new. */
  put(text: string, measures: Measures): string {
    return referenceTo(this.#stored(text, measures));
  }

  /** The reference to a list, of which only what is new is stored. */
  list(members: readonly string[], measures: Measures): string {
    const { base, kept } = this.#longest(members);
    if (base !== null && kept === members.length && kept === base.members.length) {
      this.#use(base, base);
      return referenceTo(base.number);
    }
    const isWorth = base !== null && members.slice(0, kept).reduce((sum, each) => sum + each.length, 0) >= WORTH;
    const text = isWorth ? listBody(base.number, kept, members.slice(kept)) : `[${members.join(',')}]`;
    const number = this.#stored(text, measures);
    this.#use(isWorth && kept === base.members.length ? base : null, { number, members });
    return referenceTo(number);
  }

  /** The number of a text that is stored and known. */
  numberOf(hash: string): number | undefined {
    return this.#texts.get(hash)?.number;
  }

  /** The number of a list that is stored and known, whole. */
  numberOfList(members: readonly string[]): number | undefined {
    const isSame = (list: StoredList) =>
      list.members.length === members.length && list.members.every((member, index) => member === members[index]);
    return this.#lists.find(isSame)?.number;
  }

  /** Forgets all contents but some: one that is forgotten is stored again, and no later row refers to it. */
  retain(numbers: { has(number: number): boolean }): void {
    for (const [hash, { number }] of this.#texts) if (!numbers.has(number)) this.#texts.delete(hash);
    this.#lists = this.#lists.filter(({ number }) => numbers.has(number));
    this.#memo = new ContentMemo();
  }

  /** Begins or ends a group of rows, in the middle of which no value is changed. */
  group(isOpen: boolean): void {
    this.#memo.group(isOpen);
  }

  known(value: object): Known | null {
    return this.#memo.known(value);
  }

  remember(value: object, known: Known, hasClass: boolean): void {
    this.#memo.remember(value, known, hasClass);
  }

  /** The rows of the contents that are new since the last call. They must be appended before the rows that use them. */
  take(): readonly Row[] {
    if (this.#queued.length === 0) return NO_ROWS;
    const rows = this.#queued;
    this.#queued = [];
    return rows;
  }

  #stored(text: string, { height, size }: Measures): number {
    const hash = hashOf(text);
    const known = this.#texts.get(hash);
    if (known !== undefined) {
      this.#texts.delete(hash);
      this.#texts.set(hash, known);
      return known.number;
    }
    const number = this.#count;
    this.#count += 1;
    const parts = partsOf(text);
    for (const [index, body] of parts.entries())
      this.#queued.push({ kind: index === parts.length - 1 ? CONTENT_KIND : PART_KIND, body });
    this.#texts.set(hash, { number, height, size });
    if (this.#texts.size > TEXTS) this.#texts.delete(this.#texts.keys().next().value as string);
    return number;
  }

  /** The list that begins most like the members, and how many of them are the same. */
  #longest(members: readonly string[]): { base: StoredList | null; kept: number } {
    let [base, kept]: [StoredList | null, number] = [null, 0];
    for (let index = this.#lists.length - 1; index >= 0; index -= 1) {
      const list = this.#lists[index] as StoredList;
      const most = Math.min(list.members.length, members.length);
      let same = 0;
      while (same < most && list.members[same] === members[same]) same += 1;
      if (same > kept) [base, kept] = [list, same];
      if (kept === list.members.length && kept >= members.length - 1) break;
    }
    return { base, kept };
  }

  /** Puts a list in its place as the one that was used last. */
  #use(instead: StoredList | null, list: StoredList): void {
    const index = instead === null ? -1 : this.#lists.indexOf(instead);
    if (index >= 0) this.#lists.splice(index, 1);
    this.#lists.push(list);
    if (this.#lists.length > LISTS) this.#lists.shift();
  }
}

/** The text in parts that a row holds each, none of which ends within a character. */
function partsOf(text: string): string[] {
  const bytes = Buffer.from(text);
  if (bytes.length <= PART) return [text];
  const parts: string[] = [];
  for (let from = 0; from < bytes.length; ) {
    let to = Math.min(from + PART, bytes.length);
    while (to < bytes.length && ((bytes[to] as number) & 0xc0) === 0x80) to -= 1;
    parts.push(bytes.toString('utf8', from, to));
    from = to;
  }
  return parts;
}
