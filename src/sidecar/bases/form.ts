/**
 * A base as bytes: a head, the state of the run, and parts that later bases share with it. Those are the contents and the entries that the state
 * refers to by their numbers, a line for each, and the pages of the oldest steps: they never change, so that the next base adds the new ones alone.
 */

import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { Limits } from '../../history/paged.ts';
import type { BasePart } from '../../journal/journal.ts';
import type { SavedPage } from '../../projection/base/page.ts';
import type { SavedRun } from '../../projection/base/run.ts';
import type { RunNoteFold } from '../../reports/run-note.ts';

/** The version of the form. A base of any other is no base. */
const VERSION = 5;

/** The largest state that is read, in bytes, unpacked. */
const LARGEST = 512 * 1024 * 1024;

/** A part that bases share: a number of lines, numbered on from the last line of the part before. */
export interface Lines {
  readonly count: number;
  readonly packed: BasePart;
}

/** A page of the oldest steps; it never changes. */
interface PackedPage {
  readonly count: number;
  readonly upTo: Limits;
  readonly packed: BasePart;
}

/** The members of a base. */
export interface BaseContent {
  readonly state: {
    readonly run: SavedRun;
    readonly note: RunNoteFold['parts'];
    readonly names: readonly string[];
    /** The number of contents that the rows have stored. */
    readonly count: number;
    /** The names of the codecs that its values need. */
    readonly codecs: readonly string[];
  };
  readonly contents: readonly Lines[];
  readonly entries: readonly Lines[];
  /** From the oldest on. */
  readonly pages: readonly PackedPage[];
}

/** A page as a part. */
export function packedPage(page: SavedPage): BasePart {
  return pack(JSON.stringify(page));
}

/** The page that a part holds. */
export function pageIn(packed: BasePart): SavedPage {
  return JSON.parse(unpack(packed));
}

/** The lines as a part. */
export function linesOf(lines: readonly string[]): Lines {
  return { count: lines.length, packed: pack(lines.join('\n')) };
}

/** The lines of a part. */
export function linesIn({ count, packed }: Lines): readonly string[] {
  const lines = count === 0 ? [] : unpack(packed).split('\n');
  if (lines.length !== count) throw new RangeError(`a part has ${lines.length} lines, and says ${count}`);
  return lines;
}

/** A base as the journal keeps it. */
export function partsOf({ state, contents, entries, pages }: BaseContent): BasePart[] {
  const counts = (all: readonly Lines[]) => all.map(({ count }) => count);
  const limits = pages.map(({ count, upTo: { at, nth, act } }) => [count, at, nth, act]);
  const head = JSON.stringify({ base: VERSION, contents: counts(contents), entries: counts(entries), pages: limits });
  const shared = [...contents, ...entries, ...pages].map(({ packed }) => packed);
  return [pack(head), pack(JSON.stringify(state)), ...shared];
}

/** The base that parts hold; null where it is of another version. @throws Error where they hold none. */
export function contentOf([head, state, ...shared]: readonly BasePart[]): BaseContent | null {
  if (head === undefined || state === undefined) throw new RangeError('a base has a head and a state');
  const { base, contents, entries, pages } = JSON.parse(unpack(head)) as Record<string, unknown>;
  if (base !== VERSION) return null;
  if (!isCounts(contents) || !isCounts(entries) || !Array.isArray(pages) || !pages.every(isCounts))
    throw new RangeError('a base has another head than it should');
  const lines = [...contents, ...entries].map((count, index): Lines => ({ count, packed: shared[index] as BasePart }));
  const others = shared.slice(lines.length);
  if (others.length !== pages.length) throw new RangeError('a base has other parts than its head says');
  const read: BaseContent['state'] = JSON.parse(unpack(state));
  return {
    state: read,
    contents: lines.slice(0, contents.length),
    entries: lines.slice(contents.length),
    pages: others.map((packed, index) => {
      const [count = 0, at = 0, nth = 0, act = 0] = pages[index] as number[];
      return { count, upTo: { at, nth, act }, packed };
    }),
  };
}

function isCounts(value: unknown): value is number[] {
  return Array.isArray(value) && value.every((each) => Number.isSafeInteger(each) && each >= 0);
}

function pack(text: string): BasePart {
  return deflateRawSync(text, { level: 1 });
}

function unpack(bytes: BasePart): string {
  return inflateRawSync(bytes, { maxOutputLength: LARGEST }).toString('utf8');
}
