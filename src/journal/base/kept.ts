/**
 * The parts of bases as stores keep them. A part has a number and keeps its place while later bases of its run have it,
 * too. A digest binds all parts of a base to the run, to the last row that the base covers, and to a link of the chain
 * after that row. Parts without a fitting digest are no base.
 */
import { createHash, hash as digestOf } from 'node:crypto';

const BASE = Buffer.from('belay base 1\0');

/** A part in its place. */
export interface KeptPart {
  readonly number: number;
  readonly hash: Buffer;
}

/** A part that the store does not have yet. */
export interface NewPart extends KeptPart {
  readonly body: Buffer;
}

/** The rows that a base is of, and the link of their chain. */
export interface BasePlace {
  readonly beginning: Buffer;
  readonly at: number;
  /** The end of a commit group at or after that row, and its hash. */
  readonly last: number;
  readonly link: Buffer;
}

/** The parts that one store has, by the bytes that it was given or has read. */
export class KeptParts {
  readonly #kept = new WeakMap<Buffer, KeptPart & { readonly run: number }>();
  readonly #next = new Map<number, number>();

  /**
   * Gives each part of a base its number.
   * @param seal makes of a part what is stored.
   */
  numbered(
    run: number,
    parts: readonly Buffer[],
    seal: (number: number, part: Buffer) => Buffer,
  ): { readonly all: readonly KeptPart[]; readonly added: readonly NewPart[] } {
    const added: NewPart[] = [];
    const all = parts.map((part): KeptPart => {
      const known = this.#kept.get(part);
      if (known?.run === run) return known;
      const number = this.#next.get(run) ?? 0;
      this.#next.set(run, number + 1);
      const body = seal(number, part);
      const made = { number, hash: hashOf(body), body };
      added.push(made);
      this.#kept.set(part, { run, number, hash: made.hash });
      return made;
    });
    return { all, added };
  }

  /** Notes a part that was read. */
  read(run: number, part: Buffer, { number, hash }: KeptPart): void {
    this.#kept.set(part, { run, number, hash });
    this.#next.set(run, Math.max(this.#next.get(run) ?? 0, number + 1));
  }

  /** Numbers the parts of a run from a number on, where it has others that were not read. */
  beginAt(run: number, number: number): void {
    this.#next.set(run, Math.max(this.#next.get(run) ?? 0, number));
  }
}

/** The hash of a part as it is stored. */
export function hashOf(body: Buffer): Buffer {
  return digestOf('sha256', body, 'buffer');
}

/** Binds the parts of a base to its place. */
export function baseDigest({ beginning, at, last, link }: BasePlace, parts: readonly KeptPart[]): Buffer {
  const hash = createHash('sha256')
    .update(BASE)
    .update(beginning)
    .update(link)
    .update(JSON.stringify([at, last]));
  for (const part of parts) hash.update(`${part.number}\0`).update(part.hash);
  return hash.digest();
}
