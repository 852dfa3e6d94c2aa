/**
 * The difference between two worlds, or two contexts, as plain data: parts that are doubled, lost, left over or wrong.
 */
import { escapeSegment, type Key } from '../model/key.ts';

/** The ways in which a world is not as it should be. */
export type HarmKind = 'twice' | 'lost' | 'left over' | 'wrong';

/** One harm, and what it was done to. */
export interface Harm {
  readonly is: HarmKind;
  readonly text: string;
}

/** Names of idempotency keys by the keys: a call that is made again after its undo has another key, and that is no difference. */
export type KeyNames = ReadonlyMap<string, string>;

/** Compares a world with the one in which nothing failed. */
export function worldHarms(world: unknown, reference: unknown): readonly Harm[] {
  const [there, wanted] = [partsOf(world, ''), partsOf(reference, '')];
  const harms: Harm[] = [];
  for (const place of new Set([...wanted.keys(), ...there.keys()]))
    harms.push(...placeHarms(place, there.get(place) ?? [], wanted.get(place) ?? []));
  return harms;
}

/** A context without what lies under some keys. */
export function withoutKeys(context: unknown, keys: readonly Key[]): unknown {
  return keys.reduce((left, { segments }) => without(left, segments), context);
}

function without(value: unknown, [first, ...rest]: readonly string[]): unknown {
  if (first === undefined || typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).flatMap(([name, each]) => {
    if (first !== '*' && escapeSegment(name) !== first) return [[name, each]];
    return rest.length === 0 ? [] : [[name, without(each, rest)]];
  });
  return Array.isArray(value) ? entries.map(([, each]) => each) : Object.fromEntries(entries);
}

/** The most differences of contexts that are told. */
const MOST = 10;

/** Compares the final contexts. */
export function contextHarms(context: unknown, reference: unknown): readonly Harm[] {
  const harms: Harm[] = [];
  for (const path of differences(context, reference, '')) {
    const [now, wanted] = [at(context, path), at(reference, path)];
    const place = path === '' ? 'its root' : path;
    harms.push({ is: 'wrong', text: `the context has ${clip(now)} at ${place} and not ${clip(wanted)}` });
    if (harms.length === MOST) break;
  }
  return harms;
}

/** The place of the first difference of two values, as a path; null where there is none. */
export function firstDifference(one: unknown, other: unknown): string | null {
  for (const path of differences(one, other, '')) return path;
  return null;
}

/** The places at which two values differ. */
function* differences(one: unknown, other: unknown, path: string): Generator<string> {
  if (Object.is(one, other)) return;
  const areOfOneKind = Array.isArray(one) === Array.isArray(other);
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null || !areOfOneKind) {
    yield path;
    return;
  }
  const [left, right] = [one as Record<string, unknown>, other as Record<string, unknown>];
  for (const name of new Set([...Object.keys(left), ...Object.keys(right)]))
    yield* differences(left[name], right[name], path === '' ? name : `${path}/${name}`);
}

/** A value in which each idempotency key is called by its call. */
export function withKeyNames(value: unknown, names: KeyNames): unknown {
  if (typeof value === 'string') return renamed(value, names);
  if (Array.isArray(value)) return value.map((each) => withKeyNames(each, names));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, each]) => [renamed(name, names), withKeyNames(each, names)]);
  return Object.fromEntries(entries);
}

function renamed(text: string, names: KeyNames): string {
  const whole = names.get(text);
  if (whole !== undefined) return whole;
  // A key is at least 16 characters, and a text that holds one is longer.
  if (text.length < 16) return text;
  let result = text;
  for (const [key, name] of names) if (result.includes(key)) result = result.replaceAll(key, name);
  return result;
}

/** The rows of a world by their table: the members of lists, and single values by their path. */
function partsOf(value: unknown, path: string): Map<string, unknown[]> {
  if (Array.isArray(value)) return new Map(value.length === 0 ? [] : [[path, value]]);
  if (typeof value !== 'object' || value === null) return new Map([[path, [value]]]);
  const parts = new Map<string, unknown[]>();
  for (const [name, each] of Object.entries(value))
    for (const [place, rows] of partsOf(each, path === '' ? name : `${path}/${name}`)) parts.set(place, rows);
  return parts;
}

function placeHarms(place: string, there: readonly unknown[], wanted: readonly unknown[]): Harm[] {
  const [have, want] = [counted(there), counted(wanted)];
  const harms: Harm[] = [];
  const [extra, missing]: [string[], string[]] = [[], []];
  for (const [row, count] of have) {
    const right = want.get(row) ?? 0;
    if (count <= right) continue;
    if (right > 0) harms.push({ is: 'twice', text: `${place} has ${clipText(row)} ${count} times and not ${right}` });
    else extra.push(...Array.from({ length: count }, () => row));
  }
  for (const [row, count] of want) {
    for (let lacking = count - (have.get(row) ?? 0); lacking > 0; lacking -= 1) missing.push(row);
  }
  const both = Math.min(extra.length, missing.length);
  for (let index = 0; index < both; index += 1) {
    const [now, right] = [clipText(extra[index] as string), clipText(missing[index] as string)];
    harms.push({ is: 'wrong', text: `${place} has ${now} and not ${right}` });
  }
  for (const row of extra.slice(both)) harms.push({ is: 'left over', text: `${place} still has ${clipText(row)}` });
  for (const row of missing.slice(both)) harms.push({ is: 'lost', text: `${place} lacks ${clipText(row)}` });
  return harms;
}

function counted(rows: readonly unknown[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const row of rows) {
    const text = JSON.stringify(sorted(row));
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  return counts;
}

/** The same value, its names in order: two rows that say the same are one text. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const names = Object.keys(value).sort();
  return Object.fromEntries(names.map((name) => [name, sorted((value as Record<string, unknown>)[name])]));
}

function at(value: unknown, path: string): unknown {
  if (path === '') return value;
  let here = value;
  for (const name of path.split('/')) here = (here as Record<string, unknown> | null | undefined)?.[name];
  return here;
}

function clip(value: unknown): string {
  return value === undefined ? 'nothing' : clipText(JSON.stringify(value));
}

function clipText(text: string): string {
  return text.length <= 160 ? text : `${text.slice(0, 157).toWellFormed()}...`;
}
