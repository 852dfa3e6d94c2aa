/**
 * The calls of a run as an abort sees them: each call that may have happened, the act left to do about it, and the
 * calls it rests on (semantics.md AB3, AB7).
 */
import { rulesOf, touchesAs } from '../../boundaries/version-rules.ts';
import type { LedgerCall } from '../../effects/ledger-call.ts';
import { isOpen } from '../../model/effect.ts';
import { versioned } from '../../model/tool-version.ts';
import type { RunState } from '../../projection/run-state.ts';
import { restsOn } from '../../recording/rests-on.ts';
import type { AbortedCall } from '../../recovery/undo-order.ts';
import { argsOf } from '../calls/args.ts';
import type { RunParts } from '../parts.ts';

/** A call of an aborted run. */
export interface AbortedAct extends AbortedCall {
  readonly call: LedgerCall;
}

type Needs = Pick<RunParts, 'runState' | 'config'> & Partial<Pick<RunParts, 'versions'>>;

/**
 * The calls that may have happened, in the order of their intents: a repetition of another call is no act, a held call
 * has not left, and a call of the common past of a fork is its parent's (FK2).
 */
function actsOf({ runState }: Pick<Needs, 'runState'>): LedgerCall[] {
  const { common } = runState.ledger;
  return [...runState.ledger.all()].filter(
    ({ key, repeats, status }) => repeats === null && status !== 'buffered' && !common.has(key),
  );
}

/** The calls that each call rests on. It is the same for as long as the machine stands still. */
export function relationOf({ runState, config, versions }: Needs, isByStep: boolean): ReturnType<typeof restsOn> {
  const acts = [...runState.ledger.all()].filter(({ repeats }) => repeats === null);
  const argued = acts.map((call) => {
    return { call, args: argsOf(runState, call.intent), touches: touchesAs(config, versions, call) };
  });
  return restsOn(runState, config, argued, isByStep);
}

/**
 * For each call of a branch, the earlier calls of that branch: the past no longer tells what removed calls rested on
 * (AL6).
 */
export function byBranch({ runState }: Pick<Needs, 'runState'>): ReturnType<typeof restsOn> {
  const { choices, actors, ledger } = runState;
  const before = new Map<number, string[]>();
  const on = new Map<string, ReadonlySet<string>>();
  for (const { key, intent } of ledger.all()) {
    const branch = choices.branchOf(actors, intent.actor)?.is.actor;
    if (branch === undefined) continue;
    const earlier = before.get(branch) ?? [];
    on.set(key, new Set(earlier));
    before.set(branch, [...earlier, key]);
  }
  return on;
}

/**
 * The calls of a run, each with the act that is left to do. @param failed the keys of the calls whose undo has failed
 * since the last request for it.
 */
export function abortedActs(
  runState: RunState,
  relation: ReturnType<typeof restsOn>,
  failed: ReadonlySet<string>,
  isMeant: (call: LedgerCall) => boolean = () => true,
): AbortedAct[] {
  const is = ({ key, status, stands }: LedgerCall): AbortedCall['is'] => {
    if (isOpen(status)) return 'unknown';
    if (status !== 'confirmed' || stands) return 'over';
    return failed.has(key) ? 'owed' : 'due';
  };
  const none: ReadonlySet<string> = new Set();
  return actsOf({ runState })
    .filter(isMeant)
    .map((call) => ({
      key: call.key,
      is: is(call),
      on: relation.get(call.key) ?? none,
      call,
    }));
}

/** Says why a call is not undone by its class or its config; null where its undo is to be tried. */
export function whyNotUndone({ config, versions }: Omit<Needs, 'runState'>, call: LedgerCall): string | null {
  const { intent, undo } = call;
  const { tool, version } = intent;
  const rules = rulesOf(config, versions, call);
  if (rules === undefined && config.tools.has(tool))
    return `another version made it, and the config has no ${versioned(tool, version)}`;
  if (intent.class === 'irreversible') return 'it is irreversible';
  if (intent.class === 'idempotent') return 'it is idempotent, and nothing undoes it';
  if ((rules?.undo ?? null) === null) return `no undo of ${tool} is declared`;
  return intent.undo && !undo ? 'what it changed has moved on' : null;
}
