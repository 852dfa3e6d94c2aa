/** Copies of the values of a run for its machine on paper: code that changes one in place changes none of the run's. */

/** The copies of one machine: a value that comes again is copied once. */
export class Copies {
  readonly #known = new WeakMap<object, object>();

  /** The copy of a value: its arrays and plain objects are new, whatever else is in it is the same. */
  of(value: unknown): unknown {
    if (typeof value !== 'object' || value === null) return value;
    const known = this.#known.get(value);
    if (known !== undefined) return known;
    if (Array.isArray(value)) return this.#fill(value, [], value.entries());
    const prototype = Object.getPrototypeOf(value) as unknown;
    if (prototype !== Object.prototype && prototype !== null) return value;
    return this.#fill(value, {}, Object.entries(value));
  }

  #fill(value: object, copy: object, entries: Iterable<readonly [string | number, unknown]>): object {
    this.#known.set(value, copy);
    for (const [name, inner] of entries)
      Object.defineProperty(copy, name, {
        value: this.of(inner),
        enumerable: true,
        writable: true,
        configurable: true,
      });
    return copy;
  }
}
