/** Counts the runs of a worker that wait for claims: they do not keep it from taking others, and it ends their waits when it takes leave. */
import type { Claims } from '../effects/claims/claims.ts';
import { claimsClosed } from '../effects/claims/waiting.ts';
import { underEither } from '../effects/either.ts';

/** Claims that are passed on. */
export class CountedClaims implements Claims {
  readonly #claims: Claims;
  readonly #stopping: AbortSignal;
  readonly #onWait: () => void;
  readonly #waiting = new Map<string, number>();

  /**
   * @param stopping aborted when the worker takes leave: no run waits then, also for claims that a caller has given.
   * @param onWait told when another run has to wait.
   */
  constructor(claims: Claims, stopping: AbortSignal, onWait: () => void) {
    this.#claims = claims;
    this.#stopping = stopping;
    this.#onWait = onWait;
  }

  /** The number of runs that wait. */
  get waiting(): number {
    return this.#waiting.size;
  }

  async take(...[run, wanted, signal, waits, ...rest]: Parameters<Claims['take']>): Promise<string | null> {
    let isWaiting = false;
    if (this.#stopping.aborted) throw claimsClosed();
    const told = (reason: string) => {
      isWaiting = true;
      this.#count(run, 1);
      this.#onWait();
      waits(reason);
    };
    try {
      const why = await underEither([signal, this.#stopping], (either) =>
        this.#claims.take(run, wanted, either, told, ...rest),
      );
      // It may be that the wait was ended here, and not that the run has what it wants.
      if (this.#stopping.aborted && !signal.aborted) throw claimsClosed();
      return why;
    } finally {
      if (isWaiting) this.#count(run, -1);
    }
  }

  release(run: string): void | Promise<void> {
    return this.#claims.release(run);
  }

  letGo(run: string, keys: readonly string[]): void | Promise<void> {
    return this.#claims.letGo?.(run, keys);
  }

  takeBack(run: string): ReturnType<NonNullable<Claims['takeBack']>> {
    return this.#claims.takeBack?.(run) ?? [];
  }

  freed(run: string): ReturnType<NonNullable<Claims['freed']>> {
    return this.#claims.freed?.(run) ?? [];
  }

  #count(run: string, by: 1 | -1): void {
    const count = (this.#waiting.get(run) ?? 0) + by;
    if (count === 0) this.#waiting.delete(run);
    else this.#waiting.set(run, count);
  }
}
