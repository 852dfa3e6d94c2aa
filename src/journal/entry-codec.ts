/**
 * Entries as rows of the journal and back, as the table of entries has them (entry-table.ts). Values go through the codec; one that has no
 * text is left out, and said to be (semantics.md §3).
 */

import { ActorReference } from '../model/actor-reference.ts';
import type { Entry } from '../model/entry.ts';
import type { InstanceId } from '../model/instance.ts';
import { type EncodeOptions, encode, revive } from './codec.ts';
import type { RowReader, RowWriter } from './entry-forms.ts';
import { DEEPEST, kindNumbered, TABLE } from './entry-table.ts';
import { JournalError, type Row, type StoredRow } from './journal.ts';
import { encodingWith, LOSSES, type Lost, lostAt, type ValuePlace } from './lost.ts';
import { NAME_KIND, Names } from './names.ts';
import { Coded, type ValueCodec } from './value-codec.ts';

/** The format that this code writes, and the newest that it reads (style.md 13). */
export const FORMAT = 4;

/** The longest name that is worth a number. */
const LONGEST_NAME = 200;

/** Lays entries out, for the writer of a run. */
export class EntryEncoder {
  readonly #names: Names;
  readonly #writer: Writer;

  constructor(names = new Names(), codecs: readonly ValueCodec[] = []) {
    this.#names = names;
    this.#writer = new Writer(names, codecs);
  }

  /**
   * The rows of an entry, those of its new names first. `lost` is told what could not be written.
   * @throws JournalError `journal_cannot_write` where even what stands for a lost value has no text.
   */
  rows(entry: Entry, lost: (what: Lost) => void): Row[] {
    this.#writer.lost = lost;
    const { number, write } = TABLE[entry.do];
    const row = { kind: number, body: write(entry, this.#writer) };
    return [...this.#names.take(), row];
  }
}

/** Writes the names and values of one run. */
class Writer implements RowWriter {
  lost: (what: Lost) => void = () => {};
  readonly #names: Names;
  readonly #instances = new WeakMap<InstanceId, string>();
  readonly #options: EncodeOptions;

  constructor(names: Names, codecs: readonly ValueCodec[]) {
    this.#names = names;
    this.#options = encodingWith(codecs);
  }

  name(text: string): string {
    if (text.length > LONGEST_NAME) return JSON.stringify(text);
    try {
      return `${this.#names.id(text)}`;
    } catch (error) {
      if (error instanceof JournalError) return JSON.stringify(text);
      throw error;
    }
  }

  instance(id: InstanceId): string {
    const known = this.#instances.get(id);
    if (known !== undefined) return known;
    const { skeleton, entity, ordinal } = id;
    const name = this.name(JSON.stringify([skeleton, entity, ordinal]));
    this.#instances.set(id, name);
    return name;
  }

  value(value: unknown, standing: ValuePlace, at: readonly string[]): string {
    const encoded = encode(value, this.#options);
    if ('text' in encoded) return encoded.text;
    const { of, instead } = LOSSES[standing];
    const path = [...at, ...encoded.path];
    if (of !== null) this.lost({ of, path, reason: encoded.reason });
    const rest = encode(instead(value, path), this.#options);
    if ('text' in rest) return rest.text;
    const what = `${standing} has no text: ${rest.reason} at ${rest.path.join('.')}`;
    throw new JournalError('journal_cannot_write', what);
  }
}

/** The kind of a row's entry, without decoding it; null for rows that only define names, and for unknown kinds. */
export function kindOf({ kind }: StoredRow): Entry['do'] | null {
  return kindNumbered(kind);
}

/** Reads rows back, when a run is opened. */
export class EntryDecoder {
  readonly names = new Names();
  /** Places in the context whose values no journal could hold. */
  readonly missing = new Set<string>();
  /** The names of codecs that values were written with, and that are not at hand. */
  readonly unregistered = new Set<string>();
  readonly #codecs: readonly ValueCodec[];
  readonly #from: RowReader = {
    text: (name) => (typeof name === 'string' ? name : this.names.text(name as number)),
    instance: (name) => {
      const [skeleton, entity, ordinal] = JSON.parse(this.#from.text(name)) as [string, string, number];
      return { skeleton, entity, ordinal };
    },
  };

  constructor(codecs: readonly ValueCodec[] = []) {
    this.#codecs = codecs;
  }

  /**
   * The entry of a row; null for the rows that only name things.
   * @throws JournalError `journal_corrupt`, `journal_too_new`.
   */
  entry(row: StoredRow): Entry | null {
    if (row.kind === NAME_KIND) {
      this.names.learn(row);
      return null;
    }
    const kind = kindOf(row);
    if (kind === null) throw this.#corrupt(row, 'is of no kind that this version knows');
    try {
      const body = revive(JSON.parse(row.body), {
        resolve: (id) => this.#resolve(id),
        decode: (codec, form) => this.#decode(codec, form),
        around: DEEPEST,
      });
      const entry = TABLE[kind].read(body, this.#from);
      if (entry.do !== 'begin' || entry.format <= FORMAT) return entry;
      const newer = `the run was written in format ${entry.format}, and this version reads up to ${FORMAT}`;
      throw new JournalError('journal_too_new', `${newer}: use the newer Belay.`);
    } catch (error) {
      if (error instanceof JournalError) throw error;
      throw this.#corrupt(row, error instanceof Error ? error.message : 'cannot be read');
    }
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
