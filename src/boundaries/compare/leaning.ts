/** Compares one field of two configs: its old value, its new value, and the side to which the change leans. */
import type { KeyTemplate } from '../config.ts';
import { coverage } from '../keys/keys.ts';

/**
 * The side to which a change leans. `looser`: something is done, made again, kept or restored that the old config refused, waited for
 * or took for touched. `stricter`: the reverse. `other`: neither can be said without running anything.
 */
export type Leaning = 'looser' | 'stricter' | 'other';

/** One difference; `old` and `now` are null where nothing is said. */
export interface Difference {
  /** The names and indexes that lead to the field from where the comparison began. */
  readonly path: readonly string[];
  readonly old: string | null;
  readonly now: string | null;
  readonly is: Leaning;
}

/** The other side. */
function opposite(leaning: Leaning): Leaning {
  if (leaning === 'other') return 'other';
  return leaning === 'looser' ? 'stricter' : 'looser';
}

/**
 * Compares a field that may be left out: `given` is the side to which adding it leans. A changed value leans to neither
 * side.
 */
export function said(path: string, old: string | null, now: string | null, given: Leaning): readonly Difference[] {
  if (old === now) return [];
  return [{ path: [path], old, now, is: old === null ? given : now === null ? opposite(given) : 'other' }];
}

/** A limit: `more` is the side to which a greater one leans. Null is no limit, the greatest. */
export function limit(
  path: string,
  old: number | null,
  now: number | null,
  more: Leaning,
  unit = '',
): readonly Difference[] {
  if (old === now) return [];
  const text = (value: number | null) => (value === null ? null : `${value}${unit}`);
  const grows = (now ?? Number.POSITIVE_INFINITY) > (old ?? Number.POSITIVE_INFINITY);
  return [{ path: [path], old: text(old), now: text(now), is: grows ? more : opposite(more) }];
}

/** Compares a list of names: `added` is the side to which an additional name leans. */
export function names(
  path: string,
  old: readonly string[],
  now: readonly string[],
  added: Leaning,
): readonly Difference[] {
  return [
    ...old
      .filter((name) => !now.includes(name))
      .map((name) => ({ path: [path], old: name, now: null, is: opposite(added) })),
    ...now.filter((name) => !old.includes(name)).map((name) => ({ path: [path], old: null, now: name, is: added })),
  ];
}

/** A list of keys. One more key is stricter, one less looser; a key that others of the list cover anyway leans to neither. */
export function keys(path: string, old: readonly KeyTemplate[], now: readonly KeyTemplate[]): readonly Difference[] {
  const differences = names(
    path,
    old.map(({ text }) => text),
    now.map(({ text }) => text),
    'stricter',
  );
  return differences.map((difference) => {
    const [list, others] = difference.old === null ? [now, old] : [old, now];
    const key = list.find(({ text }) => text === (difference.old ?? difference.now));
    // A hole may be filled with anything: only what has none covers for sure.
    const sure = others.filter(({ text }) => !text.includes('{'));
    return key !== undefined && coverage(key, sure).all ? { ...difference, is: 'other' } : difference;
  });
}

/** Puts differences under a path. */
export function within(path: readonly string[], differences: readonly Difference[]): readonly Difference[] {
  return differences.map((difference) => ({ ...difference, path: [...path, ...difference.path] }));
}

/** Compares the members of two records by name, those of one record alone included. */
export function members<T>(
  old: ReadonlyMap<string, T>,
  now: ReadonlyMap<string, T>,
  compare: (old: T | null, now: T | null, name: string) => readonly Difference[],
): readonly Difference[] {
  return [...new Set([...old.keys(), ...now.keys()])].flatMap((name) =>
    within([name], compare(old.get(name) ?? null, now.get(name) ?? null, name)),
  );
}
