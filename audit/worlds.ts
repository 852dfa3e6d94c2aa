/** Comparing worlds: what is in one that is not in the other, by rows. */

/** The content of a world: rows by the name of their table. */
export type Rows = Readonly<Record<string, readonly object[]>>;

/** The difference of a world from the one in which nothing failed. In rows. */
export interface Difference {
  /** More of a row than there should be: something happened twice. */
  readonly duplicates: number;
  /** Rows that should be there. */
  readonly missing: number;
  /** Rows that should not be there, and are no duplicates. */
  readonly unexpected: number;
}

/** Counts how `world` differs from `reference`. */
export function differenceOf(world: Rows, reference: Rows): Difference {
  let [duplicates, missing, unexpected] = [0, 0, 0];
  for (const table of new Set([...Object.keys(world), ...Object.keys(reference)])) {
    const [there, wanted] = [counted(world[table] ?? []), counted(reference[table] ?? [])];
    for (const row of new Set([...there.keys(), ...wanted.keys()])) {
      const more = (there.get(row) ?? 0) - (wanted.get(row) ?? 0);
      if (more < 0) missing -= more;
      else if (wanted.has(row)) duplicates += more;
      else unexpected += more;
    }
  }
  return { duplicates, missing, unexpected };
}

/** The rows of a world that are there twice, counted by the name of their table. */
export function duplicatesIn(world: Rows, reference: Rows): Readonly<Record<string, number>> {
  const counts = Object.keys(world).map((table): [string, number] => {
    const { duplicates } = differenceOf({ [table]: world[table] ?? [] }, { [table]: reference[table] ?? [] });
    return [table, duplicates];
  });
  return Object.fromEntries(counts.filter(([, count]) => count > 0));
}

/** True if nothing differs. */
export function isSame({ duplicates, missing, unexpected }: Difference): boolean {
  return duplicates + missing + unexpected === 0;
}

function counted(rows: readonly object[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const row of rows) {
    const text = JSON.stringify(row);
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  return counts;
}
