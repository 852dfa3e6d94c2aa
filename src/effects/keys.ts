/**
 * Idempotency keys (semantics.md E3): the name of the decision to make a call, by which the journal, its counterparty and the person who is
 * asked about it know it. It is opaque, so that it fits into a header or a column whatever entities are called, and so that what it is made of
 * cannot be guessed from it: an entity may be the number of a card.
 */
import { createHash, createHmac } from 'node:crypto';
import type { IntentEntry } from '../model/call-entries.ts';
import type { EffectStatus } from '../model/effect.ts';
import type { InstanceId } from '../model/instance.ts';

/** The form of the keys of a run: it keeps the one that it began with. */
export type KeyForm =
  /** Its parts, as JSON. */
  | { readonly is: 'readable' }
  /** A plain hash of that. */
  | { readonly is: 'opaque' }
  /** An HMAC of that, under the secret of the run. */
  | { readonly is: 'keyed'; readonly secret: string };

/** The first formats of journals whose runs name their calls by opaque keys, and by keys under their secret. */
const OPAQUE_SINCE = 3;
const KEYED_SINCE = 4;

/** The form of the keys of a run, by the format that its journal began with. */
export function keyFormOf(format: number, secret: string | null): KeyForm {
  if (format >= KEYED_SINCE && secret !== null) return { is: 'keyed', secret };
  return format >= OPAQUE_SINCE ? { is: 'opaque' } : { is: 'readable' };
}

/**
 * A key by what it is made of, as JSON: unless it is readable, it has 49 ASCII characters, and room for what is appended to it.
 */
export function keyOf(readable: string, form: KeyForm): string {
  if (form.is === 'readable') return readable;
  return `belay-${hashing(form).update(readable).digest('base64url')}`;
}

/** The id of a commit, which counterparties hear of: no more can be guessed from it than from a key. */
export function commitIdOf(readable: string, form: KeyForm): string {
  return hashing(form).update(readable).digest('hex').slice(0, 32);
}

/** The parts of a call's key. */
export interface KeyedCall {
  readonly instance: InstanceId;
  /** The name that the instance has in keys: the root of a machine that is invoked again has another id by then. */
  readonly keyedAs: InstanceId;
  readonly tool: string;
  /** The region of its unit in which it is made; null where that has none beside it. */
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
export function entityOf({ key, intent }: Pick<KnownCall, 'key' | 'intent'>): unknown {
  if (!key.startsWith('[')) return intent.keyedAs ?? intent.instance.entity;
  return (JSON.parse(firstOf(key)) as unknown[])[2];
}

/** The first generation of a key. */
export function firstOf(key: string): string {
  return key.replace(/~\d+$/, '');
}

/** True where a key is used up: the call that is asked for now is another decision. */
function isOver(known: KnownCall | undefined, digest: string): boolean {
  if (known !== undefined && known.repeats !== null) return false;
  if (known?.status === 'failed') return known.voided || known.intent.digest !== digest;
  return known?.status === 'compensated';
}

function hashing(form: KeyForm) {
  return form.is === 'keyed' ? createHmac('sha256', form.secret) : createHash('sha256');
}
