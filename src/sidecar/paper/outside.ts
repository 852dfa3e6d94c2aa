/**
 * Counts the calls of a machine's code to a clock or to chance on paper: the answers may differ from the recorded ones
 * (semantics.md CO3).
 */

/** The clock and chance of this process, watched while code runs to its end. */
export class Outside {
  /** The number of times that they were asked. */
  asked = 0;
  /** True where a source cannot be watched, as in a hardened realm. */
  isBlind = false;

  /** Runs code that waits for nothing, and counts what it asks. The answers are the true ones. */
  watching<T>(run: () => T): T {
    const restores: (() => void)[] = [];
    try {
      for (const [holder, name, watched] of this.#sources()) {
        const restore = replaced(holder, name, watched);
        if (restore === null) this.isBlind = true;
        else restores.unshift(restore);
      }
      return run();
    } finally {
      for (const restore of restores) restore();
    }
  }

  #sources(): [object, string, unknown][] {
    const { crypto, performance, Math: math, Date: date } = globalThis;
    const calls: [object, string][] = [
      ...[[math, 'random'] as [object, string], [performance, 'now'] as [object, string]],
      ...[[crypto, 'randomUUID'] as [object, string], [crypto, 'getRandomValues'] as [object, string]],
    ];
    return [
      [globalThis, 'Date', this.#dateOf(date)],
      ...calls.map(([holder, name]): [object, string, unknown] => [holder, name, this.#counting(holder, name)]),
    ];
  }

  #counting(holder: object, name: string): (...args: unknown[]) => unknown {
    const own = (holder as Readonly<Record<string, (...args: unknown[]) => unknown>>)[name];
    return (...args) => {
      this.asked += 1;
      return own?.apply(holder, args);
    };
  }

  /** A `Date` that counts where it is asked for the time of now. */
  #dateOf(date: DateConstructor): DateConstructor {
    const now = () => {
      this.asked += 1;
      return date.now();
    };
    return new Proxy(date, {
      get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
      apply: () => {
        this.asked += 1;
        return date();
      },
      construct: (target, args, made) => {
        if (args.length === 0) this.asked += 1;
        return Reflect.construct(target, args, made);
      },
    });
  }
}

/** Replaces the value of a property. @returns a function that restores it; null if the property cannot be replaced. */
function replaced(holder: object, name: string, value: unknown): (() => void) | null {
  const own = Object.getOwnPropertyDescriptor(holder, name);
  if (!Reflect.defineProperty(holder, name, { value, configurable: true, writable: true })) return null;
  return () => {
    if (own === undefined) Reflect.deleteProperty(holder, name);
    else Object.defineProperty(holder, name, own);
  };
}
