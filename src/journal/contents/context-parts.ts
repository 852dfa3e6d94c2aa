/**
 * The parts of contexts that a journal has. They are never changed in place (semantics.md §3), so a part met again as a
 * member of a list is unchanged. With `verify`, no part is trusted to be unchanged.
 */

/** The parts of the contexts of one run that were members of lists. */
export class ContextParts {
  #all: WeakSet<object> | null = new WeakSet();

  /** Trusts no part to be unchanged. */
  trustNone(): void {
    this.#all = null;
  }

  /** Notes the members of a list of a context. */
  add(members: readonly unknown[]): void {
    if (this.#all !== null)
      for (const member of members) if (typeof member === 'object' && member !== null) this.#all.add(member);
  }

  has(value: object): boolean {
    return this.#all?.has(value) === true;
  }

  /** Notes what is in a context that was read from the journal. */
  addAll(context: unknown, depth = 0): void {
    if (this.#all === null || typeof context !== 'object' || context === null || depth > DEEPEST) return;
    const isList = Array.isArray(context);
    const prototype: unknown = Object.getPrototypeOf(context);
    if (!isList && prototype !== Object.prototype && prototype !== null) return;
    if (isList) this.add(context);
    for (const member of Object.values(context)) this.addAll(member, depth + 1);
  }
}

/** The depth up to which lists are looked for. */
const DEEPEST = 8;
