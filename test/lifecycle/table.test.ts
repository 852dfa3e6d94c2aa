/** LC1, LC2, LC3, LC4, LC6, LC7, LC9: the table of a run, held against the law; and each of its cells, which the law needs. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { QUESTIONS, TABLE, type Table } from '../../src/sidecar/lifecycle/table.ts';
import { ALL, reached, unlawful, wrongIn } from './table-checks.ts';
import { tableText } from './table-text.ts';

/** The cells of a table that are not yes, each by the names of its region, its state and its question. */
const CELLS = Object.entries(TABLE).flatMap(([region, states]) =>
  Object.entries(states as Record<string, object>).flatMap(([state, row]) =>
    Object.keys(row).map((question) => [region, state, question] as const),
  ),
);

/** The same table, where one cell is yes. */
function without([region, state, question]: (typeof CELLS)[number]): Table {
  const states = TABLE[region as keyof Table] as Readonly<Record<string, Record<string, unknown>>>;
  const { [question]: _, ...row } = states[state] ?? {};
  return { ...TABLE, [region]: { ...states, [state]: row } } as Table;
}

describe('the table of a run', () => {
  test('answers as the law says wherever a run can come to, has no dead end, names who is waited for, and leads to the end', () => {
    expect(wrongIn(TABLE)).toEqual([]);
  });

  test('has an answer of each kind to most questions, and to each question a yes', () => {
    const graph = reached(TABLE);
    expect(graph.size).toBeGreaterThan(1_000);
    for (const question of ALL)
      expect([question, CELLS.some(([, , asked]) => asked === question)]).toEqual([question, true]);
  });

  // While its machine is not made, a run is opening as well: the two rows say the same of what a machine does.
  const repeated = CELLS.filter(
    ([region, state, question]) =>
      ((region === 'hold' && state === 'opening') || (region === 'machine' && state === 'absent')) &&
      Object.hasOwn(TABLE.hold.opening, question) &&
      Object.hasOwn(TABLE.machine.absent, question),
  );
  // Where no process holds a run, nobody is there who could ask.
  const asked = CELLS.filter((cell) => !(cell[0] === 'hold' && cell[1] === 'none') && !repeated.includes(cell));

  test(`is wrong in the law's eyes where any of its ${asked.length} cells that repeat no other row says yes`, () => {
    expect(repeated).toHaveLength(14);
    expect(asked.length).toBeGreaterThan(170);
    // A yes more closes no way: what the table reaches, the table with one yes more reaches, too.
    const nodes = [...reached(TABLE).values()];
    const isSeen = (cell: (typeof CELLS)[number], table: Table) =>
      unlawful(
        nodes.filter(({ at }) => at[cell[0] as keyof Table] === cell[1]),
        table,
      ).length > 0;
    const isWrong = (cell: (typeof CELLS)[number], table = without(cell)) =>
      isSeen(cell, table) || wrongIn(table).length > 0;
    expect(asked.filter((cell) => !isWrong(cell))).toEqual([]);
  });
});

test('docs/lifecycle.md shows the table as it is, and names each question', () => {
  const page = readFileSync(new URL('../../docs/lifecycle.md', import.meta.url), 'utf8');
  expect(page).toContain(tableText());
  for (const [question, text] of Object.entries(QUESTIONS)) expect(page).toContain(`- \`${question}\`: ${text}`);
});
