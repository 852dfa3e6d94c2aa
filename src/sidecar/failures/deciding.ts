/**
 * A decision that is being made: in pieces, with a turn for others once they have taken long. What happens in such a turn may be what the decision rests
 * on: then it does not stand, and is made anew (semantics.md C13).
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
   * @param turns null where it is made in one go.
   * @param seen tells what the decision rests on: it is the same text only as long as nothing of that has changed.
   */
  constructor(pieces: Pieces<Found>, turns: Turns | null, seen: () => string) {
    this.#pieces = pieces;
    this.#turns = turns;
    this.#seen = seen;
    this.#begunAt = seen();
  }

  /** True where it is not found yet: others are to have their turn. */
  get isLong(): boolean {
    return this.#found === null;
  }

  /** The decision that was found; null where something has changed since it was begun that it rests on. */
  get standing(): Found | null {
    return this.#stands ? this.#found : null;
  }

  get #stands(): boolean {
    return this.#begunAt === this.#seen();
  }

  /** Goes on until the decision is found, or others are to have their turn. */
  goOn(): void {
    const next = () => this.#pieces.next();
    while (this.#found === null && this.#turns?.isDue !== true) {
      const piece = this.#turns === null ? next() : this.#turns.spend(next);
      if (piece.done === true) this.#found = piece.value;
    }
  }

  /** Goes on in turns until the decision is found, or does not stand any more. */
  async inTurns(): Promise<void> {
    while (this.#found === null && this.#stands) {
      await this.#turns?.next();
      if (this.#stands) this.goOn();
    }
  }
}
