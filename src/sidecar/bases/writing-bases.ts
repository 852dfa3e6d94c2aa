/**
 * Makes the bases of a run while it runs: each from the state after its rows, and from the parts of the base before.
 */

import type { LedgerCall } from '../../effects/ledger-call.ts';
import { BaseEncoder, kindNumberOf } from '../../journal/base/codec.ts';
import { BaseContents } from '../../journal/base/contents.ts';
import type { EntryEncoder } from '../../journal/entry-codec.ts';
import type { BasePart } from '../../journal/journal.ts';
import { isOfActors } from '../../journal/lost.ts';
import type { ValueCodec } from '../../journal/value-codec.ts';
import type { Entry } from '../../model/entry.ts';
import { packed } from '../../projection/base/columns.ts';
import type { BaseSource } from '../../projection/base/loading.ts';
import { savedPage, storedPage } from '../../projection/base/page.ts';
import type { StoredPage } from '../../projection/base/pages.ts';
import { savedRun } from '../../projection/base/run.ts';
import type { BaseTexts } from '../../projection/base/saving.ts';
import { dropContexts } from '../../projection/base/steps.ts';
import type { RunState } from '../../projection/run-state.ts';
import type { RecordedStep } from '../../projection/state-types.ts';
import type { RunNoteFold } from '../../reports/run-note.ts';
import { type Lines, linesOf, packedPage, pageIn, partsOf } from './form.ts';
import { LaidDown } from './laid-down.ts';
import type { LineContent, LoadedBase } from './loaded-base.ts';

/** The most entries of one part. */
const ENTRIES = 4_096;

/** The parts that bases share are made anew once this many of their entries are referred to no more, and more than are. */
const LOOSE = 4_096;

/** The bases of one run. */
export class BaseWriter {
  readonly #encoder: EntryEncoder;
  readonly #codecs: readonly ValueCodec[];
  readonly #used: Set<string>;
  #shared: Shared;
  #listed: number;

  /** @param from the base that the run was taken up from; null where all of its rows were read. */
  constructor(encoder: EntryEncoder, codecs: readonly ValueCodec[], from: LoadedBase | null) {
    this.#encoder = encoder;
    this.#used = new Set(from?.codecs);
    this.#listed = from?.listed ?? 0;
    this.#codecs = codecs.map((codec) => this.#noting(codec));
    this.#shared = this.#sharing(from);
  }

  /** Notes the codecs that are used: without any one of them the base cannot be read. */
  #noting(codec: ValueCodec): ValueCodec {
    if (isOfActors(codec)) return codec;
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
   * @param newest the number of steps that stay in memory at least: older ones are paged out.
   * @throws NoBase where something in it has no text.
   */
  base(runState: RunState, note: RunNoteFold, newest: number): BasePart[] {
    const { names, contents } = this.#encoder.written;
    let laid = this.#laidDown(runState, newest);
    if (this.#shared.isLoose) {
      this.#shared = this.#sharing(null);
      runState.pages.allIn();
      laid = this.#laidDown(runState, newest);
    }
    const { run, pages } = laid;
    const lines = { ...this.#shared.lines, pages: [...runState.pages.stored, ...pages.map(({ stored }) => stored)] };
    const read = { names: names.all, count: contents.count, codecs: [...this.#used] };
    const parts = partsOf({ state: { run, note: note.parts, ...read }, ...lines });
    contents.retain(this.#shared.contents);
    this.#shared.settle({ state: read, ...lines });
    for (const { page, stored } of pages) page.store(stored);
    dropContexts(runState.places);
    this.#listed = run.steps.count;
    return parts;
  }

  /** The number of steps that the last base has listed, besides its pages. */
  get listed(): number {
    return this.#listed;
  }

  /** The state of a run, and the pages that are new in it. */
  #laidDown(runState: RunState, newest: number) {
    const shared = this.#shared;
    const { history, pages } = runState;
    pages.pageOut(newest);
    shared.refer(pages.stored);
    const fresh = pages.fresh().map((page) => {
      const packed = packedPage(savedPage(page.content, shared));
      const { count, upTo } = page;
      const stored = storedPage({ count, upTo, packed }, () => pageIn(packed), { source: shared.source, history });
      return { page, stored };
    });
    return { pages: fresh, run: savedRun(runState, shared) };
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

  /** Reads what it has laid down. */
  get source(): BaseSource {
    return this.#laidDown;
  }

  /** Pages refer to the entries of their steps. */
  refer(pages: readonly StoredPage[]): void {
    for (const { count } of pages) this.#referred += count;
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
