/** The study of interruptions: a fixed share of it, run on real agents in real worlds. */
import { describe, expect, test } from 'vitest';
import { type Interrupted, interruptions, STUDIED } from '../../audit/interruptions/study.ts';
import { readInterruptions } from '../../audit/paper.ts';
import { interruptionTables, ratioOf, wrongInterruptions } from '../../audit/tables/interruptions.ts';
import { rowOf } from '../../audit/workloads/table.ts';

/** The share of each agent: a handful of its interruptions, spread over its kinds and steps. */
const SHARE = { every: 151, from: 30 };

async function sampled(): Promise<readonly Interrupted[]> {
  const rows: Interrupted[] = [];
  for (const name of STUDIED) rows.push(...(await interruptions(name, SHARE)));
  return rows;
}

const sample = sampled();

describe('a share of the interruptions', () => {
  test('ends each as the run that was told so, or as if nothing was said', async () => {
    const rows = await sample;
    expect(new Set(rows.map(({ domain }) => domain))).toEqual(new Set(STUDIED));
    expect(wrongInterruptions(rows)).toEqual([]);
    for (const { belay } of rows) {
      expect(belay.difference).toEqual({ duplicates: 0, missing: 0, unexpected: 0 });
      expect([belay.needless, belay.isSameMemory]).toEqual([0, true]);
    }
  });

  test('carries some out and refuses some, each of these with its code', async () => {
    const rows = await sample;
    const own = rows.filter(({ others }) => others !== null);
    expect(own.filter(({ is }) => is === 'done').length).toBeGreaterThan(3);
    for (const { is, code, by } of rows) {
      expect(is === 'refused', String(code)).toBe(code !== null);
      if (by !== 'sender' && code !== null && by === 'other') expect(code).toBe('steer_not_yours');
    }
  });

  test('has a restart redo more, and leave more in the world', async () => {
    const done = (await sample).filter(({ is, others }) => is === 'done' && others !== null);
    expect(ratioOf(done) ?? Number.POSITIVE_INFINITY).toBeGreaterThan(1);
    const left = done.map(({ others }) => others?.restart.difference);
    expect(left.some((each) => each !== undefined && each.duplicates + each.unexpected > 0)).toBe(true);
  });

  test('is laid out in tables, the taxonomy of the post beside it', async () => {
    const rows = await sample;
    const tables = interruptionTables(rows, readInterruptions());
    expect(tables.map(({ id }) => id)).toEqual([
      'interruptions',
      'interruptions-agents',
      'interruptions-refused',
      'interruptions-taxonomy',
    ]);
    for (const { columns, rows: lines } of tables) for (const line of lines) expect(line.length).toBe(columns.length);
    const [places, , refused] = tables;
    const all = places?.rows.at(-1);
    expect(places && all && rowOf(places, all)['acts']?.ours).toBe(rows.filter(({ others }) => others !== null).length);
    const count = refused?.rows.reduce((sum, line) => sum + Number(rowOf(refused, line)['count']?.ours), 0);
    expect(count).toBe(rows.filter(({ is }) => is === 'refused').length);
  });
});

test('a wish that is revised while its review is under way, or has been answered, is what the schedule is made of', async () => {
  const only = ({ kind, about, by }: { kind: string; about: string; by: string }, at: number) =>
    kind === 'revision' && about === 'WISH' && by === 'sender' && at >= 13;
  const rows = await interruptions('schedule-form', { every: 1, from: 0, only });
  expect(rows.filter(({ is }) => is === 'done').map(({ at, made }) => [at, made])).toEqual(
    [13, 14, 15, 16, 17].flatMap((at) => [false, true].map((made) => [at, made])),
  );
  expect(wrongInterruptions(rows)).toEqual([]);
});

test('a revision that has the work go on elsewhere redoes the call that leads there, and no row of the table before it', async () => {
  const only = ({ kind, about, by }: { kind: string; about: string; by: string }, at: number) =>
    kind === 'revision' && about === 'SKIP' && by === 'sender' && (at === 7 || at === 8);
  const rows = await interruptions('etl-pipeline', { every: 1, from: 0, only });
  const redone = rows.map(({ at, made, is, belay }) => [at, made, is, belay.redone, belay.needless]);
  expect(redone.filter(([at]) => at === 7)).toEqual([
    [7, false, 'done', 1, 0],
    [7, true, 'done', 2, 0],
  ]);
  expect(wrongInterruptions(rows)).toEqual([]);
});

test('a word where the agent, told so there, throws is held against a run that was told it earlier', async () => {
  const only = ({ kind, about }: { kind: string; about: string }, at: number) =>
    kind === 'addition' && about === 'WEIGHT' && at === 17;
  const rows = await interruptions('navigation', { every: 1, from: 0, only });
  expect(rows.map(({ is, belay }) => [is, belay.isSameMemory, belay.difference.unexpected])).toEqual([
    ['done', true, 0],
  ]);
  expect(wrongInterruptions(rows)).toEqual([]);
});

test('a wrong ending is told, with its place', () => {
  const cost = {
    ...{ redone: 0, alike: 0, needless: 0, cents: 0, isSameMemory: true },
    difference: { duplicates: 0, missing: 0, unexpected: 0 },
  };
  const row: Interrupted = {
    ...{ domain: 'navigation', kind: 'revision', about: 'WISH', by: 'sender', at: 3, of: 9, made: true, is: 'done' },
    ...{ code: null, confirmed: 0, belay: cost, others: null, wrong: ['another context'] },
  };
  expect(wrongInterruptions([row])).toEqual([
    'interruptions, navigation: revision of WISH at 3 of 9 by sender, calls under way made: another context',
  ]);
});
