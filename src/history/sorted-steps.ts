/** Lists of steps that are sorted by their numbers, and by the events of their acts. */

/** A step in such a list. */
export interface SortedStep {
  readonly nth: number;
  readonly act: number;
  /** True for a step that is not retained. */
  readonly gone: boolean;
}

/**
 * The list with one more member. All empty lists are one shared object; a list with members is its owner's, and is
 * appended to.
 */
export function withOne<T>(list: readonly T[], one: T): readonly T[] {
  if (list.length === 0) return [one];
  (list as T[]).push(one);
  return list;
}
