/** Judges the end of a run by the oracle. */
import type { Subject } from './agents.ts';
import type { Course } from './parked.ts';
import type { End } from './plain.ts';

/** A value with its keys in order, without the paths in which two runs of one world differ. */
function canonical(value: unknown, ignore: readonly (readonly string[])[]): unknown {
  if (Array.isArray(value)) return value.map((each) => canonical(each, below('*', ignore)));
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value)
    .filter(([key, member]) => member !== undefined && !below(key, ignore).some(({ length }) => length === 0))
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(members.map(([key, member]) => [key, canonical(member, below(key, ignore))]));
}

function below(key: string, paths: readonly (readonly string[])[]): readonly (readonly string[])[] {
  return paths.filter(([first]) => first === key || first === '*' || key === '*').map((path) => path.slice(1));
}

/** The rows of a world, in no order: two regions may come to them in either. */
function world(of: unknown): unknown {
  return Object.entries(of as object).map(([name, rows]) => [
    name,
    Array.isArray(rows) ? rows.map((row) => JSON.stringify(canonical(row, []))).toSorted() : canonical(rows, []),
  ]);
}

/** What is wrong with the end of a run; null where nothing is. */
export function wrongWith(
  { status, end }: Course,
  right: End | Error,
  { ignore }: Pick<Subject, 'ignore'>,
): string | null {
  if (right instanceof Error) return `no run goes on there: ${right.message}`;
  if (status === 'parked' || status === 'stuck') return `it is ${status}`;
  const paths = ignore.map((path) => path.split('/'));
  const parts = [
    ['state', end.value, right.value],
    ['context', canonical(end.context, paths), canonical(right.context, paths)],
    ['world', world(end.world), world(right.world)],
  ] as const;
  for (const [part, is, expected] of parts) {
    const other = difference(is, expected);
    if (other !== null) return `its ${part} ${other}`;
  }
  return null;
}

/** The first place at which two values differ. */
function difference(is: unknown, expected: unknown, at = ''): string | null {
  if (JSON.stringify(is) === JSON.stringify(expected)) return null;
  if (typeof is !== 'object' || typeof expected !== 'object' || is === null || expected === null)
    return `at ${at}: ${JSON.stringify(is)}, and ${JSON.stringify(expected)} in the plain run`;
  const [own, other] = [is, expected] as Record<string, unknown>[] as [
    Record<string, unknown>,
    Record<string, unknown>,
  ];
  for (const key of new Set([...Object.keys(own), ...Object.keys(other)])) {
    const found = difference(own[key], other[key], `${at}/${key}`);
    if (found !== null) return found;
  }
  return null;
}
