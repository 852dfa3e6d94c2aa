/**
 * The values that the sender of an event was shown: as digests, so that the journal reveals none of them (semantics.md
 * CH5).
 */
import { argsDigest } from '../../effects/digest.ts';
import { type Key, parseKey } from '../../model/key.ts';
import { valueAt } from '../../projection/meets.ts';
import type { RunState } from '../../projection/run-state.ts';

type Hiding = Pick<RunState, 'secret' | 'codecs'>;

/** The digests of values, by their keys. @throws KeyError for a key without a form. */
export function digestsOf(
  values: Readonly<Record<string, unknown>>,
  { secret, codecs }: Hiding,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).map(([key, value]) => [parseKey(key).text, argsDigest(value, secret, codecs)]),
  );
}

/** The keys that a sender was shown. */
export function keysOf(seen: Readonly<Record<string, string>>): Key[] {
  return Object.keys(seen).map(parseKey);
}

/** The first key whose value in a context is not the one that a sender was shown; null where all are. */
export function movedSince(
  seen: Readonly<Record<string, string>> | undefined,
  context: unknown,
  { secret, codecs }: Hiding,
): string | null {
  if (seen === undefined) return null;
  const isOther = (key: Key) => argsDigest(valueAt(context, key), secret, codecs) !== seen[key.text];
  return keysOf(seen).find(isOther)?.text ?? null;
}

/** The refusal of an event whose sender was shown another value. */
export function movedText(key: string): string {
  return `moved: ${key} is not what its sender was shown`;
}
