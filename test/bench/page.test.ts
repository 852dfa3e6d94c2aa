/** The page about the peers and the benchmark that writes it say the same: every cell that is no time is recomputed here. */
import { describe, expect, test } from 'vitest';
import { GOALS } from '../../bench/comparison/goals.ts';
import { type Part, partOf, withPart } from '../../bench/comparison/page.ts';
import { GROUPS, isPeer, ROWS } from '../../bench/comparison/rows.ts';
import { CELLS, cellName, LISTED_GOAL, LOAD_HEAD, PARKED_GOAL } from '../../bench/comparison/scale.ts';
import { absence, COLUMNS, meanings } from '../../bench/comparison/tables.ts';
import { read } from '../pages.ts';

const page = read('docs/evidence.md');
const FIGURE = /^-?[\d,]+(\.\d\d)?$/;

/** The tables of a part, each as its rows of cells, without the line below the head. */
function tables(part: Part): string[][][] {
  const blocks = partOf(page, part).split('\n\n');
  return blocks
    .filter((block) => block.startsWith('|'))
    .map((block) => {
      const lines = block.split('\n').filter((line) => !/^\|[ :|-]+$/.test(line));
      return lines.map((line) => line.slice(2, -2).split(' | '));
    });
}

/** A number as the page shows it, with or without its unit. */
const numberOf = (cell = '') => Number(cell.replace(/[^\d.-]/g, ''));

/** A verdict says what the figure and its limit say; what lies within the rounding may be either. */
function expectVerdict([text, figure, most, verdict]: readonly string[]): void {
  const over = numberOf(figure) - numberOf(most);
  if (over > 0.01) expect([text, verdict]).toEqual([text, expect.stringMatching(/^MISSED by [\d,.]+ /)]);
  if (over < -0.01) expect([text, verdict]).toEqual([text, 'met']);
}

test('what each row includes and keeps is what the benchmark defines', () => {
  expect(partOf(page, 'meanings')).toBe(meanings());
});

describe('the figures of a step', () => {
  const all = tables('figures');
  const goals = all.at(-1) as string[][];

  test('have a table for each group, with its rows and columns', () => {
    expect(all.slice(0, -1).map(([head]) => head)).toEqual(
      Object.values(GROUPS).map((title) => [title, ...COLUMNS.map(({ name }) => name)]),
    );
    expect(all.slice(0, -1).flatMap((rows) => rows.slice(1).map(([name]) => name))).toEqual(
      ROWS.map(({ name }) => name),
    );
  });

  test('are numbers, or say that the row was not run', () => {
    const cells = all.slice(0, -1).flatMap((rows) => rows.slice(1).map((row) => row.slice(1)));
    for (const [n, [first = '', ...others]] of cells.entries()) {
      const row = ROWS[n] as (typeof ROWS)[number];
      if (first !== absence(row)) for (const cell of [first, ...others]) expect(cell).toMatch(/^$|^-?[\d,]+(\.\d\d)?$/);
    }
  });

  test('are held to the goals that the benchmark judges', () => {
    expect(goals.slice(1).map(([text, , most]) => [text, most])).toEqual(
      GOALS.map(({ text, most, unit }) => [text, `${most} ${unit}`]),
    );
    for (const row of goals.slice(1)) if (row[3] !== 'not run') expectVerdict(row);
  });

  test('name in a goal the peer that it is compared with', () => {
    for (const [n, row] of goals.slice(1).entries()) {
      expect(row[4] === '' || row[4]?.startsWith(`${GOALS[n]?.beside?.name}: `)).toBe(true);
    }
  });
});

test('the loads are the cells that the benchmark measures', () => {
  const [[head, ...rows] = []] = tables('load');
  expect(head).toEqual(LOAD_HEAD);
  expect(rows.map(([name]) => name)).toEqual(CELLS.map(cellName));
  for (const row of rows) for (const cell of row.slice(1)) expect(cell).toMatch(FIGURE);
});

test.each([
  ['parked', PARKED_GOAL],
  ['list', LISTED_GOAL],
] as const)('the verdicts of %s follow from the figures', (part, goal) => {
  const [[head, ...rows] = []] = tables(part);
  expect(head).toEqual(['goal', 'figure', 'at most', 'verdict']);
  const judged = rows.filter(([, , most]) => most !== '');
  expect(judged.length).toBeGreaterThan(0);
  for (const row of judged) {
    expect(numberOf(row[2])).toBe(goal);
    expectVerdict(row);
  }
});

test('a part is written between its marks, and nothing else is touched', () => {
  const written = withPart(page, 'list', 'another text');
  expect(partOf(written, 'list')).toBe('another text');
  expect(partOf(written, 'figures')).toBe(partOf(page, 'figures'));
  expect(withPart(written, 'list', partOf(page, 'list'))).toBe(page);
});

test('the names for --only differ, and only the peers run what bench/package.json installs', () => {
  expect(new Set(ROWS.map(({ id }) => id)).size).toBe(ROWS.length);
  const { dependencies } = JSON.parse(read('bench/package.json'));
  const root = JSON.parse(read('package.json'));
  expect(ROWS.filter(isPeer).map(({ id }) => id)).toEqual(
    ROWS.filter(({ name }) => /LangGraph|DBOS|Restate/.test(name)).map(({ id }) => id),
  );
  for (const name of ['@dbos-inc/dbos-sdk', '@langchain/langgraph-checkpoint-sqlite', '@restatedev/restate-sdk']) {
    expect(dependencies[name]).toMatch(/^\d+\.\d+\.\d+$/);
    expect(root.devDependencies[name]).toBeUndefined();
  }
});

test('the lock file of the peers names no registry', () => {
  const lock = JSON.parse(read('bench/package-lock.json'));
  const packages = Object.values(lock.packages) as { resolved?: string }[];
  expect(packages.length).toBeGreaterThan(10);
  expect(packages.filter(({ resolved }) => resolved !== undefined)).toEqual([]);
  expect(read('bench/.npmrc')).toContain('omit-lockfile-registry-resolved=true');
});
