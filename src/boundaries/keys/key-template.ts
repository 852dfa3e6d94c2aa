/**
 * Keys with holes (`slots/{args.slot}/value`). The value of a hole is escaped into one segment, so that data never
 * names more than one thing (K4). In a scheme whose names have a canonical form, the value is read together with the
 * rest of the key (`scoped-template.ts`).
 */
import { escapeSegment, type Key, KeyError, parseKey } from '../../model/key.ts';
import type { Facts } from '../../predicates/predicate.ts';
import type { KeyTemplate } from '../config.ts';
import { filling, NO_FACTS, type Part, partsOf, withHoles } from './holes.ts';
import { scopedTemplate } from './scoped-template.ts';
import { BUILT_IN, type Scopes, scopeOf } from './scopes.ts';

/** Stands for a hole while the rest is read as a key. */
const FILLED = 'x';

/**
 * Reads a key template.
 * @throws KeyError where the text is no key, or a hole is no member path.
 */
export function keyTemplate(text: string, scopes: Scopes = BUILT_IN): KeyTemplate {
  const sample = withHoles(text, FILLED);
  const scope = scopeOf(text, scopes);
  if (scope !== null) return scopedTemplate(text, scope);
  const whole = parseKey(sample);
  if (sample === text) {
    const keys = [whole];
    return { text, scope: null, fill: () => whole, fillAll: () => keys };
  }
  const segments = templateSegments(text, whole).map(partsOf);
  if (segments[0]?.some((part) => typeof part !== 'string')) {
    throw new KeyError('a key begins with a written name or scheme: data could name any other');
  }
  return template(text, (facts) => fill(segments, whole, facts));
}

function template(text: string, fill: KeyTemplate['fill']): KeyTemplate {
  return { text, scope: null, fill, fillAll: (facts) => [fill(facts)] };
}

const widenedKeys = new WeakMap<KeyTemplate, readonly Key[]>();

/** Keys that mean the same for all facts: each hole is `*`, or all values that it can have. */
export function widened(template: KeyTemplate): readonly Key[] {
  const known = widenedKeys.get(template);
  if (known !== undefined) return known;
  const keys = template.scope === null ? [starred(template)] : template.fillAll(NO_FACTS);
  widenedKeys.set(template, keys);
  return keys;
}

function starred(template: KeyTemplate): Key {
  const segments = template.text.split('/').map((segment, index) => {
    const bare = index === 0 ? segment.replace(/^[a-z][a-z0-9+.-]*:/, '') : segment;
    return bare.includes('{') ? `${segment.slice(0, segment.length - bare.length)}*` : segment;
  });
  return parseKey(segments.join('/'));
}

/** The segments of the text as `parseKey` cuts them. */
function templateSegments(text: string, whole: Key): readonly string[] {
  const scheme = whole.segments[0]?.endsWith(':') && text.startsWith(whole.segments[0]) ? whole.segments[0] : '';
  const rest = text.slice(scheme.length).split('/');
  const cut = rest.at(-1) === '**' ? rest.slice(0, -1) : rest;
  return scheme === '' ? cut : [scheme, ...cut];
}

function fill(template: readonly (readonly Part[])[], whole: Key, facts: Facts): Key {
  const segments: string[] = [];
  for (const parts of template) {
    const segment = fillSegment(parts, facts);
    if (segment === null) return { text: textOf(segments, true), segments, pattern: true };
    segments.push(segment);
  }
  return { text: textOf(segments, whole.text.endsWith('**')), segments, pattern: whole.pattern };
}

function fillSegment(parts: readonly Part[], facts: Facts): string | null {
  let text = '';
  for (const part of parts) {
    if (typeof part === 'string') {
      text += part;
      continue;
    }
    const value = filling(part, facts);
    if (value === null) return null;
    text += escapeSegment(value);
  }
  return text;
}

function textOf(segments: readonly string[], open: boolean): string {
  const [first = '', ...rest] = segments;
  const scheme = first.endsWith(':') && /^[a-z][a-z0-9+.-]*:$/.test(first);
  const path = scheme ? rest : segments;
  return (scheme ? first : '') + [...path, ...(open ? ['**'] : [])].join('/');
}
