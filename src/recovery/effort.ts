/**
 * The records that a decision visits. The decision needs the first usable candidate, and every newer one. Older
 * candidates are judged for the report alone: while a running machine waits for the answer, only the cheap ones are
 * judged.
 */

/** The older candidates that are judged once one may be used. */
export interface Reported {
  readonly candidates: number;
  /** The records that may be visited for them. */
  readonly records: number;
}

/** In a run, whatever fails waits for the answer. */
export const REPORTED_IN_RUN: Reported = { candidates: 16, records: 250 };

/** The records that are visited in one piece of a decision, unless another number is named. */
const PIECE = 64;

/** Every candidate is judged, as for a trace. */
export const ALL_REPORTED: Reported = { candidates: Number.POSITIVE_INFINITY, records: Number.POSITIVE_INFINITY };

/** The effort of one decision. */
export class Effort {
  /** Steps, accesses and effects that were looked at. */
  visited = 0;
  readonly #reported: Reported;
  #limit = Number.POSITIVE_INFINITY;
  #left = Number.POSITIVE_INFINITY;
  readonly #piece: number;
  #pieceEnds: number;

  /** @param piece the records that are visited in one piece of the decision. */
  constructor(reported: Reported, piece = PIECE) {
    this.#reported = reported;
    this.#piece = piece;
    this.#pieceEnds = piece;
  }

  /** Notes that the answer is found: from here on all is for the report. */
  found(): void {
    this.#limit = this.visited + this.#reported.records;
    this.#left = this.#reported.candidates;
  }

  /** Admits the next candidate, unless enough is reported. */
  admits(): boolean {
    this.#left -= 1;
    return this.#left >= 0 && !this.isSpent;
  }

  /** True where a piece of the decision is done. The next one begins then. */
  get endsPiece(): boolean {
    if (this.visited < this.#pieceEnds) return false;
    this.#pieceEnds = this.visited + this.#piece;
    return true;
  }

  /** True if the work under way is for the report alone, and costs too much for it. */
  get isSpent(): boolean {
    return this.visited > this.#limit;
  }
}
