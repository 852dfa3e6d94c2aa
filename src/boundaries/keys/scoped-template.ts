/**
 * Key templates of a scheme whose names have a canonical form. The holes are filled first, then the whole text is read,
 * since an argument may be a path of its own, with `..` in it. Only the config's own `*` and `**` are patterns; an
 * unknown part, because a hole has no value or a text cannot be read, makes the key wider, never narrower.
 */
import { type Key, KeyError } from '../../model/key.ts';
import type { Facts } from '../../predicates/predicate.ts';
import type { KeyTemplate } from '../config.ts';
import { filling, type Hole, type Part, partsOf } from './holes.ts';
import type { Scope } from './scopes.ts';

/** A whole segment `*` of the config. */
const STAR = Symbol('*');
type Piece = Part | typeof STAR;

/** Words that stand for the parts that are no text, while the rest is read. */
interface Marks {
  readonly star: string;
  readonly hole: string;
}

/**
 * Reads a config's text in such a scheme, with its holes in order.
 * @throws KeyError where it has no holes and cannot be read.
 */
export function scopedTemplate(text: string, scope: Scope): KeyTemplate {
  const segments = text.slice(scope.scheme.length).split('/');
  const open = segments.at(-1) === '**';
  if (open) segments.pop();
  if (segments.includes('**')) throw new KeyError('"**" is the last segment of a key, and only there');
  const pieces = piecesOf(segments);
  const everything = open && pieces.every((piece) => piece === '/');
  if (everything || !pieces.some(isHole)) {
    const keys = everything ? [keyOf([scope.scheme], true)] : named(pieces, [], open, scope);
    if (keys === null) throw new KeyError(`after "${scope.scheme}" comes ${scope.is}`);
    return { text, scope, fill: () => keys[0] as Key, fillAll: () => keys };
  }
  const fillAll = (facts: Facts) => filled(pieces, open, scope, facts);
  return { text, scope, fillAll, fill: (facts) => fillAll(facts)[0] as Key };
}

function piecesOf(segments: readonly string[]): readonly Piece[] {
  return segments.flatMap((segment, index): readonly Piece[] => {
    const own: readonly Piece[] = segment === '*' ? [STAR] : partsOf(segment);
    return index === 0 ? own : ['/', ...own];
  });
}

function isHole(piece: Piece): piece is Hole {
  return typeof piece === 'object';
}

/** Every key that a filled template names, the object itself first. A value that fills all of the text is never encoded. */
function filled(pieces: readonly Piece[], open: boolean, scope: Scope, facts: Facts): readonly Key[] {
  const values = pieces.map((piece) => (isHole(piece) ? filling(piece, facts) : null));
  const spellings = pieces.length === 1 ? scope.spellings.slice(0, 1) : scope.spellings;
  const readings = spellings.map((spelling) => {
    return named(
      pieces,
      values.map((value) => value && spelling(value)),
      open,
      scope,
    );
  });
  if (readings[0] === null) return scope.schemes.map((scheme) => keyOf([scheme], true));
  const keys = readings.flatMap((reading) => reading ?? []);
  return [...new Map(keys.map((key) => [key.text, key])).values()];
}

/** The keys of the text that the pieces make, with a value for each hole; null where it cannot be read. */
function named(
  pieces: readonly Piece[],
  values: readonly (string | null)[],
  open: boolean,
  scope: Scope,
): readonly Key[] | null {
  const texts = pieces.map((piece, index) => (isHole(piece) ? (values[index] ?? null) : piece));
  const unknown = texts.includes(null);
  if (unknown && scope.firm === 0) return null;
  const marks = marksBeside(texts.filter((text) => typeof text === 'string').join(''));
  const text = texts.map((part) => (part === STAR ? marks.star : (part ?? marks.hole))).join('');
  const found = scope.read(text);
  if (found === null) return null;
  return found.map((segments) => keyFrom(segments, marks, unknown ? scope.firm : null, open));
}

/**
 * Marks that occur in no part of a text, and that no canonicaliser changes. (An encoded text, as `%71`, may still turn
 * out to be one: that makes a key wider.)
 */
function marksBeside(text: string): Marks {
  const longest = (text.match(/q+/gi) ?? []).reduce((most, { length }) => Math.max(most, length), 0);
  const word = 'q'.repeat(longest + 1);
  return { star: `${word}s`, hole: `${word}h` };
}

/**
 * Makes a key from the read text: up to the first segment that an unknown part may change, and with the config's stars.
 */
function keyFrom(segments: readonly string[], { star, hole }: Marks, firm: number | null, open: boolean): Key {
  const kept: string[] = [];
  const holeAt = segments.findIndex((segment) => segment.includes(hole));
  const end = firm === null ? segments.length : Math.min(firm, holeAt === -1 ? 1 : holeAt);
  for (const segment of segments.slice(0, end)) {
    // A star within a segment, as in a selector, may be one of the kind's own, so its meaning is left open.
    if (segment !== star && segment.includes(star)) return keyOf(kept, true);
    kept.push(segment === star ? '*' : segment);
  }
  return keyOf(kept, open || end < segments.length);
}

/** A scheme never stands alone: then the key is everything in it. */
function keyOf(segments: readonly string[], open: boolean): Key {
  const [scheme = '', ...path] = segments;
  const wide = open || path.length === 0;
  const text = scheme + [...path, ...(wide ? ['**'] : [])].join('/');
  return { text, segments, pattern: wide || path.includes('*') };
}
