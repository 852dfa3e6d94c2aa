/**
 * The contents of a run as a reader of its journal knows them. A content is read at the first reference to it, and all
 * references share it. Nothing is trusted: a reference leads only to an earlier content, and the value of a content is
 * no larger than a writer allows.
 */
import { TAG } from '../codec-form.ts';
import type { Row } from '../journal.ts';
import type { Measured, ReadContent } from '../revive.ts';
import { CONTENT_KIND, damaged, LARGEST, LIST, PART_KIND } from './form.ts';
import type { StoredList } from './lists.ts';
import { hashOf, type StoredContent } from './writer.ts';

/** Reads what `JSON.parse` made of a text, and measures it. */
type ReadText = (parsed: unknown, content: (number: unknown) => ReadContent) => Measured;

/** A list: the number of members it shares with the beginning of another list, and the members after them. */
interface List {
  readonly base: number | null;
  readonly kept: number;
  readonly texts: readonly string[];
  readonly members: readonly ReadContent[];
}

/** A content that is known without its rows, by its number. */
export interface KnownContent {
  readonly number: number;
  readonly body: string;
}

interface Stored {
  readonly number: number;
  readonly hash: string;
  /** Null once it was read. */
  body: string | null;
  list: List | null;
  read: ReadContent | null;
}

/** The contents of one run, for a reader of its journal. */
export class ContentReader {
  readonly #all: Stored[] = [];
  /** The beginning of the content that goes on in the next row. */
  #parts: string[] = [];
  readonly #read: ReadText;
  /** Where those stand that are known without their rows; all others follow, numbered from `#from`. */
  readonly #known = new Map<number, number>();
  readonly #from: number;

  /**
   * @param known contents that are known without their rows; a content comes after the contents that it refers to.
   * @param from the number of the first content whose row is still to come.
   */
  constructor(read: ReadText, known: readonly KnownContent[] = [], from = 0) {
    this.#read = read;
    this.#from = from;
    for (const { number, body } of known) {
      this.#known.set(number, this.#all.length);
      this.#all.push({ number, hash: hashOf(body), body, list: null, read: null });
    }
  }

  get count(): number {
    return this.#from + this.#all.length - this.#known.size;
  }

  /** The place of a content among all. */
  #placeOf(number: unknown): number | undefined {
    if (!Number.isSafeInteger(number)) return undefined;
    const known = this.#known.get(number as number);
    return known ?? ((number as number) < this.#from ? undefined : (number as number) - this.#from + this.#known.size);
  }

  /**
   * Takes in a row, where it holds a content or a part of one.
   * @throws JournalError `journal_corrupt` for another row where a content goes on.
   */
  learn({ kind, body }: Row): boolean {
    if (kind === PART_KIND) this.#parts.push(body);
    else if (kind === CONTENT_KIND) {
      const text = this.#parts.length === 0 ? body : [...this.#parts, body].join('');
      this.#parts = [];
      this.#all.push({ number: this.count, hash: hashOf(text), body: text, list: null, read: null });
    } else if (this.#parts.length > 0) throw damaged(`content ${this.#all.length} does not go on`);
    else return false;
    return true;
  }

  /**
   * A content by its number.
   * @param before the place of the referring content, if a content refers to it: only earlier contents are allowed.
   * @throws JournalError `journal_corrupt`.
   */
  content(number: unknown, before = this.#all.length): ReadContent {
    const at = this.#placeOf(number) ?? before;
    const stored = at < before ? this.#all[at] : undefined;
    if (stored === undefined) throw damaged(`content ${String(number)} is used, and only ${before} are there`);
    if (stored.read !== null) return stored.read;
    const list = this.#listAt(at);
    const read =
      list === null ? this.#measured(parsed(at, stored.body ?? ''), stored.body ?? '', at) : this.#whole(at, list);
    if (read.size > LARGEST) throw damaged(`content ${at} is larger than any that is written`);
    stored.read = read;
    stored.body = null;
    return read;
  }

  #measured(parsed: unknown, text: string, at: number): ReadContent {
    const { value, height, held } = this.#read(parsed, (inner) => this.content(inner, at));
    return { value, height, size: text.length + held };
  }

