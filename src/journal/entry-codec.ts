/**
 * Entries as rows of the journal and back, as the table of entries has them (entry-table.ts). Values go through the codec; one that has no
 * text is left out, and said to be (semantics.md §3).
 */

import { ActorReference } from '../model/actor-reference.ts';
import type { Entry } from '../model/entry.ts';
import type { InstanceId } from '../model/instance.ts';
import { type Key, parseKey } from '../model/key.ts';
import { RowTexts } from './codec/row-texts.ts';
import { damaged, LARGEST_ROW } from './contents/form.ts';
import { LISTS } from './contents/lists.ts';
import { ContentReader, type KnownContent } from './contents/reader.ts';
import { ContentWriter } from './contents/writer.ts';
import type { RowReader } from './entry-forms.ts';
import { DEEPEST, kindNumbered, TABLE } from './entry-table.ts';
import { JournalError, type Row, type StoredRow } from './journal.ts';
import { type Lost, lostAt } from './lost.ts';
import { NAME_KIND, Names } from './names.ts';
import { type Measured, type ReadContent, reviveMeasured } from './revive.ts';
import { Coded, type ValueCodec } from './value-codec.ts';

/** The format of the rows of a run, which its first row names (style.md 13). Until the first release it changes in place. */
export const FORMAT = 1;

/** Lays entries out, for the writer of a run. */
export class EntryEncoder {
  readonly #names: Names;
  readonly #writer: RowTexts;

  readonly #contents: ContentWriter;

  constructor(names = new Names(), codecs: readonly ValueCodec[] = [], contents = new ContentWriter()) {
    this.#names = names;
    this.#contents = contents;
    this.#writer = new RowTexts(names, codecs, contents);
  }

