/** External keys, and the value that a context has at a key of its own. */
import type { Key } from './key.ts';

/** True if a key lies outside of the context: it has a scheme, and not that of an actor's own context. */
export function isExternal(key: Key): boolean {
  const scheme = key.segments[0];
  return scheme?.endsWith(':') === true && scheme !== 'actor:' && key.text.startsWith(scheme);
}

/** True if a context has a value at a key, so far as a key can tell. */
export function hasVersion(memory: unknown, key: Key): boolean {
  return valueAt(memory, key) !== undefined;
}

/** True where a context has a value at a key, as far as a key can tell: null is none. */
export function hasValue(memory: unknown, key: Key): boolean {
  return (valueAt(memory, key) ?? null) !== null;
}

function valueAt(memory: unknown, key: Key): unknown {
  if (isExternal(key)) return true;
  let at = memory;
  for (const segment of key.segments) {
    if (segment === '*') return true;
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, segment)) return undefined;
    at = (at as Record<string, unknown>)[segment];
  }
  return at;
}
