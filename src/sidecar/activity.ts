/**
 * Counts the work that a run has under way in this process: the run can be given back at zero. Work that waits for a
 * person, or for the answer to a failure, is not under way: it goes on waiting in the next process.
 */
export class Activity {
  #count = 0;

  /** True while nothing is under way. */
  get isNone(): boolean {
    return this.#count <= 0;
  }

  /** Work begins. @returns what ends it. */
  begin(): () => void {
    return this.#moved(1);
  }

  /** Work that is under way has to wait. @returns what has it go on. */
  wait(): () => void {
    return this.#moved(-1);
  }

  /** Work that is under way waits for something; null where it need not. */
  waitFor<T>(held: Promise<T>): Promise<T>;
  waitFor<T>(held: Promise<T> | null): Promise<T> | null;
  waitFor<T>(held: Promise<T> | null): Promise<T> | null {
    return held === null ? null : held.finally(this.wait());
  }

  #moved(by: 1 | -1): () => void {
    this.#count += by;
    let isBack = false;
    return () => {
      if (!isBack) this.#count -= by;
      isBack = true;
    };
  }
}
