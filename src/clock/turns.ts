/**
 * Long work in pieces: between two pieces, the other work of the process has its turn. If the clock shows that no time
 * has passed, as a clock driven by a test does, the work is done in one go.
 */
import type { Clock } from './clock.ts';

/** The longest that work goes on without a turn for others, in milliseconds. */
const LONGEST = 10;

/** The turns that the long work of one run gives to others. */
export class Turns {
  readonly #clock: Pick<Clock, 'now' | 'turn'>;
  /** The time that the work has taken since the last turn that it gave, in milliseconds, over all of its pieces. */
  #spent = 0;

  constructor(clock: Pick<Clock, 'now' | 'turn'>) {
    this.#clock = clock;
  }

  /** True where the next piece of the work has to wait for a turn of others. */
  get isDue(): boolean {
    return this.#spent >= LONGEST;
  }

  /** Does a piece of the work. */
  spend<Result>(piece: () => Result): Result {
    const began = this.#clock.now();
    try {
      return piece();
    } finally {
      // A wall clock may be set back meanwhile.
      this.#spent += Math.abs(this.#clock.now() - began);
    }
  }

  /** Gives others their turn. */
  async next(): Promise<void> {
    await this.#clock.turn();
    this.#spent = 0;
  }
}
