/** Answers or refuses the calls that repeat an act of their run (semantics.md ON2 to ON5), and tells which act a call is (ON1). */
import { isSame } from '../journal/value-codec.ts';
import type { IntentEntry } from '../model/call-entries.ts';
import { actName, identityDigest } from './acts.ts';
import { failed, type GuardedCall, type GuardPort, type Reply } from './guarded-call.ts';
import { isDistrusted, type LedgerCall } from './ledger-call.ts';
import { ActRepeated } from './signals.ts';

/** The act that a call is. */
export type Act =
  /** Its tool declares no identity. */
  | { readonly is: 'any' }
  /** Its tool declares one, and the call lacks a part of it. */
  | { readonly is: 'unnamed'; readonly by: readonly string[] }
  | { readonly is: 'one'; readonly name: string; readonly once: string; readonly inStore: boolean };

/** Tells which act a call is (ON1). */
export function actOfCall({ secret, codecs }: GuardPort, { name, tool, args }: GuardedCall): Act {
  const once = tool?.once ?? null;
  if (once === null) return { is: 'any' };
  const identity = once.identityOf(args);
  if (identity === null) return { is: 'unnamed', by: once.by };
  const digest = identityDigest(identity, secret, codecs);
  return { is: 'one', name: actName(name, digest), once: digest, inStore: once.scope === 'store' };
}

/** The refusal of a call that does not name its act: no run could tell if that act was made before. */
export function unnamed({ name }: GuardedCall, by: readonly string[]): Reply {
  const what = `${name} is made once by ${by.join(', ')}, and this call lacks a part of that`;
  return failed('CONTRACT_VIOLATION', new TypeError(`${what}. Pass every part, none of them null.`), null);
}

/** The act that a call would repeat, if the call of `key` did not make it; undefined if there is none. */
export function actBefore({ ledger }: GuardPort, act: Act, key: string): LedgerCall | undefined {
  return act.is === 'one' ? ledger.acts.standing(act.name, key) : undefined;
}

/**
 * Answers a call that repeats an act.
 * @param intent the intent that is written for it; it never leaves.
 * @param again asks once more, after something about the act has become known.
 * @returns null where it is not known what became of the act, and only its counterparty or a person can tell.
 */
export async function repeated(
  port: GuardPort,
  call: GuardedCall,
  intent: IntentEntry,
  first: LedgerCall,
  again: () => Promise<Reply>,
): Promise<Reply | null> {
  if (first.at === null && !first.discarded)
    return port.ledger.kept.isKept(first) ? { is: 'unclaimed', kept: first } : null;
  const isMade = first.status === 'confirmed' || (first.status === 'buffered' && first.staged);
  if (!isMade || first.undoing || isDistrusted(first)) {
    const received = port.received(first);
    if (received === null) return null;
    await received;
    return again();
  }
  const own = port.ledger.get(intent.key);
  const repetition = { ...intent, class: 'none', undo: false, repeats: first.key } as const;
  if (first.intent.digest !== intent.digest) {
    const error = new ActRepeated(call.name, { run: port.run, key: first.key });
    port.append([repetition, { do: 'outcome', key: intent.key, status: 'failed', error: error.message }]);
    return failed('GOVERNOR_DENIED', error, null);
  }
  if (own?.wrong?.isSure === true && isSame(own.wrong.output, first.output)) {
    const error = new Error(`${call.name} repeats ${first.key}, whose answer was found wrong`);
    return { is: 'failed', signal: 'CONTRACT_VIOLATION', error, key: null, held: true };
  }
  // A claim of the same answer by the same call is written once.
  const isTold = own?.repeats === first.key && own.at !== null && own.status === 'confirmed';
  if (!isTold || own.intent.actor !== intent.actor) port.append([repetition]);
  return { is: 'done', output: first.output };
}
