/** The order in which an abort undoes calls: reverse dependency order, by call (semantics.md AB3). It knows calls by their keys and nothing else. */

/** A call of an aborted run that may have happened, and its state. */
export interface AbortedCall {
  readonly key: string;
  /**
   * `due`: it has happened and is to be undone, or to be named as standing. `unknown`: it is not known what became of it. `owed`: its undo has
   * failed. `over`: nothing of it is left to do.
   */
  readonly is: 'due' | 'unknown' | 'owed' | 'over';
  /** The keys of the earlier calls that this call rests on, directly or through others. */
  readonly on: ReadonlySet<string>;
}

/** True where something is left to do about a call, or to be found out. */
export function isUnresolved({ is }: AbortedCall): boolean {
  return is !== 'over';
}

/** The calls that hold a call back: they rest on it, and are not resolved. @param calls in the order of their intents. */
export function holdersOf(calls: readonly AbortedCall[], key: string): AbortedCall[] {
  return calls.filter((other) => other.key !== key && isUnresolved(other) && other.on.has(key));
}

/**
 * The call to undo next: the newest due call that no unresolved call rests on; null if there is none. @param calls in
 * the order of their intents.
 */
export function nextToUndo(calls: readonly AbortedCall[]): AbortedCall | null {
  return calls.findLast(({ is, key }) => is === 'due' && holdersOf(calls, key).length === 0) ?? null;
}
