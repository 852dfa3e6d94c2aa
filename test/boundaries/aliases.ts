/**
 * Decides pairs of names: whether Belay holds them for one object, or for objects one of which is in the other, and why. The names are
 * taken as a config would write them, so that a `*` of theirs is a pattern.
 */
import { NO_FACTS } from '../../src/boundaries/keys/holes.ts';
import { keyTemplate } from '../../src/boundaries/keys/key-template.ts';
import { BUILT_IN, type Scopes } from '../../src/boundaries/keys/scopes.ts';
import { type Key, overlaps } from '../../src/model/key.ts';

/** The schemes of the pairs, and of what kind their names are. */
export const SCOPES: Scopes = new Map([
  ...BUILT_IN,
  ['taubench', 'record'],
  ['dom', 'page'],
  ...['cart', 'inv', 'order', 'refund', 'session'].map((scheme) => [scheme, 'links'] as const),
]);

const LABELS = ['should-conflict', 'should-not-conflict'] as const;

/** Two names, and what somebody holds of them. */
export interface Pair {
  readonly name: string;
  readonly scope_a: string;
  readonly scope_b: string;
  readonly label: (typeof LABELS)[number];
}

/** A pair, and why its names conflict: null where they do not. */
export interface Decided extends Pair {
  readonly because: string | null;
}

/** Decides one pair. */
export function decided(pair: Pair): Decided {
  const [left, right] = [keysOf(pair.scope_a), keysOf(pair.scope_b)];
  const met = left.flatMap((a) => right.filter((b) => overlaps(a, b)).map((b) => reason(a, b)));
  return { ...pair, because: met[0] ?? null };
}

/** The keys of a name. */
export function keysOf(name: string): readonly Key[] {
  return keyTemplate(name, SCOPES).fillAll(NO_FACTS);
}

/** What two keys that overlap have to do with each other. */
function reason(a: Key, b: Key): string {
  if (a.text === b.text) return `both name ${a.text}`;
  const [outer, inner] = a.segments.length <= b.segments.length ? [a, b] : [b, a];
  if (outer.pattern || inner.pattern) {
    const pattern = outer.pattern ? outer : inner;
    return `the pattern ${pattern.text} matches ${(pattern === a ? b : a).text}`;
  }
  return `${inner.text} lies below ${outer.text}`;
}

/** Reads pairs from the text of a file. @throws Error where it has another form. */
export function pairsIn(text: string): readonly Pair[] {
  const { cases } = JSON.parse(text) as { cases?: unknown };
  if (!Array.isArray(cases) || cases.length === 0) throw new Error('there are no cases in it');
  return cases.map((each: Partial<Pair>, index): Pair => {
    const { name, scope_a, scope_b, label } = each;
    const whole = typeof name === 'string' && typeof scope_a === 'string' && typeof scope_b === 'string';
    if (!whole || label === undefined || !LABELS.includes(label)) throw new Error(`case ${index + 1} is no pair`);
    return { name, scope_a, scope_b, label };
  });
}

/** What came out, in words, and whether nothing that should conflict was missed. */
export function report(all: readonly Decided[]): { readonly text: string; readonly complete: boolean } {
  const [same, other] = LABELS.map((label) => all.filter((each) => each.label === label)) as [Decided[], Decided[]];
  const missed = same.filter(({ because }) => because === null);
  const met = other.filter(({ because }) => because !== null);
  const lines = [
    `should-conflict: ${same.length - missed.length} of ${same.length} decided as a conflict`,
    ...missed.map(({ name, scope_a, scope_b }) => `  missed: ${name}: ${scope_a} and ${scope_b}`),
    `should-not-conflict: ${other.length - met.length} of ${other.length} decided as none; a conflict by what Belay means:`,
    ...met.flatMap(({ name, scope_a, scope_b, because }) => [`  ${name}: ${scope_a} and ${scope_b}`, `    ${because}`]),
  ];
  return { text: lines.join('\n'), complete: missed.length === 0 };
}
