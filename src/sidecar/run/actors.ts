/** The actors of a run: the handles of the runtime, by the numbers that the journal gives them. */
import type { ActorHandle } from '../../runtime/microstep.ts';

/** The actors that are there now. */
export class Actors {
  readonly #handles = new Map<number, ActorHandle>();
  readonly #numbers = new WeakMap<ActorHandle, number>();

  /** Takes an actor in under its number, in the place of the one that had it. */
  take(ref: ActorHandle, number: number): void {
    this.#handles.set(number, ref);
    this.#numbers.set(ref, number);
  }

  /** Lets go of an actor that is over, and that is made anew where a restore has it go on. */
  letGo(number: number): void {
    this.#handles.delete(number);
  }

  /** The actor of a number; undefined where none was made in this process, or it was let go of. */
  at(number: number): ActorHandle | undefined {
    return this.#handles.get(number);
  }

  /** The number of an actor; undefined for one that no step has started. */
  numberOf(ref: ActorHandle): number | undefined {
    return this.#numbers.get(ref);
  }
}
