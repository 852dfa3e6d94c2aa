/**
 * A context with changes laid over it. It tells the value at a place from the changes that reach that place and copies
 * nothing beside it: a fold copies every container on the way to a change, and a record of work reads few places of a
 * large context (semantics.md C6).
 */
import { type Change, Folding, type Path } from './context.ts';

/** A value that is there. */
export interface Found {
  readonly is: unknown;
}

/** The value at a place of a context; undefined where nothing is there. */
export function findIn(context: unknown, path: Path): Found | undefined {
  let value = context;
  for (const name of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Record<string, unknown>)[name];
  }
  return { is: value };
}

/** A context and the changes since. */
export class Overlay {
  /** The number of containers that were copied. */
  copied = 0;
  readonly #context: unknown;
  readonly #changes: Change[] = [];

  constructor(context: unknown) {
    this.#context = context;
  }

  apply(changes: Iterable<Change>): void {
    for (const change of changes) this.#changes.push(change);
  }

  /**
   * The value at a place after all changes; undefined where nothing is there. Costs the changes, and the containers at
   * or below the place.
   */
  at(path: Path): Found | undefined {
    let found = findIn(this.#context, path);
    for (const change of this.#changes) {
      const shared = sharedBy(change.path, path);
      const isAbove = shared === change.path.length;
      if (!isAbove && shared < path.length) continue;
      if (isAbove && change.op === 'set') found = findIn(change.value, path.slice(shared));
      else if (isAbove && change.op === 'delete') found = undefined;
      // The member of a list that grows is found by the length that the list has by then.
      else if (shared < path.length) return findIn(this.#fold(this.#context, this.#changes), path);
      else found = { is: this.#fold(found?.is, [{ ...change, path: change.path.slice(shared) }]) };
    }
    return found;
  }

  #fold(context: unknown, changes: readonly Change[]): unknown {
    const folding = new Folding(context);
    folding.apply(changes);
    this.copied += folding.copied;
    return folding.context;
  }
}

/** The number of names with which two paths begin alike. */
function sharedBy(one: Path, other: Path): number {
  let count = 0;
  while (count < one.length && count < other.length && one[count] === other[count]) count += 1;
  return count;
}
