/** Cuts a journal in two, lays the state between the halves down as a base, and goes on from that. */
import { entriesOf } from '../../../src/journal/entries.ts';
import { EntryDecoder, EntryEncoder } from '../../../src/journal/entry-codec.ts';
import type { StoredRow } from '../../../src/journal/journal.ts';
import type { ValueCodec } from '../../../src/journal/value-codec.ts';
import { plainRun } from '../../../src/projection/base/plain.ts';
import { RunState } from '../../../src/projection/run-state.ts';
import { RunNoteFold } from '../../../src/reports/run-note.ts';
import { difference } from '../../../src/sidecar/bases/compared.ts';
import { type LoadedBase, rebuilt } from '../../../src/sidecar/bases/loaded-base.ts';
import { BaseWriter } from '../../../src/sidecar/bases/writing-bases.ts';

/** So few steps stay in memory that nearly every question reaches behind them. */
const NEWEST = 2;

/** A run that is folded row by row. */
class Folding {
  runState: RunState;
  note = new RunNoteFold();
  readonly #reader: EntryDecoder;
  readonly #codecs: readonly ValueCodec[];
  readonly #writer: BaseWriter;
  #from: LoadedBase | null = null;

  constructor(codecs: readonly ValueCodec[] = []) {
    this.#codecs = codecs;
    this.runState = new RunState(undefined, undefined, codecs);
    this.#reader = new EntryDecoder(codecs);
    this.#writer = new BaseWriter(new EntryEncoder(this.#reader.names, codecs), codecs, null);
  }

  take(row: StoredRow): void {
    for (const { entry, fold } of entriesOf([row], this.#reader)) {
      fold(() => this.runState.apply(entry, row.time));
      this.note.take(entry, row.time);
    }
  }

  /** Makes a base, and goes on: from here on the entries of its steps are read from there. */
  settle(): void {
    this.#writer.base(this.runState, this.note, NEWEST);
  }

  /** Goes on with the state that a base of it comes to. */
  reload(): void {
    const encoder = new EntryEncoder(this.#reader.names, this.#codecs);
    const parts = new BaseWriter(encoder, this.#codecs, this.#from).base(this.runState, this.note, NEWEST);
    const again = rebuilt(parts, this.#codecs);
    if (again === null) throw new Error('there is no base');
    this.#from = again.base;
    this.runState = again.runState;
    this.note = again.note;
  }

  get plain(): unknown {
    return [plainRun(this.runState), this.note.parts];
  }
}

/**
 * Folds rows as they are, with a base at each of some rows that another process goes on from, and with one after which the same process goes on.
 * @returns where they differ; null where they come to the same.
 */
export function differenceWith(
  rows: readonly StoredRow[],
  cuts: readonly number[],
  codecs: readonly ValueCodec[] = [],
) {
  const [whole, cut, settled] = [new Folding(codecs), new Folding(codecs), new Folding(codecs)];
  // What is compared is paged in for it: these two are compared in the end alone.
  const [cutOut, settledOut] = [new Folding(codecs), new Folding(codecs)];
  const differing = () => difference([whole.plain, whole.plain], [cut.plain, settled.plain]);
  for (const row of rows) {
    for (const each of [whole, cut, settled, cutOut, settledOut]) each.take(row);
    if (!cuts.includes(row.seq)) continue;
    for (const each of [cut, cutOut]) each.reload();
    for (const each of [settled, settledOut]) each.settle();
    const found = differing();
    if (found !== null) return `after row ${row.seq}: ${found}`;
  }
  return differing() ?? difference([whole.plain, whole.plain], [cutOut.plain, settledOut.plain]);
}
