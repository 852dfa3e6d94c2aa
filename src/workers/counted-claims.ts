/** Counts the runs of a worker that wait for claims, and nothing else: they do not keep it from taking others. */
import type { Claims } from '../effects/claims/claims.ts';

/** Claims that are passed on. */
export class CountedClaims implements Claims {
  readonly #claims: Claims;
  readonly #onWait: () => void;
  readonly #waiting = new Map<string, number>();

  /** @param onWait told when another run has to wait. */
  constructor(claims: Claims, onWait: () => void) {
    this.#claims = claims;
    this.#onWait = onWait;
  }

  /** The number of runs that wait. */
  get waiting(): number {
    return this.#waiting.size;
  }

  async take(...[run, wanted, signal, waits]: Parameters<Claims['take']>): Promise<string | null> {
    let isWaiting = false;
    try {
      return await this.#claims.take(run, wanted, signal, (reason) => {
        isWaiting = true;
        this.#count(run, 1);
        this.#onWait();
        waits(reason);
      });
    } finally {
      if (isWaiting) this.#count(run, -1);
    }
  }

  release(run: string): void | Promise<void> {
    return this.#claims.release(run);
  }

  #count(run: string, by: 1 | -1): void {
    const count = (this.#waiting.get(run) ?? 0) + by;
    if (count === 0) this.#waiting.delete(run);
    else this.#waiting.set(run, count);
  }
}
