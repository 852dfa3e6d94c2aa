/**
 * Bytes of a journal that go or change, and rows that are changed by hand. Every fault ends in a JournalError or in exactly the
 * rows that were written, and nothing is repaired where the open was refused.
 */
import { existsSync, rmSync } from 'node:fs';
import Database from 'better-sqlite3';
import { beforeAll, describe, expect, test } from 'vitest';
import type { StoredRow } from '../../src/journal/journal.ts';
import { sqliteStore } from '../../src/journal/sqlite/store.ts';
import { changed, endOthersAfterEach, type Files, filesOf, KEPT, other, put, RUNS, readOnly, taken } from './damage.ts';
import { freshPath } from './files.ts';
import { failing, row } from './rows-of.ts';

endOthersAfterEach();

/** A journal of two runs that a killed process left: with a log, which holds all or only the newest of it. */
async function leftBehind(folded: boolean): Promise<Files> {
  const path = freshPath();
  const killed = other();
  await killed.ask({ do: 'store', path });
  for (const run of RUNS) {
    await killed.askAll({ do: 'open', run, mode: 'create' });
    for (let n = 0; n < 6; n += 1) {
      await killed.askAll({ do: 'append', bodies: [`${run} ${n}`, n, 'x'.repeat(n * 80)] }, { do: 'flush' });
    }
    await killed.ask({ do: 'close' });
  }
  if (folded) await killed.ask({ do: 'closeStore' });
  await killed.end('SIGKILL');
  return filesOf(path);
}

describe.each([
  ['in its log', false],
  ['folded into its file', true],
])('a journal %s', (_name, folded) => {
  let whole: Files;
  let original: Record<string, StoredRow[]>;
  const path = freshPath();
  beforeAll(async () => {
    whole = await leftBehind(folded);
    put(path, whole);
    original = await allTaken(path);
    expect(original.a?.length).toBe(18);
  });

  async function allTaken(at: string): Promise<Record<string, StoredRow[]>> {
    const rows: Record<string, StoredRow[]> = {};
    for (const run of RUNS) rows[run] = (await taken(at, run)) as StoredRow[];
    return rows;
  }

  /** Each fault on files of its own, asked by a reader and by a writer. Counts how each ended. */
  async function judge(suffix: string, change: (bytes: Buffer) => Buffer): Promise<string> {
    const damaged = new Map(whole).set(suffix, change(Buffer.from(whole.get(suffix) as Buffer)));
    put(path, damaged);
    const read = readOnly(path);
    if ('rows' in read) expect(read.rows).toEqual(original);
    expect(changed(damaged, filesOf(path))).toEqual([]);
    put(path, damaged);
    const written = await taken(path, 'a');
    if (Array.isArray(written)) expect(written).toEqual(original.a);
    else if (written.opened !== true)
      expect({ ...written, changed: changed(damaged, filesOf(path)) }).toEqual({ ...written, changed: [] });
    return Array.isArray(written) ? 'whole' : written.code;
  }

  const suffixes = folded ? ['', '-anchor'] : KEPT;

  test.each(suffixes)('that is cut short (%j) ends in an error or in what was written', async (suffix) => {
    const { length } = whole.get(suffix) as Buffer;
    const outcomes = new Set<string>();
    for (let cut = 0; cut < length; cut += Math.max(1, Math.floor(length / 60))) {
      outcomes.add(await judge(suffix, (bytes) => bytes.subarray(0, cut)));
    }
    if (suffix === '-anchor') expect([...outcomes]).toEqual(['whole']);
    else expect(outcomes).toContain(folded ? 'journal_corrupt' : 'journal_tail_lost');
  });

  test.each(suffixes)(
    'with a flipped bit (%j) ends in an error or in what was written',

    async (suffix) => {
      const { length } = whole.get(suffix) as Buffer;
      const outcomes = new Set<string>();
      const stride = suffix === '-anchor' ? 1 : Math.max(1, Math.floor(length / 150));
      for (let at = 0; at < length; at += at < 110 ? 1 : stride) {
        outcomes.add(
          await judge(suffix, (bytes) => {
            bytes[at] = (bytes[at] as number) ^ (1 << (at % 8));
            return bytes;
          }),
        );
      }
      if (suffix === '-anchor') expect([...outcomes]).toEqual(['whole']);
      else expect(outcomes.size).toBeGreaterThan(1);
    },
  );

  test('without its index is read by a writer, and left as it is by a reader', async () => {
    put(path, whole);
    expect(readOnly(path)).toEqual({ rows: original });
    expect([existsSync(`${path}-shm`), changed(whole, filesOf(path))]).toEqual([false, []]);
    expect(await allTaken(path)).toEqual(original);
  });
});

