/** What a journal says of the process that its run was taken from: whether a call of that one may still leave (semantics.md E2). */
import Database from 'better-sqlite3';
import { afterEach, describe, expect, test } from 'vitest';
import { mayLive, thisProcess } from '../../src/journal/lease/holder.ts';
import { sqliteStore } from '../../src/journal/sqlite/store.ts';
import { freshPath } from './files.ts';
import { type Other, startOther } from './other-process.ts';
import { failing, row } from './rows-of.ts';

const HOUR = 3_600_000;
const others: Other[] = [];
afterEach(async () => {
  for (const each of others.splice(0)) await each.end('SIGKILL');
});

/** A process that has written three rows of a run. */
async function writer(path: string): Promise<Other> {
  const started = startOther();
  others.push(started);
  await started.askAll(
    { do: 'store', path },
    { do: 'open', run: 'a', mode: 'create' },
    { do: 'append', bodies: [1, 2, 3] },
    { do: 'flush' },
  );
  return started;
}

/** Takes the run once its lease is over, and writes a row. */
async function take(path: string, later: number): Promise<number> {
  const store = sqliteStore(path, { now: () => Date.now() + later });
  const journal = await store.open('a', 'resume');
  journal.append([row('more')]);
  await journal.close();
  await store.close();
  return journal.overtaken;
}

describe('the run of a file', () => {
  test('was taken from a process that lives, and is told so for ever, with the head that it had', async () => {
    const path = freshPath();
    await writer(path);
    expect(await take(path, HOUR)).toBe(3);
    expect(await take(path, HOUR)).toBe(3);
  });

  test('was taken from one that is gone', async () => {
    const path = freshPath();
    await (await writer(path)).end('SIGKILL');
    expect(await take(path, 0)).toBe(0);
  });

  test('was given back', async () => {
    const path = freshPath();
    await (await writer(path)).ask({ do: 'close' });
    expect(await take(path, HOUR)).toBe(0);
  });

  test('was taken from a process on another machine', async () => {
    const path = freshPath();
    await (await writer(path)).end('SIGKILL');
    tampered(path, "UPDATE lease SET host = 'elsewhere 0b0 pid:[1]'");
    expect(await take(path, HOUR)).toBe(3);
  });

  test('was taken from a process that lives, though a person has freed its claims since', async () => {
    const path = freshPath();
    await writer(path);
    const store = sqliteStore(path, { now: () => Date.now() + HOUR });
    expect(store.claims.free('a', 3, 'ann')).toEqual([]);
    await store.close();
    expect(await take(path, HOUR)).toBe(3);
  });

  test('is refused where the head of the taking is none that it has', async () => {
    const path = freshPath();
    await writer(path);
    await take(path, HOUR);
    tampered(path, 'UPDATE overtaken SET head = 99');
    await expect(take(path, HOUR)).rejects.toEqual(failing('journal_corrupt'));
  });
});

describe('a holder', () => {
  const here = { ...thisProcess(), host: 'desk b00t pid:[1]' };

  test.each([
    ['of an earlier boot of this machine does not live', 'desk ear1y pid:[1]', false],
    ['of another container of this machine may live', 'desk b00t pid:[2]', true],
    ['of another machine may live', 'other ear1y pid:[1]', true],
    ['of this machine, under a pid that lives, may live', 'desk b00t pid:[1]', true],
  ])('%s', (_, host, lives) => {
    expect(mayLive({ ...here, host }, here)).toBe(lives);
  });
});

function tampered(path: string, sql: string): void {
  const db = new Database(path);
  db.exec(sql);
  db.close();
}
