/** The markers of a flow (semantics.md CO8): a marker is passed where the function comes to it at the head of its run, and by every later entry at that place. */

/** The place at which each marker was passed first: the number of steps and inputs that the function had been given. */
export type Marks = Readonly<Record<string, number>>;

/** The markers of one entry into the function. */
export class Markers {
  /** True where the entry has passed one that the journal does not have. */
  isNew = false;
  readonly #at: Map<string, number>;

  constructor(marks: Marks = {}) {
    this.#at = new Map(Object.entries(marks));
  }

  /** @param isAtHead true where the run has done nothing yet that lies behind the marker. */
  passes(name: string, place: number, isAtHead: () => boolean): boolean {
    if (place >= (this.#at.get(name) ?? Number.POSITIVE_INFINITY)) return true;
    if (!isAtHead()) return false;
    this.#at.set(name, place);
    this.isNew = true;
    return true;
  }

  get all(): Marks {
    return Object.fromEntries(this.#at);
  }
}
