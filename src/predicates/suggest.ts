/** "Did you mean": the name that was probably meant. */
import { distance } from 'fastest-levenshtein';

/** Longer names are not compared: the cost is the product of their lengths. */
const LONGEST = 48;
/** The number of names that are compared. */
const MOST = 100;

/** A sentence that suggests the nearest of some names, or lists them. */
export function suggest(name: string, among: Iterable<string>): string {
  const names = [...among];
  const best = nearest(name, names);
  if (best !== null) return `Did you mean "${best}"?`;
  if (names.length === 0) return 'There are none.';
  const shown = names.slice(0, 8).map((candidate) => `"${candidate}"`);
  return `There ${names.length === 1 ? 'is' : 'are'} ${shown.join(', ')}${names.length > shown.length ? ', ...' : ''}.`;
}

/** The name among some that differs least from another, whatever the case of its letters; null where none is near. */
export function nearest(name: string, names: readonly string[]): string | null {
  if (name.length > LONGEST) return null;
  const wanted = name.toLowerCase();
  let best: string | null = null;
  let least = Math.max(2, Math.floor(name.length / 3)) + 1;
  for (const candidate of names.slice(0, MOST)) {
    if (candidate.length > LONGEST || Math.abs(candidate.length - name.length) >= least) continue;
    const other = candidate.toLowerCase();
    const changes = distance(wanted, other);
    if (changes > least) continue;
    // Two letters that changed places are one slip, and two changes.
    const slips = changes > 1 && lettersOf(other) === lettersOf(wanted) ? changes - 1 : changes;
    if (slips < least) [best, least] = [candidate, slips];
  }
  return best;
}

function lettersOf(name: string): string {
  return [...name].sort().join('');
}
