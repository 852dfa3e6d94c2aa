/**
 * The ledger of obligations: the debts of a run to people, to counterparties and to its own commits. A run without
 * obligations can be left alone; any other needs a person, or time.
 */
import type { LedgerCall } from '../effects/ledger-call.ts';
import type { Verdict } from '../model/decision.ts';
import { isOpen } from '../model/effect.ts';
import type { InstanceId } from '../model/instance.ts';
import type { RunState } from '../projection/run-state.ts';
import { shownArgs } from './ledger-effects.ts';
import { owedActs } from './obligations.ts';
import type { RunStatus } from './run-status.ts';

/** The call that something is owed about. */
interface Owed {
  readonly key: string;
  readonly tool: string;
  readonly instance: InstanceId;
}

/** One thing that a run owes. Times are wall clocks, in milliseconds. */
export type Obligation =
  /**
   * A call waits for a person. `expired`: nothing opens its gate any more, and it is asked again when the run is taken
   * up.
   */
  | (Owed & {
      readonly owes: 'approval';
      readonly gate: string;
      readonly args: unknown;
      readonly since: number;
      readonly expires: number | null;
      readonly expired: boolean;
    })
  /** The outcome of a call is unknown. `next` is null where its counterparty is not asked again by itself. */
  | (Owed & {
      readonly owes: 'outcome';
      readonly since: number;
      /** The number of times that its counterparty was asked and did not know. */
      readonly tries: number;
      readonly next: number | null;
      /** True where it can be asked again by now. */
      readonly due: boolean;
      /** The gate at which a person is asked; null if no person is asked. */
      readonly gate: string | null;
    })
  /** A decision waits for a person to act, or is not carried out to its end. */
  | {
      readonly owes: 'recovery';
      readonly is: 'parked' | 'unfinished' | 'stuck';
      readonly verdict: Verdict;
      readonly instance: InstanceId | null;
    }
  /**
   * A call is to be undone before the recovery goes on; `error` is what its undo failed with, null where it has not
   * failed.
   */
  | (Owed & { readonly owes: 'undo'; readonly error: string | null })
  /** What a call has taken on, and no call has kept; `key` is that of the call which took it on (OB2). */
  | (Owed & {
      readonly owes: 'act';
      /** Its name, by which a person answers for it: `KEY#1`. */
      readonly name: string;
      readonly keptBy: string;
      readonly says: unknown;
      readonly since: number;
      readonly due: number | null;
      readonly overdue: boolean;
      /** Why no call that keeps it may leave; null where one may. */
      readonly unkept: string | null;
    })
  /** A call is held back until its instance commits. */
  | (Owed & { readonly owes: 'commit'; readonly since: number })
  /** A commit was decided, and these calls of it are not visible yet. */
  | {
      readonly owes: 'publication';
      readonly id: string;
      readonly instance: InstanceId;
      readonly boundary: string;
      readonly keys: readonly string[];
    }
  /** A call stands that a restore has taken the place of, and that no replay has claimed (E7). */
  | (Owed & { readonly owes: 'claim' });

/**
 * The obligations of a run: what waits for people first.
 * @param since when each call was last intended, by its key.
 */
export function obligationsOf(
  runState: RunState,
  standing: RunStatus,
  since: ReadonlyMap<string, number>,
  now: number,
): Obligation[] {
  const calls = [...runState.ledger.all()];
  return [
    ...approvals(runState, now),
    ...outcomes(runState, since, now),
    ...recovery(runState, standing),
    ...undos(runState),
    ...acts(runState, now),
    ...publications(runState),
    ...runState.ledger
      .buffered()
      .map((call): Obligation => ({ owes: 'commit', ...owed(call), since: at(call, since) })),
    ...calls
      .filter(({ at: place, status }) => place === null && status === 'confirmed')
      .map((call): Obligation => ({ owes: 'claim', ...owed(call) })),
  ];
}

/** A run that is over owes nothing any more: its end names what is broken. */
function acts(runState: RunState, now: number): Obligation[] {
  if (runState.ended !== null) return [];
  return owedActs(runState).map(({ is: _, by: __, why: ___, ...act }) => {
    return { owes: 'act', ...act, overdue: act.overdue || (act.due !== null && act.due <= now) };
  });
}

function owed({ key, intent: { tool, instance } }: LedgerCall): Owed {
  return { key, tool, instance };
}

function at({ key }: LedgerCall, since: ReadonlyMap<string, number>): number {
  return since.get(key) ?? 0;
}

/** A run that is over lets nothing leave any more, whatever is answered. */
function approvals(runState: RunState, now: number): Obligation[] {
  if (runState.ended !== null) return [];
  return runState.asked.pending().flatMap(({ gate, asks, key, since, expires }): Obligation[] => {
    const call = runState.ledger.get(key);
    if (asks !== 'approval' || call === undefined) return [];
    const expired = expires !== null && expires <= now;
    return [{ owes: 'approval', ...owed(call), gate, args: shownArgs(call.intent, runState), since, expires, expired }];
  });
}

function outcomes(runState: RunState, since: ReadonlyMap<string, number>, now: number): Obligation[] {
  const published = new Set(runState.publications.flatMap(({ keys }) => keys));
  return runState.ledger.open().flatMap((call): Obligation[] => {
    const { tries, next } = call.asked;
    // Of a commit that is under way it is owed that it becomes visible.
    if (published.has(call.key) && call.status === 'intended') return [];
    const gate = runState.asked.of(call.key);
    const asked = gate?.asks === 'outcome' && gate.status === 'pending' ? gate.gate : null;
    const due = next !== null && next <= now;
    return [{ owes: 'outcome', ...owed(call), since: at(call, since), tries, next, due, gate: asked }];
  });
}

function recovery({ pending }: RunState, standing: RunStatus): Obligation[] {
  if (!('verdict' in standing)) return [];
  const is = standing.is === 'recovering' ? 'unfinished' : standing.is;
  return [{ owes: 'recovery', is, verdict: standing.verdict, instance: pending?.entry.decision.failed ?? null }];
}

/** The undos of a plan that is under way; of one that is only advised, none is due. */
function undos({ pending, ledger }: RunState): Obligation[] {
  if (pending === null || pending.phase === 'RESTORED') return [];
  const { decision } = pending.entry;
  if (decision.verdict === 'rerun' && pending.phase === 'DECIDED') return [];
  return decision.undo.flatMap(({ id }): Obligation[] => {
    const call = id === null ? undefined : ledger.get(id);
    if (call === undefined || call.status !== 'confirmed') return [];
    return [{ owes: 'undo', ...owed(call), error: pending.stuck.get(call.key) ?? null }];
  });
}

function publications({ publications: decided, ledger }: RunState): Obligation[] {
  return decided.map(({ id, instance, boundary, keys }): Obligation => {
    const open = keys.filter((key) => {
      const call = ledger.get(key);
      return call !== undefined && call.at !== null && (isOpen(call.status) || call.status === 'failed');
    });
    return { owes: 'publication', id, instance, boundary, keys: open };
  });
}
