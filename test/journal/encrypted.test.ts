/** Encrypted files: nothing of a body is readable in any of them, and each wrong key is refused for what it is. */
import { randomBytes } from 'node:crypto';
import Database from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { chained, seed } from '../../src/journal/chain.ts';
import { bodyOf, entriesIn, firstLink, groupsIn, headOf, linked, partsIn } from '../../src/journal/sqlite/log/form.ts';
import { sqliteStore } from '../../src/journal/sqlite/store.ts';
import { bytesOf, copyOf, freshPath } from './files.ts';
import { bodies, failing, row } from './rows-of.ts';

const KEY = randomBytes(32);
const SECRET = 'card 4111 1111 1111 1111';

/** A file with a run of two rows and a message, all of which hold the secret. */
async function filled(path = freshPath(), key: Uint8Array | null = KEY) {
  const store = sqliteStore(path, key === null ? {} : { key });
  const journal = await store.open('a', 'create');
  journal.append([row(SECRET)]);
  await journal.flush();
  journal.append([row({ again: SECRET })]);
  store.post('a', SECRET);
  return { path, store, journal };
}

/** Whether a text stands in any of the files of a journal. */
function isIn(path: string, text: string): boolean {
  return ['', '-wal', '-shm', '-anchor'].some((suffix) => bytesOf(path + suffix)?.includes(text) === true);
}

/** The commit groups of a file with one run, each with the row of the log that it is in. */
function logged(db: Database.Database) {
  const rows = db.prepare('SELECT id, head, body FROM log ORDER BY id').all() as {
    id: number;
    head: Buffer;
    body: Buffer;
  }[];
  let seq = 0;
  return rows.flatMap(({ id, head, body }) =>
    (groupsIn(id, head) ?? []).map((group) => {
      const entries = entriesIn((partsIn(body, 1) as [Buffer])[0], seq) ?? [];
      seq = group.last;
      return { id, group, entries };
    }),
  );
}

/** Changes a closed file behind the back of the store. */
function raw(path: string, sql: string): void {
  const db = new Database(path);
  db.exec(sql);
  db.close();
}

test('no file of an encrypted journal holds what was written, while it is open and after', async () => {
  const { path, store, journal } = await filled();
  await journal.flush();
  expect(bytesOf(`${path}-wal`)?.length).toBeGreaterThan(0);
  expect(isIn(path, '4111')).toBe(false);
  await journal.close();
  await store.close();
  expect(isIn(path, '4111')).toBe(false);
  const plain = await filled(freshPath(), null);
  await plain.journal.flush();
  expect(isIn(plain.path, '4111')).toBe(true);
  await plain.journal.close();
  await plain.store.close();
});

test('the same text is never sealed to the same bytes, and each body grows by 28', async () => {
  const { path, store, journal } = await filled();
  journal.append([row(SECRET)]);
  await journal.close();
  await store.close();
  const db = new Database(path, { readonly: true });
  const sealed = logged(db).flatMap(({ entries }) => entries.filter(({ seq }) => seq !== 2).map(({ body }) => body));
  db.close();
  const [first, second] = sealed as [Buffer, Buffer];
  expect([first.length, second.length]).toEqual([JSON.stringify(SECRET).length + 28, first.length]);
  expect(first.equals(second)).toBe(false);
  expect(first.subarray(0, 12).equals(second.subarray(0, 12))).toBe(false);
});

describe('a key', () => {
  test('opens its file again, for writing and for reading', async () => {
    const { path, store, journal } = await filled();
    await journal.close();
    await store.close();
    for (const readonly of [true, false]) {
      const again = sqliteStore(path, { key: KEY, readonly });
      expect([bodies(again.read('a')), again.posts('a')[0]?.body, again.confidential]).toEqual([
        [SECRET, { again: SECRET }],
        SECRET,
        true,
      ]);
      await again.close();
    }
  });

  test.each<[string, unknown, string]>([
    ['none', undefined, 'journal_key_missing'],
    ['another one', randomBytes(32), 'journal_key_wrong'],
    ['one that is too short', randomBytes(31), 'journal_key_bad'],
    ['a text', 'k'.repeat(32), 'journal_key_bad'],
  ])('%s is refused with a code of its own, and the file is left as it is', async (_, key, code) => {
    const { path, store, journal } = await filled();
    await journal.close();
    await store.close();
    const before = bytesOf(path);
    for (const readonly of [true, false])
      expect(() => sqliteStore(path, { readonly, ...(key !== undefined && { key: key as Uint8Array }) })).toThrow(
        failing(code as 'journal_key_bad'),
      );
    expect(bytesOf(path)).toEqual(before);
  });

  test('for a file that was made without one is refused: its rows would stay readable', async () => {
    const { path, store, journal } = await filled(freshPath(), null);
    expect(store.confidential).toBe(false);
    await journal.close();
    await store.close();
    for (const readonly of [true, false])
      expect(() => sqliteStore(path, { readonly, key: KEY })).toThrow(failing('journal_not_encrypted'));
  });

  test('has another id in each file', async () => {
    const ids = await Promise.all(
      [await filled(), await filled()].map(async ({ path, store, journal }) => {
        await journal.close();
        await store.close();
        const db = new Database(path, { readonly: true });
        const { key_id: id } = db.prepare('SELECT key_id FROM cipher').get() as { key_id: Buffer };
        db.close();
        return id.toString('hex');
      }),
    );
    expect(new Set(ids).size).toBe(2);
  });
});

describe('what was changed is refused as damaged', () => {
  const changed = async (sql: string) => {
    const { path, store, journal } = await filled();
    await journal.close();
    await store.close();
    const copy = copyOf(path);
    raw(copy, sql);
    return sqliteStore(copy, { key: KEY, readonly: true });
  };

  test('a row that was written without the key, its chain made anew', async () => {
    const { path, store, journal } = await filled();
    await journal.close();
    await store.close();
    const copy = copyOf(path, ['']);
    const db = new Database(copy);
    const { identity } = db.prepare('SELECT identity FROM file').get() as { identity: Buffer };
    const body = Buffer.from('"approved"');
    let before = seed(identity, 1, 'a');
    let link = firstLink(identity);
    const row = db.prepare('UPDATE log SET link = ?, head = ?, body = ? WHERE id = ?');
    for (const { id, group } of [{ id: 1, group: null }, ...logged(db)]) {
      const entries = group === null ? [] : [{ seq: group.last, kind: 1, body }];
      if (group !== null) before = chained(before, group.token, group.time, entries);
      const groups = group === null ? [] : [{ ...group, hash: before, entries }];
      const head = headOf(id, groups);
      link = linked(link, id, head);
      row.run(link, head, bodyOf(groups), id);
    }
    db.close();
    const reader = sqliteStore(copy, { key: KEY, readonly: true });
    expect(() => [...reader.read('a')]).toThrow(/seq 1: the row was not sealed under the key of the file/);
  });

  test('a message that nobody with the key has posted', async () => {
    const store = await changed("UPDATE inbox SET body = CAST('approve' AS BLOB)");
    expect(() => store.posts('a')).toThrow(failing('journal_corrupt'));
  });

  test('a message that was moved to another number', async () => {
    const store = await changed('INSERT INTO inbox SELECT run, 2, time, body FROM inbox');
    expect(() => store.posts('a')).toThrow(failing('journal_corrupt'));
  });

  test('an id of the key that is none', async () => {
    await expect(changed("UPDATE cipher SET key_id = CAST('x' AS BLOB)")).rejects.toMatchObject({
      code: 'journal_corrupt',
    });
  });
});
