/** The turns of a thread that have ended: a function of its journal (semantics.md RC1, RC2). */
import type { PlacedStep } from '../history/step-lists.ts';
import type { TurnEntry } from '../model/entry.ts';
import type { Said } from '../model/said.ts';
import { turnIn } from '../model/turn-event.ts';

/** A turn that its caller gave a name. */
export interface NamedTurn {
  readonly nth: number;
  /** The digest of its input. */
  readonly is: string;
}

/** The turns of a run, as a base keeps them. */
export interface SavedTurns {
  readonly said: Said | null;
  /** The ends before it; a base of an earlier release has none. */
  readonly ends?: readonly Said[];
  readonly named: readonly (readonly [string, number, string])[];
}

/** The turns of one run. */
export class Turns {
  /** The ends behind which nothing goes back any more, unless their reader lets it. */
  #ends: Said[] = [];
  readonly #named = new Map<string, NamedTurn>();

  /** @param step the number of the step that ended the turn. */
  end({ nth, said, id, is }: TurnEntry, at: number, step: number): void {
    if (said === 'stands') this.#ends.push({ turn: nth, at, step });
    if (id !== undefined && is !== undefined) this.#named.set(id, { nth, is });
  }

  /** The last end behind which nothing goes back; null before there is one. @param step the number of a step that it lies before. */
  saidBefore(step: number): Said | null {
    return this.#ends.findLast((end) => end.step < step) ?? null;
  }

  get said(): Said | null {
    return this.#ends.at(-1) ?? null;
  }

  /** Steps do not stand any more: nor do the ends of turns that they were. */
  undone(steps: ReadonlySet<PlacedStep>): void {
    if (this.#ends.length === 0) return;
    const gone = new Set([...steps].map(({ nth }) => nth));
    this.#ends = this.#ends.filter(({ step }) => !gone.has(step));
  }

  /** A turn was never said: its name is given to no other. @param event what was retracted; null for nothing. */
  retracted(event: unknown): void {
    const id = turnIn(event)?.id;
    if (id !== undefined) this.#named.set(id, { nth: 0, is: '' });
  }

  named(id: string): NamedTurn | undefined {
    return this.#named.get(id);
  }

  /** All that a base keeps of them. */
  get saved(): SavedTurns {
    const named = [...this.#named].map(([id, { nth, is }]) => [id, nth, is] as const);
    return { said: this.said, ends: this.#ends.slice(0, -1), named };
  }

  resumeAt({ said, ends = [], named }: SavedTurns): void {
    this.#ends = said === null ? [] : [...ends, said];
    for (const [id, nth, is] of named) this.#named.set(id, { nth, is });
  }
}
