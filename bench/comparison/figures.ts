/** Figures of measured times. */

/** What one row came to. Times in microseconds, for each step. */
export interface Figures {
  readonly median: number;
  readonly p99: number;
  /** Of the process, the opening and the end of the chain included. */
  readonly cpu: number;
  /** Of the servers beside it; absent where there are none, or where this machine does not tell. */
  readonly server?: number;
  /** On the disk, for each step; absent where nothing is written. */
  readonly bytes?: number;
  /** The last tenth of a long chain over its first tenth. */
  readonly growth: number;
}

/** The value below which such a part of the values lie, and at least one value. @throws RangeError without values. */
export function quantile(values: readonly number[], part: number): number {
  if (values.length === 0) throw new RangeError('there is no quantile of no values');
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] as number;
}

/** The middle value; of an even number of values the upper one of the two. */
export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** How many times as long the last tenth takes as the first, by their medians. */
export function growthOf(times: readonly number[]): number {
  const tenth = Math.max(1, Math.floor(times.length / 10));
  return median(times.slice(-tenth)) / median(times.slice(0, tenth));
}