  /** A content as a list, without the lists that it grew from; null if it is no list. */
  #listAt(at: number): List | null {
    const stored = this.#all[at] as Stored;
    if (stored.list !== null || stored.body === null) return stored.list;
    const found = listOf(parsed(at, stored.body));
    if (found === null) return null;
    const { base, kept, items } = found;
    const from = base === null ? null : (this.#placeOf(base) ?? at);
    if (from !== null && !(from < at && isCount(kept))) throw damaged(`list ${at} grows from no other`);
    const texts = items.map((item) => JSON.stringify(item));
    const members = items.map((item, index) => this.#measured(item, texts[index] as string, at));
    stored.list = { base: from, kept: kept as number, texts, members };
    stored.body = null;
    return stored.list;
  }

  #whole(at: number, list: List): ReadContent {
    const { base, kept, members } = list;
    const before = base === null ? null : (this.#all[base] as Stored).read;
    // The usual case: it is the list before it, and more.
    if (before !== null && Array.isArray(before.value) && before.value.length === kept && this.#listAt(base as number))
      return grown(before, members);
    const all = this.#partsOf(at, list).flatMap(([part, most]) => part.slice(0, most));
    return grown({ value: [], height: 1, size: 2 }, all);
  }

  /** The parts of a list in their order, and how many members of each belong to it. */
  #partsOf(at: number, list: List): (readonly [readonly ReadContent[], number, readonly string[]])[] {
    const parts: (readonly [readonly ReadContent[], number, readonly string[]])[] = [];
    let most = Number.POSITIVE_INFINITY;
    for (let each = list; ; ) {
      parts.push([each.members, Math.max(0, Math.min(each.members.length, most - each.kept)), each.texts]);
      most = Math.min(most, each.kept);
      if (each.base === null) break;
      const next = this.#listAt(each.base);
      if (next === null) throw damaged(`list ${at} grows from content ${each.base}, which is no list`);
      if (next.kept + next.members.length < most)
        throw damaged(`list ${at} has more of list ${each.base} than there is`);
      each = next;
    }
    return parts.reverse();
  }

  /** The contents by their hashes, those that were read, for a writer that goes on. */
  *texts(): Generator<readonly [string, StoredContent]> {
    for (const { number, hash, read } of this.#all)
      if (read !== null && number >= 0) yield [hash, { number, height: read.height, size: read.size }];
  }

  /** The last of each list that has grown, in the order of their numbers, for a writer that goes on. */
  lists(most: number): StoredList[] {
    const found: StoredList[] = [];
    const isBase = new Set<number>();
    for (let at = this.#all.length - 1; at >= 0 && found.length < most; at -= 1) {
      const { number, list, read } = this.#all[at] as Stored;
      if (list?.base != null) isBase.add(list.base);
      if (list === null || read === null || isBase.has(at) || number < 0) continue;
      const members = this.#partsOf(at, list).flatMap(([, most, texts]) => texts.slice(0, most));
      found.unshift({ number, members });
    }
    return found;
  }
}

/** A list and the members that follow. */
function grown({ value, height, size }: ReadContent, members: readonly ReadContent[]): ReadContent {
  return {
    value: (value as unknown[]).concat(members.map((member) => member.value)),
    height: members.reduce((highest, member) => Math.max(highest, member.height + 1), height),
    size: members.reduce((sum, member) => sum + member.size + 1, size),
  };
}

/** The parts of a list's stored form; null if the value is no list, or has holes. */
function listOf(body: unknown): { base: unknown; kept: unknown; items: readonly unknown[] } | null {
  if (Array.isArray(body)) return body.some(isHole) ? null : { base: null, kept: 0, items: body };
  if (typeof body !== 'object' || body === null || !Object.hasOwn(body, TAG)) return null;
  const content = (body as Record<string, unknown>)[TAG];
  if (!Array.isArray(content) || content[0] !== LIST) return null;
  const [, base, kept, ...items] = content as unknown[];
  return { base: base ?? -1, kept, items };
}

function isHole(item: unknown): boolean {
  return typeof item === 'object' && item !== null && (item as Record<string, unknown>)[TAG] === 'hole';
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function parsed(at: number, body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    throw damaged(`content ${at} is no JSON`);
  }
}