  /** The names and the contents that are written. */
  get written(): { readonly names: Names; readonly contents: ContentWriter } {
    return { names: this.#names, contents: this.#contents };
  }

  /** Trusts the parts of the contexts that were read to be unchanged; with `verify`, trusts no part. */
  trust(actors: Iterable<{ readonly context: unknown }>, verify = false): void {
    const { parts } = this.#contents;
    if (verify) parts.trustNone();
    else for (const { context } of actors) parts.addAll(context);
  }

  /** Does what changes no value: each is held against what was written before once. No code of a machine's may be called in it. */
  grouped<T>(work: () => T): T {
    this.#contents.group(true);
    try {
      return work();
    } finally {
      this.#contents.group(false);
    }
  }

  /** Announces a part of steps that comes again, and never changes: its text is made once. */
  expect(part: object): void {
    this.#writer.expect(part);
  }

  /** Finds where in a value of the context the first thing lies that no journal holds; null where it can be written. Writes nothing. */
  lostIn(value: unknown, at: readonly string[]): Omit<Lost, 'of'> | null {
    return this.#writer.lostIn(value, at);
  }

  /**
   * The rows of an entry, those of its new contents and names first. `lost` is told what could not be written.
   * @throws JournalError `journal_cannot_write` where even what stands for a lost value has no text.
   */
  rows(entry: Entry, lost: (what: Lost) => void): Row[] {
    const rows: Row[] = [];
    this.add(rows, entry, lost);
    return rows;
  }

  /** Adds the rows of an entry to others. */
  add(rows: Row[], entry: Entry, lost: (what: Lost) => void): void {
    this.#writer.begin(lost);
    const { number, write } = TABLE[entry.do];
    const row = { kind: number, body: write(entry, this.#writer) };
    for (const content of this.#contents.take()) rows.push(content);
    for (const name of this.#names.take()) rows.push(name);
    rows.push(row);
  }
}

/** The kind of a row's entry, without decoding it; null for rows that only define names or contents, and for unknown kinds. */
export function kindOf({ kind }: StoredRow): Entry['do'] | null {
  return kindNumbered(kind);
}

/** The names and contents of a run whose first rows are not read. */
export interface KnownBefore {
  readonly names: readonly string[];
  readonly contents: readonly KnownContent[];
  /** The number of contents that its rows have stored. */
  readonly count: number;
}

/** Reads rows back, when a run is opened. */
export class EntryDecoder {
  readonly names: Names;
  /** Places in the context whose values no journal could hold. */
  readonly missing = new Set<string>();
  /** The names of codecs that values were written with, and that are not at hand. */
  readonly unregistered = new Set<string>();
  readonly #contents: ContentReader;
  /** The instances and keys that names stand for, by their numbers: one that repeats is read once, and is one value. */
  readonly #instances = new Map<unknown, InstanceId>();
  readonly #keys = new Map<unknown, Key>();
  readonly #codecs: readonly ValueCodec[];
  readonly #from: RowReader = {
    text: (name) => (typeof name === 'string' ? name : this.names.text(name as number)),
    instance: (name) => {
      const known = this.#instances.get(name);
      if (known !== undefined) return known;
      const [skeleton, entity, ordinal] = JSON.parse(this.#from.text(name)) as [string, string, number];
      const id = { skeleton, entity, ordinal };
      if (typeof name === 'number') this.#instances.set(name, id);
      return id;
    },
    key: (name) => {
      const known = this.#keys.get(name);
      if (known !== undefined) return known;
      const key = parseKey(this.#from.text(name));
      if (typeof name === 'number') this.#keys.set(name, key);
      return key;
    },
  };

  /** @param from what is known already, where the first rows are not read. */
  constructor(codecs: readonly ValueCodec[] = [], from: Partial<KnownBefore> = {}) {
    this.#codecs = codecs;
    this.names = new Names(from.names);
    this.#contents = new ContentReader((parsed, content) => this.#read(parsed, content), from.contents, from.count);
  }

  /** The entry of a kind that has a text in a base. */
  entryOf(kind: Entry['do'], body: string): Entry {
    return TABLE[kind].read(this.valueOf(body, DEEPEST), this.#from);
  }

  /** The value that has a text in a base. */
  valueOf(body: string, around = 0): unknown {
    return this.#read(JSON.parse(body), (number) => this.#contents.content(number), around).value;
  }

  /**
   * The entry of a row; null for the rows that only name things or hold contents.
   * @throws JournalError `journal_corrupt`, `journal_not_ours`.
   */
  entry(row: StoredRow): Entry | null {
    if (this.#contents.learn(row)) return null;
    if (row.kind === NAME_KIND) {
      this.names.learn(row);
      return null;
    }
    const kind = kindOf(row);
    if (kind === null) throw this.#corrupt(row, 'is of no kind that this version knows');
    try {
      const { value, held } = this.#read(JSON.parse(row.body), (number) => this.#contents.content(number), DEEPEST);
      if (held > LARGEST_ROW) throw damaged(`row ${row.seq} is larger than any that is written`);
      const entry = TABLE[kind].read(value, this.#from);
      if (entry.do !== 'begin' || entry.format === FORMAT) return entry;
      const other = `the run was written in format ${entry.format}, and this Belay has format ${FORMAT}`;
      throw new JournalError('journal_not_ours', `${other}: use the Belay that wrote it.`);
    } catch (error) {
      if (error instanceof JournalError) throw error;
      throw this.#corrupt(row, error instanceof Error ? error.message : 'cannot be read');
    }
  }

  /** The contents for a writer that goes on. */
  contentsToWrite(): ContentWriter {
    const { count } = this.#contents;
    return new ContentWriter({ count, texts: this.#contents.texts(), lists: this.#contents.lists(LISTS) });
  }

  #read(parsed: unknown, content: (number: unknown) => ReadContent, around = 0): Measured {
    const resolve = (id: string) => this.#resolve(id);
    const decode = (codec: string, form: unknown) => this.#decode(codec, form);
    return reviveMeasured(parsed, { resolve, decode, content, around });
  }

  #corrupt(row: StoredRow, why: string): JournalError {
    return new JournalError('journal_corrupt', `row ${row.seq} ${why}`);
  }

  #resolve(reference: string): unknown {
    const place = lostAt(reference);
    if (place === null) return new ActorReference(reference);
    this.missing.add(place);
    return undefined;
  }

  #decode(name: string, form: unknown): unknown {
    const codec = this.#codecs.find((each) => each.name === name);
    if (codec !== undefined) return codec.decode(form as never);
    this.unregistered.add(name);
    return new Coded(name, form);
  }
}
