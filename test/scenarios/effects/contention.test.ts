/**
 * Many runs that read, think and write over few rows, and no claims between them: no addition is lost, whoever ends. What does not end says
 * what moved (semantics.md E4).
 */
import { expect, test } from 'vitest';
import { Till, wait } from './till.ts';

const ROWS = 6;
const RUNS = 60;
/** How often a unit is done again, at most. */
const TRIES = 20;

test(`${RUNS} runs over ${ROWS} rows lose no addition, and nearly all end`, async () => {
  const till = new Till();
  try {
    // What is measured is who overwrites whom, and not the disk.
    till.db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF');
    const rows = Array.from({ length: ROWS }, (_, i) => `row-${i}`);
    for (const row of rows) till.set('row', 0, row);
    const ends = await Promise.all(
      Array.from({ length: RUNS }, async (_, i) => {
        const of = rows[i % ROWS] as string;
        const pause = () => wait(1 + (i % 7));
        return { of, end: await till.add(`r${i}`, { where: 'row', of, think: pause, rest: pause, tries: TRIES }) };
      }),
    );
    const expected = rows.map((row) => 10 * ends.filter(({ of, end }) => of === row && end === 'done').length);
    expect(rows.map((row) => till.get('row', row))).toEqual(expected);
    const done = ends.filter(({ end }) => end === 'done').length;
    expect(done).toBeGreaterThanOrEqual(0.95 * RUNS);
    for (const { end } of ends) expect(['done', 'parked']).toContain(end);
    for (const text of till.told)
      expect(text).toMatch(/the row \["row-\d"\] of acc was changed since|is reserved by the commit of/);
  } finally {
    till.close();
  }
});
