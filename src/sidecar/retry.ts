/** The waits before the sidecar itself tries a failed question or undo again. A tool's own `retry` is in the config. */

/** The wait before each try, in milliseconds; the last is for all further ones. */
const WAITS = {
  /** An undo, before it is owed (semantics.md E5). */
  undo: [0, 20, 100],
  /** A commit, before a person is asked (E4). */
  commit: [0, 20, 100, 500],
  /** A recovery, where the same failure came directly before (R6). */
  recovery: [0, 10, 20, 40, 80, 160, 250],
} as const;

type Retried = keyof typeof WAITS;

/** The number of tries that have a wait of their own. */
export function triesOf(what: Retried): number {
  return WAITS[what].length;
}

/** The wait before a try, in milliseconds; the first has number 0. */
export function waitOf(what: Retried, round: number): number {
  const waits: readonly number[] = WAITS[what];
  return waits[Math.min(round, waits.length - 1)] as number;
}
