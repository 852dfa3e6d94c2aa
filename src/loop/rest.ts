/** The rest of a loop between two turns, and the callers that wait for the rest. */
export class Rest {
  /** True while the loop rests. */
  is = false;
  #wake: (() => void)[] = [];

  comes(): void {
    this.is = true;
    for (const wake of this.#wake.splice(0)) wake();
  }

  goes(): void {
    this.is = false;
  }

  /** Resolves once the loop rests. */
  next(): Promise<void> {
    if (this.is) return Promise.resolve();
    return new Promise((resolve) => {
      this.#wake.push(resolve);
    });
  }
}
