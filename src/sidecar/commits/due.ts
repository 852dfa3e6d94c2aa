/**
 * Finds the commits that can be made now: the boundary has certified, and everything the commit relied on is promised
 * as well (semantics.md E4).
 */
import { commitIdOf } from '../../effects/keys.ts';
import type { LedgerCall } from '../../effects/ledger-call.ts';
import type { PublishEntry } from '../../model/call-entries.ts';
import { type InstanceId, instanceName, ROOT } from '../../model/instance.ts';
import { reliesOnUncommitted } from '../../recovery/covered.ts';
import type { RunParts } from '../parts.ts';

/** Lists the commits that are due. @param isOver true at the end of the run: nothing is rolled back any more. */
export function dueCommits(parts: RunParts, isOver: boolean): PublishEntry[] {
  const { ledger, history } = parts.runState;
  const instances = new Map<string, InstanceId>();
  for (const { intent } of ledger.buffered()) instances.set(instanceName(intent.instance), intent.instance);
  return [...instances.values()].flatMap((id): PublishEntry[] => {
    const at = history.registry.get(id)?.committed?.at ?? 0;
    const calls = ledger.buffered(id).filter((call) => call.staged && (call.at ?? at) < at);
    if (calls.length === 0) return [];
    if (!isOver && reliesOnUncommitted(history, id, at, ({ skeleton }) => skeleton === ROOT) !== null) return [];
    return [entryOf(parts, id, at, calls)];
  });
}

function entryOf(
  { run, runState, config }: RunParts,
  instance: InstanceId,
  at: number,
  calls: readonly LedgerCall[],
): PublishEntry {
  const boundary = runState.boundaryAt(instance, at);
  const keys = calls.map(({ key }) => key);
  const named = JSON.stringify([run, instanceName(instance), boundary, keys]);
  const { invariants } = config.skeletons.get(instance.skeleton)?.boundaries.find(({ id }) => id === boundary) ?? {
    invariants: [],
  };
  return {
    do: 'publish',
    id: commitIdOf(named, runState.ledger.secret),
    instance,
    boundary,
    at,
    keys,
    invariants: invariants.map(({ id }) => id),
  };
}
