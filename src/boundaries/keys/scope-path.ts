/**
 * File paths, as POSIX has them. Two spellings that may be one file have one key: volumes that ignore case, and those
 * that keep names decomposed, look like any other from outside. Links in the file system cannot be seen: `..` is
 * resolved by its letters.
 */
import { escapeSegment } from '../../model/key.ts';

/** The key of a path; null for a path that leads out of an unnamed folder, and for a text that is no path. */
export function pathSegments(scheme: string, text: string): readonly string[] | null {
  const path = plainPath(text);
  if (path === null || path === '' || path.includes('\0')) return null;
  const names: string[] = [];
  // A program that opens a file writes its name as UTF-8, in which every lone surrogate is the same character.
  for (const name of path.toWellFormed().split('/')) {
    if (name === '' || name === '.') continue;
    if (name !== '..') names.push(name);
    else if (names.pop() === undefined && !path.startsWith('/')) return null;
  }
  return [scheme, ...names.map((name) => escapeSegment(caseless(name)))];
}

/** An argument may be a file URL where a path is meant. */
function plainPath(text: string): string | null {
  if (!/^file:\/\//i.test(text)) return text;
  try {
    return decodeURIComponent(new URL(text).pathname);
  } catch {
    return null;
  }
}

/** One form for all cases of a name: by way of the capitals, since some letters meet only there (ß and SS, ς and σ). */
function caseless(name: string): string {
  return name.normalize('NFC').toLowerCase().toUpperCase().toLowerCase().normalize('NFC');
}
