/**
 * Binary search in lists that are sorted by event number, because they grow with the history. Every projection here
 * uses it as its index.
 */

/** The number of entries numbered at most `limit`, which is also the index of the first entry after it. */
export function countUpTo(list: readonly { readonly at: number }[], limit: number): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((list[middle] as { at: number }).at <= limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The entries numbered above `after` and up to `upTo`. Costs its result and two searches. */
export function between<T extends { readonly at: number }>(list: readonly T[], after: number, upTo: number): T[] {
  return list.slice(countUpTo(list, after), countUpTo(list, upTo));
}
