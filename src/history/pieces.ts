/**
 * Work in pieces: a generator stops after each piece and goes on when its caller asks for the next. A caller in a hurry
 * runs all pieces in one go. A caller that serves others between two pieces must see to it that the data read by the
 * work has not changed.
 */

/** Work that comes to a result. */
export type Pieces<Result> = Generator<void, Result, void>;

/** Does all pieces of some work in one go. */
export function inOneGo<Result>(pieces: Pieces<Result>): Result {
  for (;;) {
    const piece = pieces.next();
    if (piece.done === true) return piece.value;
  }
}
