/**
 * Keys with holes (`slots/{args.slot}/value`). A hole is a member path on `args`, `event` or `entity`; what fills it is escaped into
 * one segment, so that data never names more than one thing (K4).
 */
import { escapeSegment, type Key, KeyError, parseKey } from '../model/key.ts';
import { ownPath } from '../predicates/own.ts';
import type { Facts } from '../predicates/predicate.ts';
import type { KeyTemplate } from './config.ts';

/** A part of a segment: text, or the path of a hole. */
type Part = string | readonly [variable: 'args' | 'event' | 'entity', ...names: string[]];

const HOLE = /\{([^{}]*)\}/g;
const PATH = /^(?:entity|(?:args|event)(?:\.[A-Za-z_][A-Za-z0-9_]*)*)$/;
const FORBIDDEN = /\.(?:__proto__|prototype|constructor)(?:\.|$)/;
/** Stands for a hole while the rest is read as a key. */
const FILLED = 'x';

/**
 * Reads a key template.
 * @throws KeyError where the text is no key, or a hole is no member path.
 */
export function keyTemplate(text: string): KeyTemplate {
  const holes = [...text.matchAll(HOLE)];
  for (const [, path = ''] of holes) {
    if (!PATH.test(path) || FORBIDDEN.test(path)) {
      throw new KeyError(`a hole is {entity}, {args.NAME} or {event.NAME}, and "{${path}}" is neither`);
    }
  }
  if (/[{}]/.test(text.replace(HOLE, ''))) throw new KeyError('a brace is not closed, or not opened');
  const whole = parseKey(text.replace(HOLE, FILLED));
  if (holes.length === 0) return { text, fill: () => whole };
  const segments = templateSegments(text, whole).map(partsOf);
  if (segments[0]?.some((part) => typeof part !== 'string')) {
    throw new KeyError('a key begins with a written name or scheme: data could name any other');
  }
  return { text, fill: (facts) => fill(segments, whole, facts) };
}

const widenedKeys = new WeakMap<KeyTemplate, Key>();

/** A key that means the same whatever the facts are: each hole is `*`. */
export function widened(template: KeyTemplate): Key {
  const known = widenedKeys.get(template);
  if (known !== undefined) return known;
  const segments = template.text.split('/').map((segment, index) => {
    const bare = index === 0 ? segment.replace(/^[a-z][a-z0-9+.-]*:/, '') : segment;
    return bare.includes('{') ? `${segment.slice(0, segment.length - bare.length)}*` : segment;
  });
  const key = parseKey(segments.join('/'));
  widenedKeys.set(template, key);
  return key;
}

/** The segments of the text as `parseKey` cuts them. */
function templateSegments(text: string, whole: Key): readonly string[] {
  const scheme = whole.segments[0]?.endsWith(':') && text.startsWith(whole.segments[0]) ? whole.segments[0] : '';
  const rest = text.slice(scheme.length).split('/');
  const cut = rest.at(-1) === '**' ? rest.slice(0, -1) : rest;
  return scheme === '' ? cut : [scheme, ...cut];
}

function partsOf(segment: string): readonly Part[] {
  return segment
    .split(/(\{[^{}]*\})/)
    .filter((part) => part !== '')
    .map((part) => (part.startsWith('{') ? (part.slice(1, -1).split('.') as unknown as Part) : part));
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
    const [variable, ...names] = part;
    const value = ownPath(facts[variable], names);
    if (
      typeof value !== 'string' &&
      typeof value !== 'number' &&
      typeof value !== 'boolean' &&
      typeof value !== 'bigint'
    )
      return null;
    text += escapeSegment(String(value));
  }
  return text;
}

function textOf(segments: readonly string[], open: boolean): string {
  const [first = '', ...rest] = segments;
  const scheme = first.endsWith(':') && /^[a-z][a-z0-9+.-]*:$/.test(first);
  const path = scheme ? rest : segments;
  return (scheme ? first : '') + [...path, ...(open ? ['**'] : [])].join('/');
}
