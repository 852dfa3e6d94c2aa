/** Compares declared keys with holes. A hole may be any value; the same hole has the same value in both keys. */
import { overlaps } from '../../model/key.ts';
import type { KeyTemplate } from '../config.ts';
import { widened } from './key-template.ts';

/** `some`: another key may touch the key. `all`: one other key covers it for every value of the holes. */
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

/** True for the context of an invoked machine, which its own steps write, and no tool. */
export function isOfChild({ text }: KeyTemplate): boolean {
  return text.startsWith('actor:');
}

/** True if a key lies outside of the context, where it may have a value that no tool of the config wrote. */
export function isOutside(key: string): boolean {
  return key === '**' || /^[a-z][a-z0-9+.-]*:/.test(key);
}

/** True for a key that steps write without a tool: in the context of a child machine, or in a channel of a graph. */
export function isOfSteps(key: KeyTemplate, channels: readonly string[]): boolean {
  return isOfChild(key) || channels.includes(key.text.split('/')[0] ?? '');
}

/**
 * True if everything below `key` lies below `other`: each segment of `other` is the same, or `*`, or a hole that may be
 * the same.
 */
function covers(other: KeyTemplate, key: KeyTemplate): boolean {
  // In a scheme with a scope, the value of a hole may lead anywhere.
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

/** The segments as written, without a last `**`. */
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
