/**
 * The acts of a run that have an identity (semantics.md ON1). A tool's `once` says which of its calls are one act; the
 * acts have names. A name is a key outside of the context, so that a history can tell who has made the act and who
 * rests on it (ON4).
 */
import type { ValueCodec } from '../journal/value-codec.ts';
import type { IntentEntry } from '../model/call-entries.ts';
import { escapeSegment, type Key, parseKey } from '../model/key.ts';
import { argsDigest } from './digest.ts';
import type { LedgerCall } from './ledger-call.ts';

/** The digest of an identity. Within a run it is under its secret, so that no reader can guess an invoice by it. */
export function identityDigest(
  identity: readonly unknown[],
  secret: string | null,
  codecs: readonly ValueCodec[],
): string {
  return argsDigest([...identity], secret, codecs);
}

/** The name of an act: of a tool, and the digest of an identity. */
export function actName(tool: string, digest: string): string {
  return `once:${escapeSegment(tool)}/${digest}`;
}

/** The name of the act that an intent is; null where its tool declares no identity. */
export function actOf({ tool, once }: IntentEntry): string | null {
  return once === undefined ? null : actName(tool, once);
}

/** The key under which a history knows an act. */
export function actKey(act: string): Key {
  return parseKey(act);
}

/** The calls with an identity, by the names of their acts. */
export class Acts {
  readonly #calls = new Map<string, Map<string, LedgerCall>>();

  /** Adds a call, in the place of an earlier one of its key. */
  add(call: LedgerCall): void {
    if (call.act === null) return;
    const calls = this.#calls.get(call.act) ?? new Map<string, LedgerCall>();
    this.#calls.set(call.act, calls.set(call.key, call));
  }

  /** The call that stands as an act, or may come to: under way, unknown, held or made. Not the call of a key. */
  standing(act: string, but: string): LedgerCall | undefined {
    const all = [...(this.#calls.get(act)?.values() ?? [])].filter((call) => call.key !== but && isAct(call));
    return all.find(({ at }) => at !== null) ?? all[0];
  }
}

/** True where a call is an act, or may come to be: it was not taken back, and it is not known that it has not happened. */
export function isAct({ repeats, status }: Pick<LedgerCall, 'repeats' | 'status'>): boolean {
  return repeats === null && status !== 'failed' && status !== 'compensated';
}
