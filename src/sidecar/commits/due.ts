/**
 * Finds the commits that can be made now: the boundary has certified, and everything the commit relied on is promised
 * as well (semantics.md E4).
 */
import { commitIdOf } from '../../effects/keys.ts';
import type { LedgerCall } from '../../effects/ledger-call.ts';
import type { PublishEntry } from '../../model/call-entries.ts';
import { CHOICE_EVENTS } from '../../model/choice-entries.ts';
import { isOpen } from '../../model/effect.ts';
import { type InstanceId, instanceName, ROOT } from '../../model/instance.ts';
import { reliesOnUncommitted } from '../../recovery/covered.ts';
import type { RunParts } from '../parts.ts';

/** Lists the commits that are due. @param isOver true at the end of the run: nothing is rolled back any more. */
export function dueCommits(parts: RunParts, isOver: boolean): PublishEntry[] {
  const { ledger, history } = parts.runState;
  const instances = new Map<string, InstanceId>();
  for (const { intent } of ledger.buffered()) instances.set(instanceName(intent.instance), intent.instance);
  const chosen = dueByChoice(parts);
  const due = [...instances.values()].flatMap((id): PublishEntry[] => {
    const at = history.registry.get(id)?.committed?.at ?? 0;
    const calls = ledger.buffered(id).filter((call) => call.staged && (call.at ?? at) < at);
    if (calls.length === 0) return [];
    if (!isOver && reliesOnUncommitted(history, id, at, ({ skeleton }) => skeleton === ROOT) !== null) return [];
    return [entryOf(parts, id, at, calls)];
  });
  return [...due, ...chosen];
}

/** True while what a loser did is unknown or not undone, and no person has let it stand (AL7). */
function isLoserOwed({ runState: { ledger, choices, actors } }: RunParts): boolean {
  for (const { status, stands, discarded, repeats, intent } of ledger.all())
    if (discarded && repeats === null && !stands && (isOpen(status) || status === 'confirmed'))
      if (choices.hasLost(actors, intent.actor)) return true;
  return false;
}

/** The commits of branches that were chosen: what they have held back leaves (AL6, AL7). */
function dueByChoice(parts: RunParts): PublishEntry[] {
  const { ledger, choices, actors } = parts.runState;
  if (choices.all.length === 0 || isLoserOwed(parts)) return [];
  const of = new Map<string, LedgerCall[]>();
  for (const call of ledger.buffered()) {
    if (!call.staged || !choices.hasWon(actors, call.intent.actor)) continue;
    const name = instanceName(call.intent.instance);
    of.set(name, [...(of.get(name) ?? []), call]);
  }
  return [...of.values()].map((calls) => {
    const [first] = calls as [LedgerCall];
    const { at = 0 } = choices.branchOf(actors, first.intent.actor)?.choice ?? {};
    return entryOf(parts, first.intent.instance, at, calls, CHOICE_EVENTS.chosen);
  });
}

function entryOf(
  { run, runState, config }: RunParts,
  instance: InstanceId,
  at: number,
  calls: readonly LedgerCall[],
  chosen: string | null = null,
): PublishEntry {
  const boundary = chosen ?? runState.boundaryAt(instance, at);
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
