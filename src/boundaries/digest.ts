/**
 * The digest of a config's content, for which a review vouches. Layout, comments and the order of names are not
 * content.
 */
import { createHash } from 'node:crypto';

/** SHA-256 in hex over JSON whose names are sorted. */
export function contentDigest(value: unknown): string {
  return createHash('sha256').update(canonical(value)).digest('hex');
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const names = Object.keys(value).sort();
  return `{${names.map((name) => `${JSON.stringify(name)}:${canonical((value as Record<string, unknown>)[name])}`).join(',')}}`;
}
