/** Lists of steps that are sorted by their numbers, and by the events of their acts. */

/** A step in such a list. */
export interface SortedStep {
  readonly nth: number;
  readonly act: number;
  /** True for a step that is not retained. */
  readonly gone: boolean;
}

/** Removes entries from a number on, from a list that is sorted by number. */
export function sweep(list: SortedStep[], first: number): void {
  let kept = countUpToNth(list, first - 1);
  for (let index = kept; index < list.length; index += 1) {
    const step = list[index] as SortedStep;
    if (step.gone) continue;
    list[kept] = step;
    kept += 1;
  }
  list.length = kept;
}

/** The number of steps that have their acts before event `at`. */
export function countBelow(list: readonly SortedStep[], at: number): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((list[middle] as SortedStep).act < at) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The number of steps up to the one of number `nth`. */
export function countUpToNth(list: readonly SortedStep[], nth: number): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((list[middle] as SortedStep).nth <= nth) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** A list with one more: most steps have none, and share one empty list. One that is not empty is its owner's own, and is added to. */
export function withOne<T>(list: readonly T[], one: T): readonly T[] {
  if (list.length === 0) return [one];
  (list as T[]).push(one);
  return list;
}
