/**
 * The contents of a base. A text that the rows of the run have stored, and that its writer knows, keeps its number: later rows may refer to it.
 * Any other has a number below 0, which no row refers to.
 */
import type { Known, Measures, Storing } from '../codec-form.ts';
import { ContextParts } from '../contents/context-parts.ts';
import { listBody, referenceTo } from '../contents/form.ts';
import { type Begun, KnownLists, type Met } from '../contents/lists.ts';
import { ContentMemo } from '../contents/memo.ts';
import type { KnownContent } from '../contents/reader.ts';
import { type ContentWriter, hashOf } from '../contents/writer.ts';

/** The contents of one base, for its writer. */
export class BaseContents implements Storing {
  readonly #memo = new ContentMemo();
  readonly #texts = new Map<string, number>();
  readonly #numbers = new Set<number>();
  readonly #rows: ContentWriter | null;
  readonly #lists = new KnownLists();
  readonly parts: ContextParts;
  /** The contents that were not taken, each after the contents that it refers to. */
  #queued: KnownContent[] = [];
  #last: number;

  /**
   * @param rows the contents of the run, for the writer of its rows; null where it has none.
   * @param known the numbers of the contents that the base has already.
   */
  constructor(rows: ContentWriter | null, known: readonly number[] = []) {
    this.#rows = rows;
    this.parts = rows?.parts ?? new ContextParts();
    for (const number of known) this.#numbers.add(number);
    this.#last = known.reduce((least, number) => Math.min(least, number), 0);
  }

  /** The contents that are new since the last call. */
  take(): KnownContent[] {
    const queued = this.#queued;
    this.#queued = [];
    return queued;
  }

  has(number: number): boolean {
    return this.#numbers.has(number);
  }

  put(text: string, _measures: Measures): string {
    const hash = hashOf(text);
    const known = this.#texts.get(hash);
    if (known !== undefined) return referenceTo(known);
    const number = this.#rows?.numberOf(hash) ?? this.#next();
    this.#texts.set(hash, number);
    return this.#added(number, text);
  }

  list(members: readonly string[], _measures: Measures, met: Met): string {
    const { base, kept } = this.#lists.longest(members, met.from);
    if (base !== null && kept === members.length && kept === base.members.length) {
      this.#lists.use(base, base, met);
      return referenceTo(base.number);
    }
    const text = base === null ? `[${members.join(',')}]` : listBody(base.number, kept, members.slice(kept));
    const number = this.#rows?.numberOfList(members) ?? this.#next();
    this.#lists.use(base !== null && kept === base.members.length ? base : null, { number, members }, met);
    return this.#added(number, text);
  }

  begun(value: readonly unknown[]): Begun | null {
    return this.#lists.begun(value);
  }

  known(value: object): Known | null {
    return this.#memo.known(value);
  }

  remember(value: object, known: Known, hasClass: boolean): void {
    this.#memo.remember(value, known, hasClass);
  }

  #next(): number {
    this.#last -= 1;
    return this.#last;
  }

  #added(number: number, body: string): string {
    if (!this.#numbers.has(number)) this.#queued.push({ number, body });
    this.#numbers.add(number);
    return referenceTo(number);
  }
}
