/** The rows in which the events of a history stand: people name a row of the journal, and decisions count events. */
import type { PlaceText } from '../recovery/explain.ts';

/** The row and the wall clock of an intent, the clock in milliseconds. */
interface MadeCall {
  readonly seq: number;
  readonly time: number;
}

/** The rows of the events and calls of one run. A restore gives the numbers of what it undoes anew, so that a number may have had several rows. */
export class EventRows {
  readonly #rows = new Map<number, number[]>();
  readonly #calls = new Map<string, MadeCall[]>();
  #seq = 0;

  /** The row that is folded next. */
  begin(seq: number): void {
    this.#seq = seq;
  }

  /** Notes an event of the row that is being folded. */
  note(event: number): void {
    const rows = this.#rows.get(event);
    if (rows === undefined) this.#rows.set(event, [this.#seq]);
    else if (rows.at(-1) !== this.#seq) rows.push(this.#seq);
  }

  /** Notes the intent of a call. */
  noteCall(key: string, time: number): void {
    const made = this.#calls.get(key) ?? [];
    made.push({ seq: this.#seq, time });
    this.#calls.set(key, made);
  }

  /**
   * The row of an event; null where the rows that were read do not have it.
   * @param before the row of the decision that counts so; left out, the number is one of now.
   */
  rowOf(event: number, before = Number.POSITIVE_INFINITY): number | null {
    return this.#rows.get(event)?.findLast((seq) => seq < before) ?? null;
  }

  /** The newest intent of a call by its key; null where the rows that were read do not have it. */
  called(key: string, before = Number.POSITIVE_INFINITY): MadeCall | null {
    return this.#calls.get(key)?.findLast(({ seq }) => seq < before) ?? null;
  }

  /** The words for events, as a decision in a row counts them; left out, as they are counted now. */
  texts(before?: number): PlaceText {
    return (event, call = null) => {
      const row = (call === null ? null : this.called(call, before)?.seq) ?? this.rowOf(event, before);
      return row === null ? `event ${event}` : `row ${row}`;
    };
  }
}
