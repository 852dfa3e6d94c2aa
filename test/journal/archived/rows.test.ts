/** Rows before a base are archived beside the file, and read as before; without their files the run goes on (J8). */
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { SEGMENT } from '../../../src/journal/sqlite/log/segments.ts';
import { sqliteStore } from '../../../src/journal/sqlite/store.ts';
import { freshPath } from '../files.ts';
import { failing, row } from '../rows-of.ts';
import { archive, based, filesIn, folderOf, longRun, reading, rowsIn, wholeCopy } from './journals.ts';

type Long = Awaited<ReturnType<typeof longRun>>;

describe('the rows of a run that a base has come to', () => {
  let whole: Long;
  let archived: Long & { readonly upTo: number };

  beforeAll(async () => {
    whole = await longRun();
    const path = wholeCopy(whole.path);
    archived = { ...whole, path, upTo: await archive(path, 'a', whole.at) };
  });

  test('go out up to a segment of the index before the newest one, and are read as they were', () => {
    const { path, a, b, upTo } = archived;
    expect(upTo).toBeGreaterThan(3 * SEGMENT - 10);
    expect(upTo).toBeLessThan(4 * SEGMENT);
    expect(reading(path, (store) => [rowsIn(store, 'a'), rowsIn(store, 'b')])).toEqual([a, b]);
    expect(filesIn(path).at(-1)).toMatch(new RegExp(`-${upTo}\\.rows$`));
  });

  test('leave the file, which gets shorter', async () => {
    const { path, a } = archived;
    const copy = wholeCopy(path);
    const text = a[500]?.body as string;
    expect(readFileSync(whole.path).includes(text)).toBe(true);
    expect(readFileSync(copy).includes(text)).toBe(false);
    const store = sqliteStore(copy);
    expect(store.shrink?.()).toBeGreaterThan(0.2 * statSync(whole.path).size);
    expect(rowsIn(store, 'a')).toEqual(a);
    await store.close();
  });

  test('do not come between: the run goes on, makes its next base, and more of it is archived', async () => {
    const copy = wholeCopy(archived.path);
    const at = await based(copy, 'a', 2 * SEGMENT + 10);
    const upTo = await archive(copy, 'a', at);
    expect(upTo).toBeGreaterThan(archived.upTo + SEGMENT);
    const store = sqliteStore(copy);
    const rows = rowsIn(store, 'a');
    expect([rows.slice(0, archived.a.length), rows.map(({ seq }) => seq)]).toEqual([
      archived.a,
      rows.map((_, index) => index + 1),
    ]);
    const journal = await store.open('a', 'resume');
    for (const after of [0, 1, 700, archived.upTo - 1, archived.upTo, archived.upTo + 1, upTo, upTo + 1, at])
      expect([after, [...journal.read(after)].length]).toEqual([after, journal.head - after]);
    await journal.close();
    await store.close();
  });

  test('are not needed by a run that goes on, nor by what else is in the file', async () => {
    const copy = wholeCopy(archived.path);
    rmSync(folderOf(copy), { recursive: true });
    const store = sqliteStore(copy);
    expect(store.runs().map(({ run, head }) => [run, head])).toEqual([
      ['a', archived.a.length],
      ['b', archived.b.length],
    ]);
    expect(() => rowsIn(store, 'a')).toThrow(failing('rows_archived'));
    expect(() => rowsIn(store, 'a')).toThrow(/rows 1 to \d+ of run "a" were archived, and .*-rows.*is not there/);
    expect(rowsIn(store, 'b')).toEqual(archived.b);
    const journal = await store.open('a', 'resume');
    const base = journal.base();
    expect(base?.at).toBe(archived.at);
    expect([...journal.read(archived.upTo)].length).toBe(archived.a.length - archived.upTo);
    journal.append([row('goes on')]);
    expect([...journal.read(archived.at)].map(({ body }) => body)).toEqual(['"goes on"']);
    journal.keep({ at: journal.head, parts: [Buffer.from('next')] });
    await journal.close();
    expect(store.base('a')?.at).toBe(archived.a.length + 1);
    await store.close();
  });

  test('are read in the middle of a reading while another process archives them', async () => {
    const copy = wholeCopy(whole.path);
    const [reader, writer] = [sqliteStore(copy, { readonly: true }), sqliteStore(copy)];
    const journal = await writer.open('b', 'resume');
    const [own, others] = [writer.read('a')[Symbol.iterator](), reader.read('a')[Symbol.iterator]()];
    const seen = [own, others].map((rows) => Array.from({ length: 200 }, () => rows.next().value));
    expect(await archive(copy, 'a', whole.at)).toBe(archived.upTo);
    for (const [index, rows] of [own, others].entries())
      for (let next = rows.next(); next.done !== true; next = rows.next()) seen[index]?.push(next.value);
    expect(seen[0]).toEqual(whole.a);
    expect(seen[1]).toEqual(whole.a);
    journal.append([row('beside')]);
    await journal.close();
    expect(rowsIn(writer, 'b').length).toBe(whole.b.length + 1);
    await writer.close();
    await reader.close();
  });

  test('stay where they are in a process that was killed before the log let go of them, and go out again', async () => {
    const copy = wholeCopy(whole.path);
    mkdirSync(folderOf(copy));
    for (const name of filesIn(archived.path)) writeFileSync(`${folderOf(copy)}/${name}`, 'half of it');
    writeFileSync(`${folderOf(copy)}/.1.1-2.rows.7.part`, 'half of it');
    expect(reading(copy, (store) => rowsIn(store, 'a'))).toEqual(whole.a);
    expect(await archive(copy, 'a', whole.at)).toBe(archived.upTo);
    expect(reading(copy, (store) => rowsIn(store, 'a'))).toEqual(whole.a);
  });

  test('go with their run when it is deleted, and its name begins another one', async () => {
    const copy = wholeCopy(archived.path);
    const store = sqliteStore(copy);
    expect(store.delete('b', { head: archived.b.length, posts: 0 })).toBe(true);
    expect(rowsIn(store, 'a')).toEqual(archived.a);
    expect(store.delete('a', { head: archived.a.length, posts: 0 })).toBe(true);
    expect(filesIn(copy)).toEqual([]);
    await (await store.open('a', 'create')).close();
    expect(rowsIn(store, 'a')).toEqual([]);
    await store.close();
  });
});

