/** The digest of a call's arguments: it binds an intent, a replay and an approval to each other (semantics.md E3). */
import { createHash, createHmac, type Hash, type Hmac } from 'node:crypto';
import { encode } from '../journal/codec.ts';
import type { ValueCodec } from '../journal/value-codec.ts';

/**
 * The hash that hides a text of a run: an HMAC under the run's secret, so that a guessed number of a card cannot be held against a digest that was
 * exported; a plain hash where the digest never leaves the process.
 */
function hiding(secret: string | null): Hash | Hmac {
  return secret === null ? createHash('sha256') : createHmac('sha256', secret);
}

/** A digest over a value whose members are put in order; a value without a text has the digest of where it has none. */
export function argsDigest(args: unknown, secret: string | null, codecs: readonly ValueCodec[] = []): string {
  const encoded = encode(ordered(args, 0), { codecs });
  return hiding(secret)
    .update('text' in encoded ? encoded.text : `!${encoded.reason}:${encoded.path.join('/')}`)
    .digest('hex');
}

function ordered(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null || depth > 64) return value;
  if (Array.isArray(value)) return value.map((member) => ordered(member, depth + 1));
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((name) => [name, ordered((value as Record<string, unknown>)[name], depth + 1)]),
  );
}
