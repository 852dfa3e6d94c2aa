/** Lists of steps that are sorted by their numbers, and by the events of their acts. */

/** A step in such a list. */
export interface SortedStep {
  readonly nth: number;
  readonly act: number;
  /** True for a step that is not retained. */
  readonly gone: boolean;
}

/** A list with one more: most steps have none, and share one empty list. One that is not empty is its owner's own, and is added to. */
export function withOne<T>(list: readonly T[], one: T): readonly T[] {
  if (list.length === 0) return [one];
  (list as T[]).push(one);
  return list;
}
