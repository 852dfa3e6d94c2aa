/**
 * The acts that are unique in a store (semantics.md ON6, J9): one row for each, with the run that has it and the key of
 * its call. The commit whose rows take or free the act writes the act's row, so neither is there without the other.
 */

/** Changes of a commit to the acts of its store. */
export type ActChange =
  /** A call takes an act, unless another one has it: then nothing changes. */
  | { readonly is: 'taken'; readonly act: string; readonly key: string }
  /** The call of a key was undone, or is known not to have happened: it has no act any more. */
  | { readonly is: 'freed'; readonly key: string };

/** The call that has an act. */
export interface HeldAct {
  readonly run: string;
  readonly key: string;
}

/** The changes that a commit comes to: first what is freed, then what is taken, in the order of the acts. */
export function settled(changes: readonly ActChange[]) {
  const last = [...new Map(changes.map((change) => [change.key, change])).values()];
  const freed = last.flatMap((change) => (change.is === 'freed' ? [change.key] : []));
  const taken = last.flatMap((change) => (change.is === 'taken' ? [[change.act, change.key] as const] : []));
  return { freed, taken: taken.sort(([a], [b]) => (a < b ? -1 : 1)) };
}
