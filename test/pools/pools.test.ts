/** Pools (semantics.md ER10 to ER13): drawn scenarios, and each rule once by hand. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { memoryStore } from '../../src/journal/memory/store.ts';
import { sqliteStore } from '../../src/journal/sqlite/store.ts';
import { drawn } from './draw.ts';
import { type Move, play, type Spender } from './trial.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

const paying = (kind: Spender['kind'], ...spends: Spender['spends']): Spender => ({ kind, spends });
const moves = (...texts: string[]): Move[] =>
  texts.map((text) => {
    const [run, is, append] = text.split(' ');
    return { run: Number(run), is, ...(append !== undefined && { append: Number(append) }) } as Move;
  });

test('runs that share a pool never go beyond it, and none is refused needlessly (ER10, ER11)', async () => {
  let refused = 0;
  for (let seed = 1; seed <= 120; seed += 1) {
    const course = await play(drawn(seed));
    expect(course.wrong, `seed ${seed}`).toEqual([]);
    refused += course.refused;
  }
  expect(refused).toBeGreaterThan(50);
});

test('the same over a file (ER10, ER11)', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'belay-pools-'));
  folders.push(folder);
  for (let seed = 1; seed <= 12; seed += 1) {
    const store = sqliteStore(join(folder, `${seed}.sqlite`));
    expect((await play(drawn(seed), store)).wrong, `seed ${seed}`).toEqual([]);
    await store.close();
  }
});

test('a call waits for one that is under way, and goes on by itself when that gives something back (ER11)', async () => {
  const spender = paying('irreversible', [2, 0]);
  const course = await play({ limit: 3, runs: [spender, spender], moves: moves('0 hang', '0 go', '1 go', '0 answer') });
  expect(course).toMatchObject({ wrong: [], refused: 0, waited: 1 });
});

test('a call without a key that came back with an error counts with its most; one that has not happened does not (ER12)', async () => {
  const spender = paying('none', [2, 1]);
  const lost = await play({ limit: 3, runs: [spender, spender], moves: moves('0 lose', '0 go', '1 go') });
  expect(lost).toMatchObject({ wrong: [], refused: 3 });
  const not = await play({ limit: 3, runs: [spender, spender], moves: moves('0 refuse', '0 go', '1 go') });
  expect(not).toMatchObject({ wrong: [], refused: 1 });
});

test('a try under a key that counts already gives back what it has reserved itself (ER12)', async () => {
  const course = await play({
    limit: 6,
    runs: [paying('idempotent', [2, 2])],
    moves: moves('0 go', '0 refuse', '0 fail'),
  });
  expect(course).toMatchObject({ wrong: [], refused: 0 });
});

test('a call that leaves again under its key reserves nothing more (ER10)', async () => {
  for (let append = 0; append <= 5; append += 1) {
    const runs = [paying('again', [3, 0])];
    const hung = moves('0 hang', '0 go', `0 die ${append}`, '0 answer', '0 go');
    expect(await play({ limit: 5, runs, moves: hung }), `append ${append}`).toMatchObject({ wrong: [], refused: 0 });
  }
});

test('what a call without a key may have spent whose process died counts (ER12)', async () => {
  const course = await play({
    limit: 9,
    runs: [paying('none', [2, 1])],
    moves: moves('0 hang', '0 go', '0 die 0', '0 answer', '0 go'),
  });
  expect(course).toMatchObject({ wrong: [], refused: 0 });
});

test('what was undone stays spent (ER12)', async () => {
  const spender = paying('compensable', [2, 2]);
  const course = await play({ limit: 5, runs: [spender, spender], moves: moves('0 go', '0 abort', '1 go') });
  expect(course).toMatchObject({ wrong: [], refused: 1 });
});

test('a process that dies gives nothing back, and a process that takes its run up settles what it has left (ER12)', async () => {
  for (const kind of ['none', 'idempotent', 'irreversible'] as const)
    for (let append = 1; append <= 8; append += 1) {
      const spender = paying(kind, [2, 1]);
      const course = await play({
        limit: 4,
        runs: [spender, spender],
        moves: moves(`0 die ${append}`, '0 go', '1 go', '0 go', '0 go', '1 go'),
      });
      expect(course.wrong, `${kind} ${append}`).toEqual([]);
    }
});

test('what an aborted run has held back is there for others (ER12)', async () => {
  const store = memoryStore();
  const runs = [paying('held', [3, 1]), paying('irreversible', [1, 1])];
  const course = await play({ limit: 3, runs, moves: moves('0 go', '0 abort', '1 go') }, store);
  expect(course).toMatchObject({ wrong: [], refused: 0 });
});

test('a run whose config gives the pool another limit is not attached (ER13)', async () => {
  const store = memoryStore();
  const runs = [paying('none', [1, 1])];
  await play({ limit: 3, runs, moves: [] }, store, 'one-');
  await expect(play({ limit: 4, runs, moves: [] }, store, 'two-')).rejects.toThrow(/has the limit 3 in this store/);
  expect(await store.pools?.limit('team', 4)).toBe(true);
  expect((await play({ limit: 4, runs, moves: [] }, store, 'three-')).refused).toBe(0);
});
