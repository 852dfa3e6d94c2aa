/** The turns of a thread that have ended: a function of its journal (semantics.md RC1, RC2). */
import type { TurnEntry } from '../model/entry.ts';
import type { Said } from '../model/said.ts';

/** A turn that its caller gave a name. */
export interface NamedTurn {
  readonly nth: number;
  /** The digest of its input. */
  readonly is: string;
}

/** The turns of one run. */
export class Turns {
  /** The end behind which nothing goes back any more; null before there is one. */
  said: Said | null = null;
  readonly #named = new Map<string, NamedTurn>();

  /** @param step the number of the step that ended the turn. */
  end({ nth, said, id, is }: TurnEntry, at: number, step: number): void {
    if (said === 'stands') this.said = { turn: nth, at, step };
    if (id !== undefined && is !== undefined) this.#named.set(id, { nth, is });
  }

  named(id: string): NamedTurn | undefined {
    return this.#named.get(id);
  }

  /** All that a base keeps of them. */
  get saved(): { readonly said: Said | null; readonly named: readonly (readonly [string, number, string])[] } {
    return { said: this.said, named: [...this.#named].map(([id, { nth, is }]) => [id, nth, is] as const) };
  }

  resumeAt({ said, named }: Turns['saved']): void {
    this.said = said;
    for (const [id, nth, is] of named) this.#named.set(id, { nth, is });
  }
}
