/**
 * The occurrences of a skeleton and entity that a run has used, and the occurrences that were undone or set aside and
 * may be taken up again (semantics.md K2, C5).
 */
import type { InstanceId } from '../model/instance.ts';
import { type Key, overlaps } from '../model/key.ts';

/** The occurrences of one skeleton and entity. */
export interface Used {
  highest: number;
  /** The occurrences that were undone or set aside, with the structural path of their region. */
  readonly free: Map<number, string>;
  /** The keys whose writes were undone, by their texts, for each occurrence: a complaint may still name them (C12). */
  readonly undone: Map<number, Map<string, Key>>;
}

/** The occurrences of one run. */
export class Occurrences {
  readonly #used = new Map<string, Used>();

  /** The parts that a base holds. */
  get parts(): Map<string, Used> {
    return this.#used;
  }

  /** Notes that an occurrence was entered. */
  used({ skeleton, entity, ordinal }: InstanceId): void {
    const used = this.#of(skeleton, entity);
    used.highest = Math.max(used.highest, ordinal);
    used.free.delete(ordinal);
  }

  /** Notes that an occurrence was undone or set aside: the next entry in its region is that one. */
  free({ skeleton, entity, ordinal }: InstanceId, structure: string): void {
    this.#of(skeleton, entity).free.set(ordinal, structure);
  }

  /**
   * The occurrence that is entered in a region next: the lowest that is taken up again there, else a new one.
   * @param taken the ordinals that the same step has entered already.
   */
  next(
    skeleton: string,
    entity: string,
    structure: string,
    taken: ReadonlySet<number>,
  ): { readonly id: InstanceId; readonly isNew: boolean } {
    const { highest, free } = this.#of(skeleton, entity);
    const there = [...free].flatMap(([ordinal, at]) => (at === structure && !taken.has(ordinal) ? [ordinal] : []));
    if (there.length > 0) return { id: { skeleton, entity, ordinal: Math.min(...there) }, isNew: false };
    return { id: { skeleton, entity, ordinal: Math.max(highest, ...taken) + 1 }, isNew: true };
  }

  /** True where an occurrence was ever entered; without an ordinal, any. */
  wasUsed(skeleton: string, entity: string, ordinal: number | undefined): boolean {
    return this.#of(skeleton, entity).highest >= (ordinal ?? 0);
  }

  /** The ordinals that an occurrence may have: those that were ever entered. */
  ordinals(skeleton: string, entity: string): Iterable<number> {
    return Array(this.#of(skeleton, entity).highest + 1).keys();
  }

  /** Notes which keys an occurrence had written when it was undone. */
  unwrote({ skeleton, entity, ordinal }: InstanceId, keys: readonly Key[]): void {
    if (keys.length === 0) return;
    const { undone } = this.#of(skeleton, entity);
    const known = undone.get(ordinal) ?? new Map<string, Key>();
    undone.set(ordinal, known);
    for (const key of keys) known.set(key.text, key);
  }

  /** True where an occurrence had written a key before it was undone; without an ordinal, any occurrence. */
  hadWritten(skeleton: string, entity: string, ordinal: number | undefined, key: Key): boolean {
    const { undone } = this.#of(skeleton, entity);
    const meant = ordinal === undefined ? [...undone.values()] : [undone.get(ordinal) ?? new Map<string, Key>()];
    return meant.some((keys) => [...keys.values()].some((own) => overlaps(own, key) || overlaps(ownOf(own), key)));
  }

  /** The occurrences that were undone or set aside and may be taken up again. */
  unused(skeleton: string, entity: string): InstanceId[] {
    return [...this.#of(skeleton, entity).free.keys()].map((ordinal) => ({ skeleton, entity, ordinal }));
  }

  #of(skeleton: string, entity: string): Used {
    const name = JSON.stringify([skeleton, entity]);
    const known: Used = this.#used.get(name) ?? { highest: -1, free: new Map(), undone: new Map() };
    this.#used.set(name, known);
    return known;
  }
}

/** A key as the machine that has it names it: without the actor, if it is a machine that was invoked. */
function ownOf(key: Key): Key {
  return key.segments[0] === 'actor:' && key.segments.length > 2 ? { ...key, segments: key.segments.slice(2) } : key;
}
