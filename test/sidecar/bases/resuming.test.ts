/** A resume reads a base and the rows after it, and comes to what all of the rows come to. */
import { randomBytes } from 'node:crypto';
import { copyFileSync } from 'node:fs';
import Database from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { type Decision, memoryStore } from '../../../src/index.ts';
import type { Base, JournalStore, StoredRow } from '../../../src/journal/journal.ts';
import { sqliteStore } from '../../../src/journal/sqlite/store.ts';
import { baseDifference } from '../../../src/sidecar/bases/compared.ts';
import { wrapJournals } from '../../../src/testing/wrap-journals.ts';
import { freshPath } from '../../journal/files.ts';
import { opened, standing, steps } from './agent.ts';

/** Counts the rows that journals read. */
function counted(store: JournalStore, told: { rows: number }): JournalStore {
  return wrapJournals(store, (journal) => ({
    *read(after?: number): Generator<StoredRow> {
      for (const row of journal.read(after) as Iterable<StoredRow>) {
        told.rows += 1;
        yield row;
      }
    },
  }));
}

async function begun(store: JournalStore, count: number, rows = 50) {
  const sidecar = await opened(store, 'attach', rows);
  for (let from = 0; from < count; from += 10) {
    steps(sidecar, from, 10);
    await sidecar.durable();
  }
  const stood = standing(sidecar);
  await sidecar.close();
  return stood;
}

describe('a run that is taken up', () => {
  for (const [name, storeOf] of [
    ['memory', () => memoryStore()],
    ['a file', () => sqliteStore(freshPath())],
    ['an encrypted file', () => sqliteStore(freshPath(), { key: randomBytes(32) })],
  ] as const)
    test(`reads a base and the rows after it from ${name}, and stands where it stood`, async () => {
      const store = storeOf();
      const stood = await begun(store, 400);
      const { at } = (await store.base('r')) as Base;
      const { head } = (await store.run('r')) as { head: number };
      expect(head - at).toBeLessThan(60);
      const told = { rows: 0 };
      const again = await opened(counted(store, told), 'resume', 50);
      expect(told.rows).toBe(head - at);
      expect(standing(again)).toEqual(stood);
      await again.close();
      await store.close();
    });

  for (const [name, storeOf] of [
    ['memory', () => memoryStore()],
    ['a file', () => sqliteStore(freshPath())],
  ] as const)
    test(`reads next to no rows from ${name} where it was given back, and what was closed again is not laid down again`, async () => {
      const store = storeOf();
      const stood = await begun(store, 300, 2_000);
      const { at } = (await store.base('r')) as Base;
      expect(at).toBe(((await store.run('r')) as { head: number }).head);
      const told = { rows: 0 };
      const again = await opened(counted(store, told), 'resume', 2_000);
      expect([told.rows, standing(again)]).toEqual([0, stood]);
      steps(again, 300, 10);
      await again.close();
      expect(((await store.base('r')) as Base).at).toBe(at);
      const difference = await baseDifference((await store.base('r')) as Base, await store.read('r'));
      expect(difference).toBeNull();
      await store.close();
    });

  test('has been given back with all of its rows, where no base could be kept', async () => {
    const path = freshPath();
    const store = sqliteStore(path);
    const sidecar = await opened(store, 'attach', 2_000);
    steps(sidecar, 0, 300);
    await sidecar.durable();
    tampered(path, "CREATE TRIGGER refused BEFORE INSERT ON base BEGIN SELECT RAISE(ABORT, 'no base'); END");
    const stood = standing(sidecar);
    await sidecar.close();
    await store.close();
    tampered(path, 'DROP TRIGGER refused');
    const again = sqliteStore(path);
    const told = { rows: 0 };
    const taken = await opened(counted(again, told), 'resume', 2_000);
    expect(standing(taken)).toEqual(stood);
    expect(told.rows).toBe(((await again.run('r')) as { head: number }).head);
    await taken.close();
    await again.close();
  });

  test('reads as few rows however long it has been', async () => {
    const read: number[] = [];
    for (const count of [500, 1_500]) {
      const store = memoryStore();
      await begun(store, count);
      const told = { rows: 0 };
      await (await opened(counted(store, told), 'resume', 50)).close();
      read.push(told.rows);
    }
    expect(Math.max(...read)).toBeLessThan(60);
  });

  test('decides what it decides where all rows are read, to the byte, and restores the same', async () => {
    const outcomes = await Promise.all(
      [true, false].map(async (hasBase) => {
        const path = freshPath();
        const first = sqliteStore(path);
        await begun(first, 300);
        await first.close();
        if (!hasBase) tampered(path, 'DELETE FROM base');
        const store = sqliteStore(path);
        const decisions: Decision[] = [];
        const again = await opened(store, 'resume', 50, {
          onDecision: ({ decision }) => void decisions.push(decision),
        });
        const instance = { skeleton: 'Work', entity: 'it', ordinal: 0 };
        for (const key of [undefined, 'rows/row3', 'notes'])
          await again.fail('CONTRACT_VIOLATION', { instance, ...(key !== undefined && { key }) });
        const stood = standing(again);
        await again.close();
        await store.close();
        return JSON.stringify([decisions, stood]);
      }),
    );
    expect(outcomes[0]).toBe(outcomes[1]);
    expect(JSON.parse(outcomes[0] as string)[0]).toHaveLength(3);
  });

  test('has bases that share the parts of those before them, whoever wrote these', async () => {
    const store = memoryStore();
    await begun(store, 400);
    const before = (await store.base('r')) as Base;
    const again = await opened(store, 'resume', 50);
    steps(again, 400, 100);
    await again.close();
    const after = (await store.base('r')) as Base;
    expect(after.at).toBeGreaterThan(before.at);
    const shared = before.parts.slice(2);
    expect(shared.filter((part) => after.parts.includes(part))).toHaveLength(shared.length);
    expect(await baseDifference(after, store.read('r'))).toBeNull();
  });

  test('has no base before its rows are many', async () => {
    const store = memoryStore();
    const sidecar = await opened(store, 'attach', 4_096);
    steps(sidecar, 0, 100);
    await sidecar.close();
    expect(await store.base('r')).toBeNull();
  });
});

