/** Values as texts and as numbers, whatever the order in which they were put together. */

/** A small number that depends on all of a value. */
export function digest(value: unknown): number {
  let hash = 0x811c9dc5;
  for (const char of canonical(value)) hash = Math.imul(hash ^ (char.codePointAt(0) as number), 0x01000193);
  return ((hash >>> 7) ^ (hash >>> 19)) % 1000;
}

/** A value as a text that does not depend on the order in which its members were written. */
export function canonical(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(JSON.stringify(value));
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  const members = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([key, member]) => `${key}:${canonical(member)}`).join()}}`;
}

/** True for an odd number, and for what has an odd digest. */
export function isOdd(value: unknown): boolean {
  return typeof value === 'number' ? value % 2 === 1 : digest(value ?? null) % 2 === 1;
}
