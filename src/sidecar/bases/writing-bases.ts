/** Makes the bases of a run, while it runs: each from the state that its rows have come to, and from the parts of the one before it. */

import type { CallSource, LedgerCall } from '../../effects/ledger-call.ts';
import { BaseEncoder, kindNumberOf } from '../../journal/base/codec.ts';
import { BaseContents } from '../../journal/base/contents.ts';
import type { EntryEncoder } from '../../journal/entry-codec.ts';
import type { BasePart } from '../../journal/journal.ts';
import type { ValueCodec } from '../../journal/value-codec.ts';
import type { Entry } from '../../model/entry.ts';
import type { StepEntry } from '../../model/step-entry.ts';
import { packed } from '../../projection/base/columns.ts';
import { savedRun } from '../../projection/base/run.ts';
import type { BaseTexts } from '../../projection/base/saving.ts';
import { dropContexts } from '../../projection/base/steps.ts';
import type { RunState } from '../../projection/run-state.ts';
import type { RecordedStep, StepSource } from '../../projection/state-types.ts';
import type { RunNoteFold } from '../../reports/run-note.ts';
import { type Lines, linesOf, partsOf } from './form.ts';
import { type LineContent, LoadedBase } from './loaded-base.ts';

/** The most entries of one part. */
const ENTRIES = 1_024;

/** The parts that bases share are made anew once this many of their entries are referred to no more, and more than are. */
const LOOSE = 4_096;

/** The bases of one run. */
export class BaseWriter {
  readonly #encoder: EntryEncoder;
  readonly #codecs: readonly ValueCodec[];
  readonly #used: Set<string>;
  #shared: Shared;

  /** @param from the base that the run was taken up from; null where all of its rows were read. */
  constructor(encoder: EntryEncoder, codecs: readonly ValueCodec[], from: LoadedBase | null) {
    this.#encoder = encoder;
    this.#used = new Set(from?.codecs);
    this.#codecs = codecs.map((codec) => this.#noting(codec));
    this.#shared = this.#sharing(from);
  }

