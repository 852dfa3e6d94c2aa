/**
 * Work in pieces: it stops after each and goes on when it is asked for the next. Who is in a hurry does all of them in one go; who serves
 * others between two must see that nothing that the work reads has changed.
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
