/** Compares declared keys whose holes are not filled yet: a hole may be any value, and the same hole has the same value. */
import { overlaps } from '../../model/key.ts';
import type { KeyTemplate } from '../config.ts';
import { widened } from './key-template.ts';

/** Says whether some other key may touch a key, and whether one other key covers it for every value of the holes. */
export function coverage(
  key: KeyTemplate,
  others: readonly KeyTemplate[],
): { readonly some: boolean; readonly all: boolean } {
  const wide = widened(key);
  return {
    some: others.some((other) => widened(other).some((key) => wide.some((own) => overlaps(own, key)))),
    all: others.some((other) => covers(other, key)),
  };
}

/** True for the context of a machine that is invoked: no tool is said to write it, its own steps do. */
export function isOfChild({ text }: KeyTemplate): boolean {
  return text.startsWith('actor:');
}

/** True if a key lies outside of the context: it may have a value that no tool of the config wrote. */
export function isOutside(key: string): boolean {
  return key === '**' || /^[a-z][a-z0-9+.-]*:/.test(key);
}

/** True for a key that steps write by themselves, whatever tools declare: of a child machine, or in a channel of a graph. */
export function isOfSteps(key: KeyTemplate, channels: readonly string[]): boolean {
  return isOfChild(key) || channels.includes(key.text.split('/')[0] ?? '');
}

/**
 * True if everything below `key` lies below `other`: each segment of `other` is the same, or `*`, or a hole that may be
 * the same.
 */
function covers(other: KeyTemplate, key: KeyTemplate): boolean {
  // The value of a hole in such a scheme may lead anywhere in it.
  if (other.scope !== null || key.scope !== null) return other.text === key.text;
  const [outer, inner] = [segmentsOf(other), segmentsOf(key)];
  return (
    outer.length <= inner.length &&
    outer.every((segment, index) => {
      const own = inner[index] as string;
      return segment === own || segment === '*' || (segment.includes('{') && own !== '*');
    })
  );
}

/** The segments as written, without the one that says "all below". */
function segmentsOf({ text }: KeyTemplate): readonly string[] {
  const segments = text.split('/');
  const last = segments.at(-1) as string;
  if (last === '**') segments.pop();
  else if (last.endsWith(':**')) segments[segments.length - 1] = last.slice(0, -2);
  const [first = ''] = segments;
  const scheme = /^[a-z][a-z0-9+.-]*:/.exec(first)?.[0];
  return scheme === undefined || scheme === first
    ? segments
    : [scheme, first.slice(scheme.length), ...segments.slice(1)];
}
