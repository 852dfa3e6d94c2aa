/** The tables of Atomix: a few runs of each part, on the product. */
import { expect, test } from 'vitest';
import { type Atomix, counted, joined, nameOf, type Part, parts } from '../../audit/atomix/study.ts';
import { readAtomix } from '../../audit/paper.ts';
import { atomixTables, wrongAtomix } from '../../audit/tables/atomix.ts';
import { rowOf } from '../../audit/workloads/table.ts';

/** The parts that are looked at, but for the mails, which a test of their own counts. */
const isSmall = (part: Part) =>
  part.part === 'branches'
    ? part.branches <= 4
    : part.part === 'contention'
      ? part.agents === 2
      : part.part === 'steps' && [0, 1, 3].includes(part.budget);

const sample = (async () => {
  const all: Atomix[] = [];
  for (const part of parts().filter(isSmall)) all.push(await counted(part, 6));
  return joined(all);
})();

test('the parts are every way with 2 to 16 branches, every scenario of contention, every probability, every budget, and the mails', () => {
  const names = parts().map(nameOf);
  expect(new Set(names).size).toBe(names.length);
  expect(names).toContain('16 branches, staged');
  expect(names).toContain('steps, belay, 0.5, 3 tries');
  expect(names).toContain('steps, belay, 0.3, 0 tries');
  expect(names).toContain('mixed, 8 agents, retry');
  expect(names).toContain('mails');
});

test('nothing of a loser is seen where writes are staged, nothing is left where they are undone', async () => {
  const { tried } = await sample;
  const of = (way: string) => tried.filter((each) => each.way === way);
  for (const { transient, contaminated, leaked, lost } of of('staged'))
    expect([transient, contaminated, leaked, lost]).toEqual([0, 0, 0, 0]);
  for (const { runs, transient, contaminated, lost } of of('undone'))
    expect([transient, contaminated, lost]).toEqual([runs, 0, 0]);
  for (const { runs, branches, contaminated, leaked } of of('direct'))
    expect([contaminated, leaked]).toEqual([runs, runs * (branches - 1)]);
});

test('Belay adds each row once, and a plain retry some twice', async () => {
  const { stepped } = await sample;
  const own = stepped.filter(({ mode, budget }) => mode === 'belay' && budget === 3);
  expect(own.map(({ probability }) => probability)).toEqual([0, 0.05, 0.1, 0.3, 0.5]);
  for (const { corrupted } of own) expect(corrupted).toBe(0);
  expect(own.slice(0, 4).map(({ correct }) => correct)).toEqual([6, 6, 6, 6]);
  expect(stepped.some(({ mode, corrupted }) => mode === 'retry' && corrupted > 0)).toBe(true);
});

test('runs that claim act as if one came after the other, and each baseline goes wrong where it keeps too little apart', async () => {
  const { contended } = await sample;
  const wrong = (guard: string) =>
    [
      ...new Set(
        contended.filter((each) => each.guard === guard && each.correct < each.runs).map(({ scenario }) => scenario),
      ),
    ].sort();
  expect(wrong('belay')).toEqual([]);
  expect(wrong('locks')).toEqual(['mixed', 'read and write']);
  expect(wrong('retry')).toEqual(['mixed']);
  expect(wrong('none')).toEqual(['counter', 'mixed', 'read and write']);
  // Of two agents that act on the same cells, one alone writes where the other only looks.
  const apart = ['counter', 'read and write'];
  for (const { guard, scenario, retries } of contended)
    expect([guard, scenario, retries > 0]).toEqual([guard, scenario, guard === 'retry' && apart.includes(scenario)]);
});

test('the tables have the figures of the paper beside ours, and nothing is wrong', async () => {
  const counts = await sample;
  expect(wrongAtomix(counts)).toEqual([]);
  const tables = atomixTables(counts, readAtomix());
  expect(tables.map(({ id }) => id)).toEqual([
    'atomix-branches',
    'atomix-choice',
    'atomix-faults',
    'atomix-tries',
    'atomix-contention',
    'atomix-mails',
  ]);
  for (const { columns, rows } of tables) for (const row of rows) expect(row.length).toBe(columns.length);
  const [branches, , faults] = tables;
  const staged = branches?.rows.find((row) => row[1]?.ours === 'staged');
  expect(branches && staged && rowOf(branches, staged)['transient']).toEqual({ ours: 0, paper: 0, mark: 'same' });
  const half = faults?.rows.find((row) => row[0]?.ours === 0.1 && row[2]?.ours === 'stop');
  expect(faults && half && rowOf(faults, half)['correct']?.paper).toBe(39);
});

test('what Belay lets be seen, leaves, doubles or loses is told', () => {
  const none = { transient: 0, contaminated: 0, leaked: 0, lost: 0, waits: [], runs: 2, branches: 3 };
  const steps = { mode: 'belay', probability: 0, budget: 3, runs: 2, correct: 1, corrupted: 0, faults: 0 } as const;
  const apart = { scenario: 'counter' as const, agents: 2, runs: 2, retries: 0, times: [1, 1] };
  const mail = { unsafeLeaked: 0, unsafeDuplicates: 1, unsafeLost: 0, unsafeFiles: 0, milliseconds: 1 };
  expect(
    wrongAtomix({
      tried: [
        { ...none, way: 'staged', transient: 1 },
        { ...none, way: 'undone', transient: 2 },
        { ...none, way: 'undone', contaminated: 1 },
        { ...none, way: 'direct', contaminated: 2 },
      ],
      stepped: [steps, { ...steps, mode: 'stop' }],
      contended: [
        { ...apart, guard: 'belay', correct: 1 },
        { ...apart, guard: 'none', correct: 0 },
      ],
      mails: [{ ...mail, mode: 'belay', runs: 2, expected: 2, delivered: 3 }],
    }),
  ).toEqual([
    'atomix, 3 branches, staged: something of a loser was seen or is left, or the winner is lost',
    'atomix, 3 branches, undone: something of a loser was seen or is left, or the winner is lost',
    'atomix, steps, 0, 3 tries: a row is there twice or is missing',
    'atomix, counter, 2 agents: no order of the agents explains a run',
    'atomix, mails: Belay has leaked, doubled or lost something',
  ]);
});
