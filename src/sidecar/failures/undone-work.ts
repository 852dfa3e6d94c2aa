/** Says if the work of a complaint is undone, or set aside, by now (semantics.md C12). */
import { instanceName } from '../../model/instance.ts';
import type { RunState } from '../../projection/run-state.ts';
import type { WorkRecord } from '../../projection/set-aside/records.ts';
import type { Raised } from '../parts.ts';

/** True where work that was complained about has been undone since the complaint was made: it needs no second answer. */
export function isTakenBack(runState: RunState, { failure, about }: Raised): boolean {
  if (about === undefined || failure.in === null) return false;
  const name = instanceName(failure.in);
  const record = runState.history.registry.get(failure.in);
  const isAside = [...runState.records.values()].some(({ members }) => members.has(name));
  if (record === undefined) return !isAside;
  if (about.write !== null) {
    if (isAside) return false;
    return !runState.history.versions.writesOf(record).some(({ at }) => runState.originOf(at) === about.write);
  }
  if ((runState.epochs.get(name) ?? 0) === about.epoch || runState.records.has(name)) return false;
  // What it had done before, and that still stands, was complained about as well.
  return !runState.places.stepsOf(name, 0, Number.POSITIVE_INFINITY).some(({ act }) => act < about.head);
}

/** Finds the record that holds the work that was complained about; null where that is not set aside. */
export function recordOf(runState: RunState, { failure, about }: Raised): WorkRecord | null {
  if (failure.in === null || about === undefined) return null;
  const name = instanceName(failure.in);
  if (runState.history.registry.get(failure.in) !== undefined && !runState.records.has(name)) return null;
  return [...runState.records.values()].find(({ members }) => members.has(name)) ?? null;
}
