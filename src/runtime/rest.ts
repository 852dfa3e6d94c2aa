/** The rest of a program between two turns, and the callers that wait for it. */
export class Rest {
  /** True while the program rests. */
  is = false;
  #wake: (() => void)[] = [];

  comes(): void {
    this.is = true;
    for (const wake of this.#wake.splice(0)) wake();
  }

  goes(): void {
    this.is = false;
  }

  /** Resolves once the program rests. */
  next(): Promise<void> {
    if (this.is) return Promise.resolve();
    return new Promise((resolve) => {
      this.#wake.push(resolve);
    });
  }
}
