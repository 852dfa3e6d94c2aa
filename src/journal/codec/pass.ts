/**
 * One pass over a value that is written: the length of the text so far, the place in the value, and the reason if the
 * pass stopped.
 */
import type { Unencodable } from '../codec-form.ts';

/** The longest text of one value, in UTF-16 units. */
export const TEXT_LIMIT = 4 * 1024 * 1024;

/** The limit of the digits of a whole number, because decoding costs the square of their number. */
export const BIGINT_HEX_LIMIT = 50_000;

/** The counts of a pass, and its failure. */
export class Pass {
  reason: Unencodable | null = null;
  path: string[] = [];
  readonly ancestors: object[] = [];
  /** The size of the contents that the text of the present container refers to. */
  held = 0;
  /** The number of containers around the innermost one in the present one. */
  deepest = 0;
  /** The length of the texts that stand elsewhere. */
  moved = 0;
  /** The number of values whose codec does not say that their form follows from their members. */
  opaque = 0;
  #size = 0;

  /** Does what is no part of the text. */
  aside<T>(work: () => T): T {
    const [held, deepest, moved, size] = [this.held, this.deepest, this.moved, this.#size];
    try {
      return work();
    } finally {
      [this.held, this.deepest, this.moved, this.#size] = [held, deepest, moved, size];
    }
  }

  /** Counts new text. Shared objects are written once per place, so a small value in memory may be large as text. */
  grown(text: string): string {
    this.#size += text.length;
    return this.#size > TEXT_LIMIT ? this.exceeded('too_large') : text;
  }

  /** Counts what a container adds to its members, which count themselves. */
  counted(length: number): '' {
    this.#size += length;
    return '';
  }

  /** Recognises a cycle, which ends at one of the limits, and names it by the place where it closes. */
  exceeded(reason: 'too_deep' | 'too_large'): string {
    if (this.reason !== null) return '';
    const first = this.ancestors.findIndex((ancestor, index) => this.ancestors.indexOf(ancestor) < index);
    this.#cutAt = first === -1 ? Number.POSITIVE_INFINITY : first;
    return this.fail(first === -1 ? reason : 'cycle');
  }

  /** The number of keys from the root to the place where a cycle closes. */
  #cutAt = Number.POSITIVE_INFINITY;

  fail(reason: Unencodable, key?: string): string {
    this.reason ??= reason;
    return key === undefined ? '' : this.under(key);
  }

  under(key: string): string {
    if (this.ancestors.length <= this.#cutAt) this.path.unshift(key);
    return '';
  }
}
