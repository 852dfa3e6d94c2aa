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
  const wanted = name.toLowerCase();
  if (wanted.length <= LONGEST) {
    for (const candidate of names.slice(0, MOST)) {
      if (candidate.length > LONGEST || Math.abs(candidate.length - name.length) >= least) continue;
      const steps = distance(wanted, candidate.toLowerCase().slice(0, LONGEST), least);
      if (steps < least) [best, least] = [candidate, steps];
    }
  }
  if (best !== null) return `Did you mean "${best}"?`;
  if (names.length === 0) return 'There are none.';
  const shown = names.slice(0, 8).map((candidate) => `"${candidate}"`);
  return `There ${names.length === 1 ? 'is' : 'are'} ${shown.join(', ')}${names.length > shown.length ? ', ...' : ''}.`;
}

/** The rows of the table of distances: one that is written and the two before it. */
const rows = [0, 1, 2].map(() => new Uint8Array(LONGEST + 1)) as [Uint8Array, Uint8Array, Uint8Array];

/** How many letters must be put in, left out, changed or swapped with their neighbour (Damerau); stops counting at `most`. */
function distance(a: string, b: string, most: number): number {
  let [older, old, row] = rows;
  for (let j = 0; j <= b.length; j += 1) old[j] = j;
  for (let i = 1; i <= a.length; i += 1) {
    row[0] = i;
    let least = i;
    for (let j = 1; j <= b.length; j += 1) {
      const same = a.charCodeAt(i - 1) === b.charCodeAt(j - 1);
      let steps = Math.min((old[j] as number) + 1, (row[j - 1] as number) + 1, (old[j - 1] as number) + (same ? 0 : 1));
      const swapped =
        i > 1 && j > 1 && a.charCodeAt(i - 1) === b.charCodeAt(j - 2) && a.charCodeAt(i - 2) === b.charCodeAt(j - 1);
      if (swapped) steps = Math.min(steps, (older[j - 2] as number) + 1);
      row[j] = steps;
      if (steps < least) least = steps;
    }
    if (least >= most) return most;
    [older, old, row] = [old, row, older];
  }
  return old[b.length] as number;
}
