/**
 * The pause of a run by a person's word (semantics.md LC10): while it lasts nothing leaves and nothing is decided, and what comes waits. Only an undo or
 * a publication that had begun is finished.
 */
import type { RunState } from '../projection/run-state.ts';

/** The pause of one run. */
export class Pausing {
  readonly #runState: Pick<RunState, 'asked' | 'ended'>;
  readonly #gone: AbortSignal;
  #waiting: (() => void)[] = [];

  /** @param gone is aborted once the process takes leave of the run: what waits then looks again. */
  constructor(runState: Pick<RunState, 'asked' | 'ended'>, gone: AbortSignal) {
    this.#runState = runState;
    this.#gone = gone;
    gone.addEventListener('abort', () => this.wake(), { once: true });
  }

  /** True while the run is paused. */
  get isOn(): boolean {
    return this.#runState.asked.paused !== null && this.#runState.ended === null;
  }

  /** Null while the run is not paused, or once its process has taken leave of it; else resolves when that may have changed. */
  over(): Promise<void> | null {
    if (!this.isOn || this.#gone.aborted) return null;
    return new Promise((again) => this.#waiting.push(again));
  }

  /** Resolves once the run is not paused, or its process has taken leave of it. */
  async passed(): Promise<void> {
    for (let over = this.over(); over !== null; over = this.over()) await over;
  }

  /** Has all that waits look again. */
  wake(): void {
    for (const again of this.#waiting.splice(0)) again();
  }
}
