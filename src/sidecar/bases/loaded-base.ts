/** A base that was read: makes the state of its run again. Its entries are unpacked when they are first asked for. */

import { kindOfNumber } from '../../journal/base/codec.ts';
import type { KnownContent } from '../../journal/contents/reader.ts';
import { EntryDecoder } from '../../journal/entry-codec.ts';
import type { BasePart } from '../../journal/journal.ts';
import type { ValueCodec } from '../../journal/value-codec.ts';
import type { Entry } from '../../model/entry.ts';
import type { StepEntry } from '../../model/step-entry.ts';
import { unpacked } from '../../projection/base/columns.ts';
import type { BaseSource } from '../../projection/base/loading.ts';
import { storedPage } from '../../projection/base/page.ts';
import { loadRun } from '../../projection/base/run.ts';
import { RunState } from '../../projection/run-state.ts';
import { RunNoteFold } from '../../reports/run-note.ts';
import { type BaseContent, contentOf, type Lines, linesIn, pageIn } from './form.ts';

/** The number of parts that stay unpacked: what is asked for lies together. */
const UNPACKED = 4;

/** The state of a run that a base came to, and what reads the rows after it. */
export interface Rebuilt {
  readonly base: LoadedBase;
  readonly runState: RunState;
  readonly reader: EntryDecoder;
  readonly note: RunNoteFold;
}

/** Makes the state of a run again; null where the base is of another version, or needs a codec that is not there. @throws Error where it is damaged. */
export function rebuilt(parts: readonly BasePart[], codecs: readonly ValueCodec[] = []): Rebuilt | null {
  const content = contentOf(parts);
  if (content === null) return null;
  if (!content.state.codecs.every((name) => codecs.some((codec) => codec.name === name))) return null;
  const base = new LoadedBase(content, codecs);
  base.listed = content.state.run.steps.count;
  const runState = new RunState(undefined, undefined, codecs);
  const around = { source: base, history: runState.history };
  for (const page of content.pages) runState.pages.readd(storedPage(page, () => pageIn(page.packed), around));
  loadRun(runState, content.state.run, base);
  const note = new RunNoteFold();
  note.resumeAt(content.state.note);
  return { base, runState, reader: base.reader, note };
}

/** The members of a base that its lines are read with. */
export interface LineContent extends Pick<BaseContent, 'contents' | 'entries'> {
  readonly state: Pick<BaseContent['state'], 'codecs' | 'count' | 'names'>;
}

/** The parts of one base. */
export class LoadedBase implements BaseSource {
  readonly reader: EntryDecoder;
  readonly codecs: readonly string[];
  /** The numbers of the base's contents. */
  readonly known: readonly number[];
  readonly contentLines: readonly Lines[];
  readonly entryLines: readonly Lines[];
  /** The number of steps that it lists, besides its pages. */
  listed = 0;
  /** The number of the first entry of each part. */
  readonly #starts: number[] = [];
  readonly #unpacked = new Map<number, readonly string[]>();
  readonly #numbers = new WeakMap<Entry, number>();

  constructor({ state, contents, entries }: LineContent, codecs: readonly ValueCodec[]) {
    const { names, count } = state;
    const known = contents.flatMap((part) => linesIn(part).map(contentIn));
    this.reader = new EntryDecoder(codecs, { names, contents: known, count });
    this.codecs = state.codecs;
    this.known = known.map(({ number }) => number);
    this.contentLines = contents;
    this.entryLines = entries;
    let start = 0;
    for (const part of entries) {
      this.#starts.push(start);
      start += part.count;
    }
  }

  entry(stored: unknown): Entry {
    const line = this.#line(stored as number);
    const space = line.indexOf(' ');
    const entry = this.reader.entryOf(kindOfNumber(Number(line.slice(0, space))), line.slice(space + 1));
    this.#numbers.set(entry, stored as number);
    return entry;
  }

  /** The number of an entry that was read from this base. */
  numberOf(entry: Entry): number | undefined {
    return this.#numbers.get(entry);
  }

  step(stored: unknown): StepEntry {
    return this.entry(stored) as StepEntry;
  }

  value(stored: unknown): unknown {
    return this.reader.valueOf(stored as string);
  }

  numbers(stored: unknown): readonly number[] {
    return unpacked(stored as string);
  }

  #line(number: number): string {
    const part = this.#starts.findLastIndex((start) => start <= number);
    const lines = this.#unpacked.get(part) ?? linesIn(this.entryLines[part] as Lines);
    this.#unpacked.delete(part);
    this.#unpacked.set(part, lines);
    if (this.#unpacked.size > UNPACKED) this.#unpacked.delete(this.#unpacked.keys().next().value as number);
    const line = lines[number - (this.#starts[part] as number)];
    if (line === undefined) throw new RangeError(`there is no entry ${number}`);
    return line;
  }
}

function contentIn(line: string): KnownContent {
  const space = line.indexOf(' ');
  const number = Number(line.slice(0, space));
  if (!Number.isSafeInteger(number)) throw new RangeError('a content has no number');
  return { number, body: line.slice(space + 1) };
}
