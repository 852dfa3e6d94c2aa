/** Parts of a memory, by the keys that name them: what a run came to, or what one instance wrote. */
import { type Key, overlaps, parseKey } from 'belay-sidecar';

/** The values of a memory that lie at some of the keys or below, by their own keys. */
function partsOf(memory: unknown, keys: readonly Key[]): Readonly<Record<string, unknown>> {
  const parts: Record<string, unknown> = {};
  for (const [text, value] of leaves(memory, [])) {
    const key = parseKey(text);
    if (keys.some((each) => overlaps(each, key))) parts[text] = value;
  }
  return parts;
}

/** True if two memories have the same values there. */
export function isSameIn(keys: readonly Key[], one: unknown, other: unknown): boolean {
  return JSON.stringify(partsOf(one, keys)) === JSON.stringify(partsOf(other, keys));
}

/** The keys at which two memories differ. */
export function differing(one: unknown, other: unknown): readonly Key[] {
  const [before, after] = [leaves(one, []), leaves(other, [])].map((each) => each.map((leaf) => JSON.stringify(leaf)));
  const only = (texts: readonly string[] = [], others: readonly string[] = []) =>
    texts.filter((text) => !others.includes(text)).map((text): Key => parseKey(String(JSON.parse(text)[0])));
  return [...only(before, after), ...only(after, before)];
}

/** Every value of a memory that holds no others, by its key, in the order of the keys. */
function leaves(value: unknown, path: readonly string[]): (readonly [string, unknown])[] {
  if (value === undefined) return [];
  const fields = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  if (fields.length === 0) return path.length === 0 ? [] : [[path.join('/'), value]];
  return fields
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([name, field]) => leaves(field, [...path, segmentOf(name)]));
}

/** A name as one segment of a key. */
function segmentOf(name: string): string {
  return name === '' ? '%' : name.replaceAll('%', '%25').replaceAll('/', '%2F').replaceAll('*', '%2A');
}

/** True if two memories have the same values everywhere but there. */
export function isSameBut(keys: readonly Key[], one: unknown, other: unknown): boolean {
  return JSON.stringify(partsBut(one, keys)) === JSON.stringify(partsBut(other, keys));
}

function partsBut(memory: unknown, keys: readonly Key[]): readonly (readonly [string, unknown])[] {
  return leaves(memory, []).filter(([text]) => !keys.some((key) => overlaps(key, parseKey(text))));
}
