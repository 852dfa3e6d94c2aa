/** The limit of waiting events of a run: no sender can fill its journal (semantics.md CH6). */

/** The most events of a run that wait. */
export const MOST_WAITING = 1_000;
/** The most bytes of JSON that the waiting events of a run have together. */
export const MOST_BYTES = 1024 * 1024;

/** The room of one run. */
export class WaitingRoom {
  readonly #sizes = new WeakMap<object, number>();

  /** The reason why an event may not join the waiting events; null if there is room. */
  refusalOf(event: object, waiting: readonly object[]): string | null {
    if (waiting.length >= MOST_WAITING) return `inbox_full: ${MOST_WAITING} events of the run wait already`;
    const bytes = waiting.reduce((sum, one) => sum + this.#sizeOf(one), this.#sizeOf(event));
    return bytes > MOST_BYTES ? `inbox_full: the events of the run that wait have ${MOST_BYTES} bytes with it` : null;
  }

  #sizeOf(event: object): number {
    const known = this.#sizes.get(event);
    if (known !== undefined) return known;
    const size = new TextEncoder().encode(jsonOf(event)).length;
    this.#sizes.set(event, size);
    return size;
  }
}

/** An event as JSON; nothing where it has none: the journal refuses it then. */
function jsonOf(event: object): string {
  try {
    return JSON.stringify(event) ?? '';
  } catch {
    return '';
  }
}
