/** Tells the callers that wait for a run how the run ended, or why it stands still. */
import type { Ending } from '../report.ts';
import type { Writing } from '../writing.ts';

/** The ending of one run, which begins anew each time the run is set going again. */
export class RunEnding {
  readonly #write: Writing;
  #ended: (ending: Ending) => void = () => {};
  #failed: (error: unknown) => void = () => {};
  /** True once those who wait for the run have been told. */
  #isTold = false;
  readonly #over: () => void;
  /** The end of the run, or its first standstill since it was last set going. Rejects where the journal refuses. */
  finished: Promise<Ending> = this.#anew();

  readonly #still: () => void;

  /** @param over is told once the run is over: nothing of it is left to be done. @param still each time that the run stands still. */
  constructor(write: Writing, over: () => void, still: () => void) {
    this.#write = write;
    this.#over = over;
    this.#still = still;
    write.onBreak((error) => this.fail(error));
  }

  /** Has those who ask from now on wait for the next ending, where the last one was told. */
  goOn(): void {
    if (this.#isTold) this.finished = this.#anew();
  }

  /** Tells that the run stands still, once that is durable. */
  standStill(ending: Ending): void {
    this.#still();
    const [ended, failed] = [this.#ended, this.#failed];
    this.#isTold = true;
    void this.#write.durable().then(() => ended(ending), failed);
  }

  /** Tells that the run is over. */
  end(ending: Ending): void {
    this.#over();
    this.goOn();
    this.#ended(ending);
  }

  /** Tells that the run cannot be ended. */
  fail(error: unknown): void {
    this.goOn();
    this.#failed(error);
  }

  #anew(): Promise<Ending> {
    this.#isTold = false;
    const ending = new Promise<Ending>((resolve, reject) => {
      this.#ended = resolve;
      this.#failed = reject;
    });
    ending.catch(() => {});
    return ending;
  }
}
