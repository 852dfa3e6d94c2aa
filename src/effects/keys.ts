/**
 * Idempotency keys (semantics.md E3): the name of the decision to make a call. The journal, the counterparty and the
 * person who is asked about the call know it by this key. A key is opaque for two reasons: it fits into a header or a
 * column whatever entities are called, and its ingredients cannot be guessed from it. An entity may be the number of a
 * card.
 */
import { createHmac } from 'node:crypto';
import type { IntentEntry } from '../model/call-entries.ts';
import type { EffectStatus } from '../model/effect.ts';
import type { InstanceId } from '../model/instance.ts';

/**
 * Makes a key from its ingredients, as JSON: an HMAC under the secret of the run. A key has 49 ASCII characters, and
 * leaves room for a suffix.
 */
export function keyOf(readable: string, secret: string): string {
  return `belay-${createHmac('sha256', secret).update(readable).digest('base64url')}`;
}

/** The id of a commit, which counterparties hear of: no more can be guessed from it than from a key. */
export function commitIdOf(readable: string, secret: string): string {
  return createHmac('sha256', secret).update(readable).digest('hex').slice(0, 32);
}

/** The parts of a call's key. */
export interface KeyedCall {
  readonly instance: InstanceId;
  /** The name that the instance has in keys: the root of a machine that is invoked again has another id by then. */
  readonly keyedAs: InstanceId;
  readonly tool: string;
  /** The region of its unit in which the call is made; null if the unit has only that region. */
  readonly place: string | null;
  /** The digest of its arguments. */
  readonly digest: string;
}

/** A call that has a key already. */
interface KnownCall {
  readonly key: string;
  readonly status: EffectStatus;
  readonly intent: IntentEntry;
  readonly voided: boolean;
  /** True where its work was discarded: made again, it is another decision. */
  readonly discarded: boolean;
  /** The key of the act that it repeats: it was never sent, so its key is free (ON2). */
  readonly repeats: string | null;
}

/** The first generation of a key that is not used up by an earlier call. @param digest that of the arguments of the new one. */
export function freeKey(key: string, digest: string, known: (name: string) => KnownCall | undefined): string {
  let name = key;
  for (let again = 1; isOver(known(name), digest); again += 1) name = `${key}~${again}`;
  return name;
}

/** The entity that the key of a call was made of. */
export function entityOf({ intent }: Pick<KnownCall, 'intent'>): string {
  return intent.keyedAs ?? intent.instance.entity;
}

/** The first generation of a key. */
export function firstOf(key: string): string {
  return key.replace(/~\d+$/, '');
}

/** True for a call that has not happened and whose key may not be sent again: it is refused, or has another body, which a person wrote (PE2). */
export function isKeySpent({ status, voided, intent }: Pick<KnownCall, 'status' | 'voided' | 'intent'>): boolean {
  return voided || (status === 'failed' && intent.instead !== undefined);
}

/** True where a key is used up: the call that is asked for now is another decision. */
function isOver(known: KnownCall | undefined, digest: string): boolean {
  if (known !== undefined && known.repeats !== null) return false;
  if (known?.status === 'failed') return isKeySpent(known) || known.intent.digest !== digest;
  return known?.status === 'compensated' || known?.discarded === true;
}
