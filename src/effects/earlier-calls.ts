/** Finds the earlier calls that a new one may repeat, or has to wait for (semantics.md E3, C8). */
import { classOf, type GuardedCall, type GuardPort } from './guarded-call.ts';
import { entityOf } from './keys.ts';
import type { Ledger } from './ledger.ts';
import type { LedgerCall } from './ledger-call.ts';

/** The earlier calls that one may repeat. */
interface Earlier {
  /** The same act, whose answer the machine has not heard. */
  readonly same?: LedgerCall;
  /** One whose outcome has to be known before anything like it leaves. */
  readonly open?: LedgerCall;
  /**
   * An earlier call that has happened and has answered no call yet: a person says whether the new call is the same act.
   */
  readonly like?: LedgerCall;
}

/** No earlier call. */
export const NOTHING_BEFORE: Earlier = {};

/** Finds what a call may repeat, of what its instance has called before. */
export function earlier({ ledger }: GuardPort, call: GuardedCall, digest: string): Earlier {
  if (call.tool?.buffer) return NOTHING_BEFORE;
  // What is asked of an idempotent counterparty with other arguments is another thing, whatever became of the first.
  const isOnlySame = classOf(call.tool) === 'idempotent';
  const unheard = ledger.unheard(call.instance, call.name).filter((other) => {
    if (isOnlySame && other.intent.digest !== digest) return false;
    // A call with an identity is the same act only by that identity (ON1): under another identity it is another act.
    if (call.tool?.once && other.intent.digest !== digest) return false;
    return call.relation(other) !== 'waited for';
  });
  const same = unheard.find((other) => other.intent.digest === digest && call.relation(other) === 'same');
  if (same !== undefined) return { same };
  if (call.tool?.once) return NOTHING_BEFORE;
  const open = unheard.find(({ status }) => status === 'unknown');
  if (open !== undefined) return { open };
  const like = unheard.at(-1);
  return like === undefined ? NOTHING_BEFORE : { like };
}

/** A kept effect that no replay has claimed, and that no new call leaves beside: of the same tool and entity, or of the same node (C8). */
export function unclaimed({ kept }: Ledger, call: GuardedCall, key: string): LedgerCall | undefined {
  const { name, keyedAs, instance } = call;
  const same = kept.keptBy(name, keyedAs.entity).find((other) => {
    return other.key !== key && entityOf(other) === keyedAs.entity;
  });
  return same ?? kept.keptOf(instance).find((other) => other.key !== key && call.comesAfter(other));
}
