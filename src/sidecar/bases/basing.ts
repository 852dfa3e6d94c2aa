/**
 * Keeps bases of a run: a new base once the rows since the last base are many, and long compared with the last base's
 * growth.
 */
import { NoBase } from '../../journal/base/codec.ts';
import type { EntryEncoder } from '../../journal/entry-codec.ts';
import type { BasePart, Journal, Row } from '../../journal/journal.ts';
import type { ValueCodec } from '../../journal/value-codec.ts';
import type { RunState } from '../../projection/run-state.ts';
import type { RunNoteFold } from '../../reports/run-note.ts';
import type { LoadedBase } from './loaded-base.ts';
import { BaseWriter } from './writing-bases.ts';

/** The spacing of bases. */
export interface Spacing {
  /** The fewest rows between two of them. */
  readonly rows: number;
  /** The least length of those rows, as a multiple of what the last base added: so small a share of a journal its bases stay. */
  readonly times: number;
  /** The newest steps that stay in memory: of older ones, pages of the base have what they read and wrote. */
  readonly newest: number;
}

/** The least number of rows between two bases, for each step that the last one listed and each time of the spacing. */
const OF_STEPS = 1 / 4;

/** The share of the usual rows after which a base is kept at a close. */
const AT_CLOSE = 1 / 8;

const USUAL: Spacing = { rows: 4_096, times: 2, newest: 1_024 };

/** The parts of a run that bases are made of. */
export interface Based {
  readonly journal: Journal;
  readonly runState: RunState;
  readonly encoder: EntryEncoder;
  readonly note: RunNoteFold;
  readonly codecs: readonly ValueCodec[];
  /** The base that the run was taken up from, and the rows since; null where all were read. */
  readonly from: { readonly base: LoadedBase | null; readonly rows: number; readonly bytes: number };
}

/** The bases of one run. */
export class Basing {
  readonly #of: Based;
  readonly #spacing: Spacing;
  /** Null where something of the run has no text: then no base of it can be made. */
  #writer: BaseWriter | null;
  #rows: number;
  #bytes: number;
  #added = 0;
  #known: ReadonlySet<BasePart> = new Set();

  constructor(of: Based, spacing = USUAL) {
    this.#of = of;
    this.#spacing = spacing;
    this.#writer = new BaseWriter(of.encoder, of.codecs, of.from.base);
    this.#rows = of.from.rows;
    this.#bytes = of.from.bytes;
  }

  /**
   * Takes note of rows that were appended, to all of which the state has come.
   * @param mayMake false where a base is made only with later rows.
   */
  appended(rows: readonly Row[], mayMake = true): void {
    this.#rows += rows.length;
    for (const { body } of rows) this.#bytes += body.length;
    if (!mayMake || this.#isRenamed) return;
    const { rows: least, times } = this.#spacing;
    // A base goes through all steps that it lists. The distance between bases grows with that list, so that each step
    // is listed a few times, not once for each base.
    if (
      this.#rows >= Math.max(least, this.#listed * times * OF_STEPS) &&
      this.#bytes >= this.#added * times &&
      this.#writer !== null
    )
      this.#make();
  }

  /** Has a base kept when the run is given back, where the rows since the last one are worth it: who takes the run up reads few. */
  closing(): void {
    const { runState } = this.#of;
    const { rows: usual, times } = this.#spacing;
    const least = Math.max(usual * AT_CLOSE, this.#listed * AT_CLOSE);
    if (this.#writer === null || runState.ended !== null || this.#rows < least || this.#isRenamed) return;
    if (this.#bytes >= this.#added * times * AT_CLOSE) this.#make();
  }

  /** A run whose names are others than in its rows is read from its first row on. */
  get #isRenamed(): boolean {
    return this.#of.runState.renamed.length > 0;
  }

  get #listed(): number {
    return this.#writer?.listed ?? 0;
  }

  #make(): void {
    const { journal, runState, note } = this.#of;
    try {
      const parts = (this.#writer as BaseWriter).base(runState, note, this.#spacing.newest);
      this.#added = parts.reduce((sum, part) => sum + (this.#known.has(part) ? 0 : part.length), 0);
      this.#known = new Set(parts);
      [this.#rows, this.#bytes] = [0, 0];
      journal.keep({ at: journal.head, parts });
    } catch (error) {
      if (!(error instanceof NoBase)) throw error;
      this.#writer = null;
    }
  }
}
