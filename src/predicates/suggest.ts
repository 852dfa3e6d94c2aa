/** "Did you mean": the name that was probably meant. */

/** Longer names are not compared: the cost is the product of their lengths. */
const LONGEST = 48;
/** So many are compared. */
const MOST = 100;

/** A sentence that names the nearest of some names, or else what there is. */
export function suggest(name: string, among: Iterable<string>): string {
  const names = [...among];
  let best: string | null = null;
  let least = Math.max(2, Math.floor(name.length / 3)) + 1;
  if (name.length <= LONGEST) {
    for (const candidate of names.slice(0, MOST)) {
      if (candidate.length > LONGEST || Math.abs(candidate.length - name.length) >= least) continue;
      const steps = distance(name.toLowerCase(), candidate.toLowerCase(), least);
      if (steps < least) [best, least] = [candidate, steps];
    }
  }
  if (best !== null) return `Did you mean "${best}"?`;
  if (names.length === 0) return 'There are none.';
  const shown = names.slice(0, 8).map((candidate) => `"${candidate}"`);
  return `There ${names.length === 1 ? 'is' : 'are'} ${shown.join(', ')}${names.length > shown.length ? ', ...' : ''}.`;
}

/** How many letters must be put in, left out, changed or swapped with their neighbour (Damerau); stops counting at `most`. */
function distance(a: string, b: string, most: number): number {
  let [older, old] = [[] as number[], Array.from({ length: b.length + 1 }, (_, index) => index)];
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const change = a[i - 1] === b[j - 1] ? 0 : 1;
      let steps = Math.min((old[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (old[j - 1] ?? 0) + change);
      if (a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) steps = Math.min(steps, (older[j - 2] ?? 0) + 1);
      row.push(steps);
    }
    if (Math.min(...row) >= most) return most;
    [older, old] = [old, row];
  }
  return old[b.length] ?? 0;
}