describe('nothing is archived', () => {
  test('where the run has no base, or an older one than was looked at', async () => {
    const { path, at } = await longRun(3);
    const store = sqliteStore(path);
    expect(store.archive?.couldReach('b', 1)).toBe(0);
    expect(store.archive?.couldReach('a', at + 1)).toBe(0);
    expect(store.archive?.couldReach('a', at)).toBeGreaterThan(0);
    expect(store.archive?.couldReach('a', 20)).toBe(0);
    expect(() => store.archive?.upTo('typo')).toThrow(failing('run_unknown'));
    await store.close();
    expect(await archive(path, 'a', 20)).toBe(0);
    expect(existsSync(folderOf(path))).toBe(false);
  });

  test('by a store that only reads, nor where the folder cannot be made', async () => {
    const { path, at, a } = await longRun(3);
    const reader = sqliteStore(path, { readonly: true });
    const row = reader.archive?.couldReach('a', at) as number;
    expect([row > SEGMENT, reader.archive?.upTo('a'), reader.archive?.folder]).toEqual([true, 0, folderOf(path)]);
    expect(() => reader.archive?.moveUpTo('a', row)).toThrow(failing('journal_cannot_write'));
    await reader.close();
    writeFileSync(folderOf(path), 'a file');
    await expect(archive(path, 'a', at)).rejects.toThrow(failing('journal_cannot_write'));
    rmSync(folderOf(path));
    expect(reading(path, (store) => rowsIn(store, 'a'))).toEqual(a);
  });
});

test('archived rows of an encrypted file are sealed, and only their owner may read them', async () => {
  const [path, key] = [freshPath(), randomBytes(32)];
  const store = sqliteStore(path, { key });
  const journal = await store.open('a', 'create');
  for (let n = 0; n < 3 * SEGMENT; n += 1) {
    journal.append([row({ secret: 'card 4111 1111 1111 1111' })]);
    await journal.flush();
  }
  journal.keep({ at: journal.head, parts: [Buffer.from('state')] });
  await journal.flush();
  const rows = rowsIn(store, 'a');
  store.archive?.moveUpTo('a', store.archive.couldReach('a', journal.head));
  expect(store.archive?.upTo('a')).toBeGreaterThan(SEGMENT);
  expect(rowsIn(store, 'a')).toEqual(rows);
  await journal.close();
  await store.close();
  for (const name of filesIn(path)) {
    const file = `${folderOf(path)}/${name}`;
    expect([readFileSync(file).includes('4111'), statSync(file).mode & 0o777]).toEqual([false, 0o600]);
  }
  expect(statSync(folderOf(path)).mode & 0o777).toBe(0o700);
});
