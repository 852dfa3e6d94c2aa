/** Prints what `belay init` makes of the five agents, twice, beside their reviewed configs: `npm run audit candidates`. `--json` names each field. */
import { candidates } from './candidates.ts';

const COLUMNS = [
  ['fields', 8],
  ['exact', 7],
  ['differ', 8],
  ['missing', 9],
  ['beyond', 8],
  ['drafted', 9],
  ['stable', 8],
  ['to decide', 11],
  ['changed', 9],
  ['review ms', 11],
] as const;

const rows = candidates();
if (process.argv.includes('--json')) console.log(JSON.stringify(rows, null, 1));
else {
  const line = (name: string, cells: readonly unknown[]) =>
    name.padEnd(17) + cells.map((cell, index) => String(cell).padStart(COLUMNS[index]?.[1] ?? 9)).join('');
  console.log(
    line(
      'agent',
      COLUMNS.map(([title]) => title),
    ),
  );
  for (const row of rows)
    console.log(
      line(row.domain, [
        row.reviewed,
        row.exact,
        row.differs.length,
        row.missing.length,
        row.beyond.length,
        row.drafted,
        row.stable,
        row.decide,
        row.changes,
        row.milliseconds.toFixed(0),
      ]),
    );
}
process.exitCode = rows.every(({ isReviewed, stable, drafted }) => isReviewed && stable === drafted) ? 0 : 1;
