/** The contents of a run as its writer knows them: the stored texts and lists, and the rows of new ones. */
import { createHash } from 'node:crypto';
import type { Known, Measures, Storing } from '../codec-form.ts';
import type { Row } from '../journal.ts';
import { ContextParts } from './context-parts.ts';
import { CONTENT_KIND, listBody, PART, PART_KIND, referenceTo } from './form.ts';
import { type Begun, KnownLists, type Met, type StoredList } from './lists.ts';
import { ContentMemo } from './memo.ts';

/** A content that is stored. */
export interface StoredContent extends Measures {
  readonly number: number;
}

/** The number of texts that are known. One that is forgotten is stored again. */
const TEXTS = 65_536;
/** The least part of a list that the rest refers to, in characters. */
const WORTH = 64;

const NO_ROWS: readonly Row[] = [];

/** The hash that a text is known by. */
export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}

/** The contents of one run, for its writer. */
export class ContentWriter implements Storing {
  readonly parts = new ContextParts();
  #memo = new ContentMemo();
  readonly #texts: Map<string, StoredContent>;
  readonly #lists: KnownLists;
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
    this.#lists = new KnownLists(from.lists);
  }

  /** The number of contents that were ever stored. */
  get count(): number {
    return this.#count;
  }

  /** Knows what is stored, and stores nothing itself. */
  readonly unwritten: Storing = {
    put: () => '',
    list: () => '',
    begun: (value) => this.#lists.begun(value),
    known: (value) => this.#memo.known(value),
    remember: () => {},
    parts: this.parts,
  };

  /** The reference to a text, which is stored if it is new. */
  put(text: string, measures: Measures): string {
    return referenceTo(this.#stored(text, measures));
  }

  /** The reference to a list, of which only what is new is stored. */
  list(members: readonly string[], measures: Measures, met: Met): string {
    const { base, kept } = this.#lists.longest(members, met.from);
    if (base !== null && kept === members.length && kept === base.members.length) {
      this.#lists.use(base, base, met);
      return referenceTo(base.number);
    }
    const isWorth = base !== null && isLong(members, kept);
    const text = isWorth ? listBody(base.number, kept, members.slice(kept)) : `[${members.join(',')}]`;
    const number = this.#stored(text, measures);
    this.#lists.use(isWorth && kept === base.members.length ? base : null, { number, members }, met);
    return referenceTo(number);
  }

  begun(value: readonly unknown[]): Begun | null {
    return this.#lists.begun(value);
  }

  /** The number of a text that is stored and known. */
  numberOf(hash: string): number | undefined {
    return this.#texts.get(hash)?.number;
  }

  /** The number of a list that is stored and known, whole. */
  numberOfList(members: readonly string[]): number | undefined {
    return this.#lists.numberOf(members);
  }

  /** Forgets all contents but some: one that is forgotten is stored again, and no later row refers to it. */
  retain(numbers: { has(number: number): boolean }): void {
    for (const [hash, { number }] of this.#texts) if (!numbers.has(number)) this.#texts.delete(hash);
    this.#lists.retain(numbers);
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
}

/** True where the first members are worth a reference. */
function isLong(members: readonly string[], kept: number): boolean {
  let length = 0;
  for (let index = 0; index < kept && length < WORTH; index += 1) length += (members[index] as string).length;
  return length >= WORTH;
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