  /** Notes which codecs are used: without one of them a base cannot be read. */
  #noting(codec: ValueCodec): ValueCodec {
    return {
      name: codec.name,
      is: (value) => {
        const is = codec.is(value);
        if (is) this.#used.add(codec.name);
        return is;
      },
      encode: (value) => codec.encode(value),
      decode: (form) => codec.decode(form),
      isPlain: (value) => codec.isPlain?.(value) === true,
    };
  }

  #sharing(from: LoadedBase | null): Shared {
    const { names, contents } = this.#encoder.written;
    const own = new BaseContents(contents, from?.known);
    return new Shared(new BaseEncoder(names, this.#codecs, own), own, { from, codecs: this.#codecs });
  }

  /**
   * Makes a base of the state of a run, to which all of its rows have come. Its writer forgets what the base does not have, so that no row after
   * it refers to one before; and the run keeps the entries of its steps no longer.
   * @throws NoBase where something in it has no text.
   */
  base(runState: RunState, note: RunNoteFold): BasePart[] {
    const { names, contents, ...written } = this.#encoder.written;
    let run = savedRun(runState, this.#shared);
    if (this.#shared.isLoose) {
      this.#shared = this.#sharing(null);
      run = savedRun(runState, this.#shared);
    }
    const { lines } = this.#shared;
    const [count, format] = contents === null ? [0, 0] : [contents.count, written.format];
    const read = { names: names.all, count, format, codecs: [...this.#used] };
    const parts = partsOf({ state: { run, note: note.parts, ...read }, ...lines });
    contents?.retain(this.#shared.contents);
    this.#shared.settle({ state: read, ...lines });
    dropContexts(runState.places);
    return parts;
  }
}

/** Reads what the bases of a run have of it, while the run goes on. */
class LaidDown implements StepSource, CallSource {
  readonly #codecs: readonly ValueCodec[];
  #content: LineContent | null = null;
  #read: LoadedBase | null = null;

  constructor(codecs: readonly ValueCodec[]) {
    this.#codecs = codecs;
  }

  /** All lines of the last base: those of the earlier ones are among them. What was read of those is kept no longer. */
  set content(content: LineContent) {
    this.#content = content;
    this.#read = null;
  }

  step(stored: unknown): StepEntry {
    return this.#base.step(stored);
  }

  entry(stored: unknown): Entry {
    return this.#base.entry(stored);
  }

  value(stored: unknown): unknown {
    return this.#base.value(stored);
  }

  get #base(): LoadedBase {
    this.#read ??= new LoadedBase(this.#content as LineContent, this.#codecs);
    return this.#read;
  }
}

/** The entries and contents that bases share. */
class Shared implements BaseTexts {
  readonly contents: BaseContents;
  readonly #encoder: BaseEncoder;
  readonly #from: LoadedBase | null;
  readonly #numbers = new WeakMap<Entry, number>();
  readonly #contentLines: Lines[];
  readonly #entryLines: Lines[];
  /** The entries since the last base. */
  #rows: string[] = [];
  #count: number;
  /** The entries that the last base refers to. */
  #referred = 0;
  /** The entries of which a base has less than the process: an event that no journal holds is whole in memory alone. */
  readonly #lossy = new Set<number>();
  /** The steps of the base that is made, with the numbers of their entries. */
  #met: (readonly [RecordedStep, number])[] = [];
  /** The calls of it, with the numbers of their intents. */
  #metCalls: (readonly [LedgerCall, number])[] = [];
  readonly #laidDown: LaidDown;

  constructor(
    encoder: BaseEncoder,
    contents: BaseContents,
    { from, codecs }: { readonly from: LoadedBase | null; readonly codecs: readonly ValueCodec[] },
  ) {
    this.#encoder = encoder;
    this.contents = contents;
    this.#from = from;
    this.#laidDown = new LaidDown(codecs);
    this.#contentLines = [...(from?.contentLines ?? [])];
    this.#entryLines = [...(from?.entryLines ?? [])];
    this.#count = this.#entryLines.reduce((sum, { count }) => sum + count, 0);
  }

  entry(entry: Entry): number {
    this.#referred += 1;
    const known = this.#numbers.get(entry) ?? this.#from?.numberOf(entry);
    if (known !== undefined) return known;
    const number = this.#count;
    const { losses } = this.#encoder;
    this.#rows.push(`${kindNumberOf(entry)} ${this.#encoder.entry(entry)}`);
    if (this.#encoder.losses > losses) this.#lossy.add(number);
    this.#count += 1;
    this.#numbers.set(entry, number);
    return number;
  }

  step(step: RecordedStep): number {
    const stored = step.storedIn(this.#laidDown) ?? (this.#from === null ? undefined : step.storedIn(this.#from));
    if (stored !== undefined) this.#referred += 1;
    const number = stored === undefined ? this.entry(step.entry as Entry) : (stored as number);
    if (!this.#lossy.has(number)) this.#met.push([step, number]);
    return number;
  }

  /** Has the steps and calls that the base has keep their entries no longer. @param content all lines, the new ones among them. */
  settle(content: LineContent): void {
    this.#laidDown.content = content;
    for (const [step, number] of this.#met) step.settle(this.#laidDown, number);
    for (const [call, number] of this.#metCalls) call.settle(this.#laidDown, number);
    [this.#met, this.#metCalls] = [[], []];
  }

  intent(call: LedgerCall): number {
    const stored = call.intentIn(this.#laidDown) ?? call.intentIn(this.#from);
    if (stored !== null) this.#referred += 1;
    const number = stored === null ? this.entry(call.intent) : (stored.is as number);
    if (!this.#lossy.has(number)) this.#metCalls.push([call, number]);
    return number;
  }

  output(call: LedgerCall): readonly [unknown] | null {
    const stored = call.outputIn(this.#from);
    if (stored !== null) return stored.is;
    return call.output === undefined ? null : [this.value(call.output, 'output')];
  }

  value(value: unknown, standing: Parameters<BaseTexts['value']>[1]): string {
    return this.#encoder.value(value, standing);
  }

  time(time: number): number {
    return time;
  }

  numbers(list: readonly number[]): string {
    return packed(list);
  }

  /** True where more of the entries are referred to no more than are. */
  get isLoose(): boolean {
    return this.#count - this.#referred > Math.max(LOOSE, this.#referred);
  }

  /** All parts, those that are new among them. */
  get lines(): { readonly contents: readonly Lines[]; readonly entries: readonly Lines[] } {
    const bodies = this.contents.take().map(({ number, body }) => `${number} ${body}`);
    if (bodies.length > 0) this.#contentLines.push(linesOf(bodies));
    for (let from = 0; from < this.#rows.length; from += ENTRIES)
      this.#entryLines.push(linesOf(this.#rows.slice(from, from + ENTRIES)));
    this.#rows = [];
    this.#referred = 0;
    return { contents: [...this.#contentLines], entries: [...this.#entryLines] };
  }
}
