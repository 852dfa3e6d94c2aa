/**
 * The `verify` mode: holds the fold of the changes against the context itself, at boundaries (semantics.md §3). Changes are found by
 * comparing references, so a context that is changed in place is not seen; a copy of its own shows it. For development: each
 * check costs the weight of the context.
 */
import { diff, fold } from '../history/context.ts';
import { encode, revive } from '../journal/codec.ts';
import type { Edit } from '../model/step-entry.ts';
import { changeOf } from '../projection/edits.ts';

/** Copies of the memories of a run's actors, made of their changes alone. */
export class Verifier {
  readonly #copies = new Map<number, unknown>();

  /** Takes a context as true when an actor begins or was restored. */
  reset(actor: number, context: unknown): void {
    this.#copies.set(actor, copied(context));
  }

  /** Takes the changes of a step. */
  advance(actor: number, edits: readonly Edit[]): void {
    this.#copies.set(actor, this.#with(actor, edits));
  }

  /**
   * The first place at which the changes so far, this step's included, disagree with the context; null if they agree.
   */
  differs(actor: number, edits: readonly Edit[], context: unknown): string | null {
    const [change] = diff(this.#with(actor, edits), copied(context), () => false);
    return change === undefined ? null : change.path.join('/') || '(whole)';
  }

  #with(actor: number, edits: readonly Edit[]): unknown {
    const changes = edits.map((edit) => changeOf(edit.op === 'delete' ? edit : { ...edit, value: copied(edit.value) }));
    return fold(this.#copies.get(actor), changes);
  }
}

/**
 * A copy that shares nothing with the value. A value that no journal holds is left in place, and reported elsewhere.
 */
function copied(value: unknown): unknown {
  const encoded = encode(value);
  return 'text' in encoded ? revive(JSON.parse(encoded.text)) : value;
}
