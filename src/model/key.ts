/**
 * A key names a semantic object by its path: `slots/0/value`, `calendar:p1/2026-11` (K4). A key covers everything below
 * it, so two keys overlap when some concrete key lies under both. `*` stands for one segment; a trailing `**` says "all
 * below", which a prefix says anyway, so it is dropped from the segments and remembered in `pattern`.
 */
import { kind, refuseOther, TEXT } from './argument.ts';
import { CodedError } from './coded-error.ts';

/** A parsed key. `segments` is what it matches (a trailing `**` removed); `[]` is the key `**`, which matches everything. */
export interface Key {
  readonly text: string;
  readonly segments: readonly string[];
  /** True when the key has a `*` or `**`: such a key names a collection, and writing it covers nothing (K6). */
  readonly pattern: boolean;
}

/** Thrown for a text that is no key by K4; `message` says which rule it breaks. */
export class KeyError extends CodedError<'bad_key'> {
  override readonly name = 'KeyError';

  constructor(message: string) {
    super('bad_key', message);
  }
}

const isKey = (value: unknown) => Array.isArray((value as Partial<Key> | null | undefined)?.segments);
/** A key, as exported functions take it. */
export const KEY = kind('a key, as parseKey() reads it', isKey);

const SCHEME = /^[a-z][a-z0-9+.-]*:/;

/**
 * Reads a key from its text (K4). A scheme (`calendar:`) is a segment of its own and never stands alone: a template
 * with an empty part prints `calendar:` or `slots/`, which would silently name far more than was meant.
 * @throws KeyError where the text breaks K4.
 * @example
 * import { parseKey } from 'belay-sidecar';
 *
 * assert.deepEqual(parseKey('slots/0/value').segments, ['slots', '0', 'value']);
 * assert.throws(() => parseKey('slots/'), { name: 'KeyError' });
 */
export function parseKey(text: string): Key {
  if (typeof text !== 'string') refuseOther('parseKey', { text: [text, TEXT] });
  if (!text.isWellFormed()) throw new KeyError('a key is well-formed Unicode: this one has a lone surrogate');
  if (text.includes('\0')) throw new KeyError('a key has no NUL character');
  const scheme = SCHEME.exec(text)?.[0];
  const segments = text.slice(scheme?.length ?? 0).split('/');
  if (scheme !== undefined) segments.unshift(scheme);
  if (segments.includes('')) throw new KeyError('a key has no empty segment');
  if (segments.includes('.') || segments.includes('..')) throw new KeyError('a key has no "." or ".." segment');
  const deep = segments.indexOf('**');
  if (deep !== -1 && deep !== segments.length - 1)
    throw new KeyError('"**" is the last segment of a key, and only there');
  const pattern = deep !== -1 || segments.includes('*');
  if (deep !== -1) segments.pop();
  return { text, segments, pattern };
}

/**
 * True if some concrete key lies under both (K4).
 * @example
 * import { overlaps, parseKey } from 'belay-sidecar';
 *
 * assert.equal(overlaps(parseKey('slots/*'), parseKey('slots/0/value')), true);
 * assert.equal(overlaps(parseKey('slots/1'), parseKey('slots/0/value')), false);
 */
export function overlaps(a: Key, b: Key): boolean {
  if (!isKey(a) || !isKey(b)) refuseOther('overlaps', { a: [a, KEY], b: [b, KEY] });
  const shared = Math.min(a.segments.length, b.segments.length);
  for (let depth = 0; depth < shared; depth += 1) {
    const [left, right] = [a.segments[depth], b.segments[depth]];
    if (left !== right && left !== '*' && right !== '*') return false;
  }
  return true;
}

/**
 * A text as one segment of a key: `%`, `/`, `*`, NUL and lone surrogates are escaped, and so are texts that are no segment
 * by themselves (empty, `.`, `..`). Injective; a plain word stays as it is.
 * @example
 * import { escapeSegment } from 'belay-sidecar';
 *
 * assert.equal(escapeSegment('a/b'), 'a%2Fb');
 */
export function escapeSegment(text: string): string {
  if (typeof text !== 'string') refuseOther('escapeSegment', { text: [text, TEXT] });
  if (text === '') return '%';
  if (text === '.' || text === '..') return text.replaceAll('.', '%2E');
  if (!/[%/*\0]/.test(text) && text.isWellFormed()) return text;
  return text.replace(/[%/*\0]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, (char) => {
    const code = char.charCodeAt(0);
    return code < 256 ? `%${code.toString(16).toUpperCase().padStart(2, '0')}` : `%u${code.toString(16).toUpperCase()}`;
  });
}
