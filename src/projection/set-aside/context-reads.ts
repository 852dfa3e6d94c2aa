/**
 * Reads contexts as they were at past steps, in one pass over the steps of each actor: so a container is copied once,
 * and not for every step (semantics.md C2, C6).
 */
import { Folding } from '../../history/context.ts';
import type { Pieces } from '../../history/pieces.ts';
import type { Places } from '../../history/places.ts';
import { changeOf } from '../edits.ts';
import type { RecordedStep } from '../state-types.ts';

/**
 * The number of steps up to which folding on from the last read step is cheaper than a new start from a kept context.
 */
const NEAR = 64;

/** A context: of an actor, right before or right after a step. */
interface When {
  readonly actor: number;
  readonly step: RecordedStep;
  readonly side: 'before' | 'after';
}

/** Reads a context. @returns the values of the context that the reader keeps. */
type Read = (context: unknown) => readonly unknown[];

/** The contexts that are asked for together. */
export class ContextReads {
  /** The steps that were folded, and the containers that were copied for them. */
  readonly counts = { steps: 0, copied: 0 };
  readonly #places: Places<RecordedStep>;
  readonly #asked = new Map<number, { readonly nth: number; readonly isAfter: boolean; readonly read: Read }[]>();

  constructor(places: Places<RecordedStep>) {
    this.#places = places;
  }

  /** Asks for a context, which `inPieces` hands over. */
  ask({ actor, step: { nth }, side }: When, read: Read): void {
    const asked = this.#asked.get(actor) ?? [];
    this.#asked.set(actor, asked);
    asked.push({ nth, isAfter: side === 'after', read });
  }

  /** Hands over all contexts that were asked for, in pieces. Costs the steps in between, once. */
  *inPieces(): Pieces<void> {
    for (const [actor, asked] of this.#asked) {
      const cursor = new Cursor(this.#places, actor, this.counts);
      asked.sort((a, b) => a.nth - b.nth || Number(a.isAfter) - Number(b.isAfter));
      for (const { nth, isAfter, read } of asked) {
        const folding = cursor.before(isAfter ? nth + 1 : nth);
        // Later changes must not alter the parts of a context that are kept.
        if (read(folding.context).some((value) => typeof value === 'object' && value !== null)) folding.share();
        yield;
      }
      cursor.end();
    }
    this.#asked.clear();
  }
}

/** The context of an actor, on its way through the steps. */
class Cursor {
  readonly #places: Places<RecordedStep>;
  readonly #actor: number;
  readonly #counts: ContextReads['counts'];
  #folding: Folding | null = null;
  /** The last step that is folded in. */
  #last: RecordedStep | null = null;

  constructor(places: Places<RecordedStep>, actor: number, counts: ContextReads['counts']) {
    this.#places = places;
    this.#actor = actor;
    this.#counts = counts;
  }

  /** The context before a step. The numbers of the steps must not fall from call to call. */
  before(nth: number): Folding {
    const steps: RecordedStep[] = [];
    let kept: { readonly is: unknown; readonly base: RecordedStep; readonly behind: number } | null = null;
    for (const step of this.#places.before(nth, this.#actor)) {
      if (step === this.#last && this.#folding !== null) return this.#foldOn(this.#folding, steps);
      if (kept === null && step.context !== null) kept = { is: step.context.is, base: step, behind: steps.length };
      if (kept !== null && (this.#folding === null || steps.length >= NEAR)) break;
      steps.push(step);
    }
    this.end();
    this.#last = null;
    this.#folding = new Folding(kept?.is);
    if (kept === null) return this.#foldOn(this.#folding, steps);
    this.#last = kept.base;
    return this.#foldOn(this.#folding, steps.slice(0, kept.behind));
  }

  /** Folds steps in, the last one first in the list. */
  #foldOn(folding: Folding, steps: readonly RecordedStep[]): Folding {
    for (const step of [...steps].reverse()) folding.apply(step.edits.map(changeOf));
    this.#counts.steps += steps.length;
    this.#last = steps[0] ?? this.#last;
    return folding;
  }

  /** Counts what was copied. */
  end(): void {
    this.#counts.copied += this.#folding?.copied ?? 0;
  }
}
