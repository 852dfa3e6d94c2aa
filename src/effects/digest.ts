/** The digest of a call's arguments: what an intent, a replay and an approval are held together by (semantics.md E3). */
import { createHash } from 'node:crypto';
import { encode } from '../journal/codec.ts';

/** SHA-256 over a value whose members are put in order; a value without a text has the digest of where it has none. */
export function argsDigest(args: unknown): string {
  const encoded = encode(ordered(args, 0));
  return createHash('sha256')
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
