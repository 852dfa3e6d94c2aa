/** The commits of the past as it stands, and what each has made visible (semantics.md SP2, SP3). */
import type { LedgerCall } from '../effects/ledger-call.ts';
import { commits } from '../model/checkpoint.ts';
import type { CommittedEntry } from '../model/commit-entries.ts';
import { isExternal } from '../model/external-keys.ts';
import { type InstanceId, instanceName } from '../model/instance.ts';
import type { RunState } from './run-state.ts';

/** The commits of the past as it stands that the program was not told of; those of branches that have lost are no part of it. */
export function owedCommits(runState: RunState): readonly CommittedEntry[] {
  const { commits: all, choices, actors } = runState;
  return all.due.filter((each) => standingAt(runState, each) !== null && !choices.hasLost(actors, each.actor));
}

/** The calls and the external keys that a commit has made visible. */
export interface MadeVisible {
  readonly calls: readonly LedgerCall[];
  /** The external keys that the unit has written since its commit before, by their texts. */
  readonly things: readonly string[];
}

/**
 * The number that the event of a commit has in the past as it stands; null where the past does not have the commit. A replay that takes its
 * work over gives the event another number.
 */
export function standingAt(
  runState: RunState,
  { instance, at }: Pick<CommittedEntry, 'instance' | 'at'>,
): number | null {
  const record = runState.history.registry.get(instance);
  if (record === undefined) return null;
  for (const checkpoint of record.checkpoints.backwards()) {
    if (checkpoint.at < at) return null;
    if (!commits(checkpoint.kind)) continue;
    if (checkpoint.at === at || runState.originOf(checkpoint.at) === at) return checkpoint.at;
  }
  return null;
}

/** What the commit of a unit has made visible, whose event has a number: what the unit did since its commit before. */
export function madeVisible({ history, ledger }: RunState, instance: InstanceId, at: number): MadeVisible {
  const record = history.registry.get(instance);
  if (record === undefined) return { calls: [], things: [] };
  let before = 0;
  for (const checkpoint of record.checkpoints.backwards(record.checkpoints.countUpTo(at - 1)))
    if (commits(checkpoint.kind)) {
      before = checkpoint.at;
      break;
    }
  const calls = ledger.between(instanceName(instance), before, at).filter(isMade);
  const written = history.versions.writesBetween(record, before, at).filter(({ key }) => isExternal(key));
  return { calls, things: [...new Set(written.map(({ key }) => key.text))] };
}

/** True for a call that changes the world and that nothing has taken back. */
function isMade({ repeats, decides, status }: LedgerCall): boolean {
  return repeats === null && !decides && status !== 'failed' && status !== 'compensated';
}
