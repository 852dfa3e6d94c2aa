/** The rows in which the events of a history stand: people name a row of the journal, and decisions count events. */
import type { PlaceText } from '../recovery/explain.ts';

/** The rows of the events of one run. A restore gives the numbers of what it undoes anew, so that a number may have had several rows. */
export class EventRows {
  /** The row that is being folded. */
  seq = 0;
  readonly #rows = new Map<number, number[]>();

  /** Notes an event of the row that is being folded. */
  note(event: number): void {
    const rows = this.#rows.get(event);
    if (rows === undefined) this.#rows.set(event, [this.seq]);
    else if (rows.at(-1) !== this.seq) rows.push(this.seq);
  }

  /**
   * The row of an event; null where the rows that were read do not have it.
   * @param before the row of the decision that counts so; left out, the number is one of now.
   */
  rowOf(event: number, before = Number.POSITIVE_INFINITY): number | null {
    return this.#rows.get(event)?.findLast((seq) => seq < before) ?? null;
  }

  /** The words for events, as a decision in a row counts them; left out, as they are counted now. */
  texts(before?: number): PlaceText {
    return (event) => {
      const row = this.rowOf(event, before);
      return row === null ? `event ${event}` : `row ${row}`;
    };
  }
}