function tampered(path: string, sql: string, ...values: unknown[]): void {
  const db = new Database(path);
  db.prepare(sql).run(...values);
  db.close();
}

describe('a base that is not what was written', () => {
  const flips: readonly [what: string, sql: string, ...values: unknown[]][] = [
    ['another row', 'UPDATE base SET at = at - 1'],
    ['another group', 'UPDATE base SET last = last - 1'],
    ['another digest', 'UPDATE base SET digest = randomblob(32)'],
    ['no digest', "UPDATE base SET digest = x''"],
    ['parts in another order', "UPDATE base SET parts = '[1,0]'"],
    ['parts that are no list', "UPDATE base SET parts = '{'"],
    ['a part that is missing', 'DELETE FROM base_part WHERE number = (SELECT max(number) FROM base_part)'],
    ['a part that was cut', 'UPDATE base_part SET body = substr(body, 1, length(body) - 1)'],
    [
      'a part of zeros',
      'UPDATE base_part SET body = zeroblob(length(body)) WHERE number = (SELECT min(number) FROM base_part)',
    ],
  ];
  for (const [what, sql, ...values] of flips)
    test(`${what}: all rows are read, and the run stands where it stood`, async () => {
      const path = freshPath();
      const first = sqliteStore(path);
      const stood = await begun(first, 200);
      const { head } = first.run('r') as { head: number };
      await first.close();
      tampered(path, sql, ...values);
      const store = sqliteStore(path);
      expect(store.base('r')).toBeNull();
      const told = { rows: 0 };
      const again = await opened(counted(store, told), 'resume', 50);
      expect([told.rows, standing(again)]).toEqual([head, stood]);
      steps(again, 200, 100);
      await again.close();
      expect(await baseDifference(store.base('r') as Base, store.read('r'))).toBeNull();
      await store.close();
    });

  test('no flip of a bit anywhere in it is read as a base', async () => {
    const path = freshPath();
    const first = sqliteStore(path);
    await begun(first, 120);
    await first.close();
    const db = new Database(path);
    const parts = db.prepare('SELECT number, body FROM base_part').all() as { number: number; body: Buffer }[];
    const missed: number[][] = [];
    for (const { number, body } of parts) {
      for (let at = 0; at < body.length; at += Math.max(1, Math.floor(body.length / 40))) {
        const flipped = Buffer.from(body);
        flipped[at] = (flipped[at] as number) ^ (1 << (at % 8));
        const write = (bytes: Buffer) =>
          db.prepare('UPDATE base_part SET body = ? WHERE number = ?').run(bytes, number);
        write(flipped);
        const store = sqliteStore(path, { readonly: true });
        if (store.base('r') !== null) missed.push([number, at]);
        await store.close();
        write(body);
      }
    }
    db.close();
    expect(missed).toEqual([]);
    const store = sqliteStore(path);
    expect(store.base('r')).not.toBeNull();
    await store.close();
  });

  test('one of another file is none', async () => {
    const [path, other] = [freshPath(), freshPath()];
    for (const file of [path, other]) {
      const store = sqliteStore(file);
      await begun(store, 120);
      await store.close();
    }
    putBack(path, other);
    const store = sqliteStore(path);
    expect(store.base('r')).toBeNull();
    await store.close();
  });

  test('one of another run of the same file is none', async () => {
    const path = freshPath();
    const first = sqliteStore(path);
    await begun(first, 120);
    const beside = await opened(first, 'attach', 50, { run: 'beside' });
    steps(beside, 0, 120);
    await beside.close();
    expect([first.base('r'), first.base('beside')]).not.toContain(null);
    await first.close();
    for (const table of ['base', 'base_part']) {
      tampered(path, `UPDATE ${table} SET run = -run`);
      tampered(path, `UPDATE ${table} SET run = 3 + run`);
    }
    const store = sqliteStore(path);
    expect([store.base('r'), store.base('beside')]).toEqual([null, null]);
    await store.close();
  });

  test('an older one that was put back is a base still: more rows are read', async () => {
    const path = freshPath();
    const first = sqliteStore(path);
    await begun(first, 120);
    await first.close();
    const older = `${path}.older`;
    copyFileSync(path, older);
    const store = sqliteStore(path);
    const sidecar = await opened(store, 'resume', 50);
    steps(sidecar, 120, 200);
    const stood = standing(sidecar);
    await sidecar.close();
    await store.close();
    putBack(path, older);
    const last = sqliteStore(path);
    const { at } = last.base('r') as Base;
    const { head } = last.run('r') as { head: number };
    const told = { rows: 0 };
    const again = await opened(counted(last, told), 'resume', 50);
    expect(standing(again)).toEqual(stood);
    expect(told.rows).toBe(head - at);
    expect(head - at).toBeGreaterThan(200);
    await again.close();
    await last.close();
  });
});

/** Puts the bases of another file in the place of those of a file. */
function putBack(path: string, from: string): void {
  const db = new Database(path);
  db.exec(`ATTACH '${from}' AS other; DELETE FROM base; DELETE FROM base_part;
    INSERT INTO base SELECT * FROM other.base; INSERT INTO base_part SELECT * FROM other.base_part;`);
  db.close();
}