/** Puts each of two rows of the log in the place of the other. */
const swapped = 'UPDATE log SET id = id + 10 WHERE id IN (2, 5); UPDATE log SET id = 17 - id WHERE id > 10;';

/** Gives what two rows of the log hold to the other one. */
const exchanged =
  'CREATE TEMP TABLE t AS SELECT id, body FROM log; UPDATE log SET body = (SELECT body FROM t WHERE t.id = 7 - log.id) WHERE id IN (2, 5)';

describe('rows that somebody changed by hand are found out, with their place', () => {
  // Row 1 of the log is the taking of "a", rows 2 and 3 are its commits; 4, 5 and 6 are those of "b".
  test.each([
    ['a row of the log that is gone', 'DELETE FROM log WHERE id = 2', /row 2 of the log: the next row is 3/],
    ['its first row that is gone', 'DELETE FROM log WHERE id = 1', /row 1 of the log: the next row is 2/],
    ['the last row of a run that is gone', 'DELETE FROM log WHERE id = 3', /row 3 of the log: the next row is 4/],
    [
      'another body',
      "UPDATE log SET body = CAST(body || x'32' AS BLOB) WHERE id = 2",
      /run "a", seq 1: row 2 of the log/,
    ],
    [
      'a body with other rows',
      'UPDATE log SET body = (SELECT body FROM log WHERE id = 1) WHERE id = 3',
      /run "a", seq/,
    ],
    ['the bodies of two rows exchanged', exchanged, /run "a", seq 2: the commit group/],
    [
      'another head',
      'UPDATE log SET head = (SELECT head FROM log WHERE id = 5) WHERE id = 2',
      /row 2 .* does not follow/,
    ],
    ['a head of no bytes', "UPDATE log SET head = x'', body = x'' WHERE id = 3", /row 3 .* does not follow/],
    ['another link', 'UPDATE log SET link = zeroblob(16) WHERE id = 3', /row 3 .* does not follow/],
    [
      'a link of another length',
      "UPDATE log SET link = CAST(link || x'00' AS BLOB) WHERE id = 3",
      /row 3 of the log: it has no form/,
    ],
    ['two rows that changed their places', swapped, /row 2 .* does not follow/],
    [
      'a row that is there twice',
      'INSERT INTO log SELECT 7, link, head, body FROM log WHERE id = 6',
      /row 7 .* does not/,
    ],
    [
      'the name of another run',
      "UPDATE run SET name = 'c' WHERE id = 1; UPDATE run SET name = 'a' WHERE id = 2",
      /run "a", seq 2/,
    ],
  ])('%s', async (_name, sql, message) => {
    const path = freshPath();
    const store = sqliteStore(path);
    for (const run of RUNS) {
      const journal = await store.open(run, 'create');
      for (let n = 0; n < 2; n += 1) {
        journal.append([row(run), row(n)]);
        await journal.flush();
      }
      await journal.close();
    }
    await store.close();
    // Whoever changes rows by hand may know of the anchor as well.
    rmSync(`${path}-anchor`);
    const db = new Database(path);
    db.exec(sql);
    db.close();
    const reader = sqliteStore(path, { readonly: true });
    expect(() => [...reader.read('a')]).toThrow(failing('journal_corrupt'));
    expect(() => [...reader.read('a')]).toThrow(message);
    expect(await taken(path, 'a')).toMatchObject({ code: 'journal_corrupt' });
  });
});
