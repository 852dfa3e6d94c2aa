/** How declared keys lie to each other when holes are not yet filled: a hole could be anything, but the same hole is the same thing. */
import { overlaps } from '../../model/key.ts';
import type { KeyTemplate } from '../config.ts';
import { widened } from './key-template.ts';

/** Whether some of the others may touch a key, and whether one of them covers it whatever fills the holes. */
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

/** Whether everything below `key` lies below `other`: each segment of `other` is the same, or `*`, or a hole that may be the same. */
function covers(other: KeyTemplate, key: KeyTemplate): boolean {
  // What fills a hole of such a scheme may lead anywhere in it.
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

/** The segments as written, without what says "all below". */
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
