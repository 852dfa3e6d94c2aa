/**
 * Makes a decision in pieces, and gives the rest of the program a turn when the pieces have taken long. If the run
 * changes in such a turn in a way that the decision rests on, the decision is made anew (semantics.md C13).
 */
import type { Turns } from '../../clock/turns.ts';
import type { Pieces } from '../../history/pieces.ts';

/**
 * The number of times that the decision about one failure gives others their turn; if they change the run each time,
 * the next decision is made in one go.
 */
export const MOST_TURNS = 4;

/** One decision under way, or the preview of one. */
export class Deciding<Found> {
  readonly #pieces: Pieces<Found>;
  readonly #turns: Turns | null;
  readonly #seen: () => string;
  readonly #begunAt: string;
  #found: Found | null = null;

  /**
   * @param turns null if the decision is made in one go.
   * @param seen a text that changes whenever a fact changes that the decision rests on.
   */
  constructor(pieces: Pieces<Found>, turns: Turns | null, seen: () => string) {
    this.#pieces = pieces;
    this.#turns = turns;
    this.#seen = seen;
    this.#begunAt = seen();
  }

  /** True if the decision is not found yet, and others should have their turn. */
  get isLong(): boolean {
    return this.#found === null;
  }

  /** The decision; null if a fact that it rests on has changed since it was begun. */
  get standing(): Found | null {
    return this.#stands ? this.#found : null;
  }

  get #stands(): boolean {
    return this.#begunAt === this.#seen();
  }

  /** Goes on until the decision is found, or others should have their turn. */
  goOn(): void {
    const next = () => this.#pieces.next();
    while (this.#found === null && this.#turns?.isDue !== true) {
      const piece = this.#turns === null ? next() : this.#turns.spend(next);
      if (piece.done === true) this.#found = piece.value;
    }
  }

  /** Goes on in turns until the decision is found, or a fact that it rests on has changed. */
  async inTurns(): Promise<void> {
    while (this.#found === null && this.#stands) {
      await this.#turns?.next();
      if (this.#stands) this.goOn();
    }
  }
}
