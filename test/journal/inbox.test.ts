/** Messages between processes over one file. The rest is in the contract. */
import Database from 'better-sqlite3';
import { afterEach, describe, expect, test } from 'vitest';
import { sqliteStore } from '../../src/journal/sqlite/store.ts';
import { bytesOf, freshPath } from './files.ts';
import { type Other, startOther } from './other-process.ts';
import { bodies, failing, row } from './rows-of.ts';

const others: Other[] = [];
function other(): Other {
  const started = startOther();
  others.push(started);
  return started;
}
afterEach(async () => {
  for (const each of others.splice(0)) await each.end();
});

const texts = (posts: readonly { readonly body: string }[]) => posts.map(({ body }) => body);

function raw(path: string, sql: string): void {
  const db = new Database(path);
  db.exec(sql);
  db.close();
}

async function filled(path: string): Promise<void> {
  const store = sqliteStore(path);
  const journal = await store.open('a', 'create');
  journal.append([row('first'), row('second')]);
  await journal.close();
  await store.close();
}

describe('another process', () => {
  test('posts while the lease is held: the writer hears it, keeps its lease, and goes on', async () => {
    const path = freshPath();
    const store = sqliteStore(path);
    const journal = await store.open('a', 'create');
    const poster = other();
    await poster.ask({ do: 'store', path });
    journal.append([row(1)]);
    expect(await poster.ask({ do: 'post', run: 'a', body: 'approve' })).toEqual({ ok: 1 });
    expect(texts(journal.posted(0))).toEqual(['approve']);
    expect([await journal.flush(), store.post('a', 'from here')]).toEqual([1, 2]);
    expect(await poster.ask({ do: 'post', run: 'a', body: 'again' })).toEqual({ ok: 3 });
    expect(texts(journal.posted(1))).toEqual(['from here', 'again']);
    expect(await poster.ask({ do: 'open', run: 'a', mode: 'resume' })).toMatchObject({ code: 'lease_held' });
    expect(bodies(journal.read())).toEqual([1]);
    await journal.close();
    await store.close();
  });

  test('that is killed right after its post has left it', async () => {
    const path = freshPath();
    await filled(path);
    const poster = other();
    await poster.askAll({ do: 'store', path }, { do: 'post', run: 'a', body: 'approve' });
    await poster.end('SIGKILL');
    const store = sqliteStore(path);
    const journal = await store.open('a', 'resume');
    expect([texts(journal.posted(0)), bodies(journal.read())]).toEqual([['approve'], ['first', 'second']]);
    await journal.close();
    await store.close();
  });

  test('and another one number their posts without a gap, and none is lost', async () => {
    const path = freshPath();
    await filled(path);
    const posters = [other(), other()];
    for (const each of posters) await each.ask({ do: 'store', path });
    const numbers = await Promise.all(
      posters.map(async (each, poster) => {
        const got: unknown[] = [];
        for (let n = 0; n < 20; n += 1) got.push((await each.ask({ do: 'post', run: 'a', body: `${poster}.${n}` })).ok);
        return got;
      }),
    );
    const all = Array.from({ length: 40 }, (_, index) => index + 1);
    expect(numbers.flat().sort((a, b) => Number(a) - Number(b))).toEqual(all);
    const posts = sqliteStore(path, { readonly: true }).posts('a');
    expect(posts.map(({ number }) => number)).toEqual(all);
    numbers.forEach((own, poster) => {
      own.forEach((number, n) => {
        expect(posts[Number(number) - 1]?.body).toBe(`${poster}.${n}`);
      });
    });
  });
});

describe('a reader', () => {
  test('sees the messages beside a writer and after it, and posts none', async () => {
    const path = freshPath();
    await filled(path);
    const reader = sqliteStore(path, { readonly: true });
    expect(reader.posts('a')).toEqual([]);
    const writer = sqliteStore(path, { now: () => 1_000 });
    writer.post('a', 'approve');
    const posts = [{ number: 1, time: 1_000, body: 'approve' }];
    expect(reader.posts('a')).toEqual(posts);
    await writer.close();
    const before = bytesOf(path);
    expect(reader.posts('a')).toEqual(posts);
    expect(() => reader.post('a', 'x')).toThrow(failing('journal_cannot_write'));
    expect(() => reader.posts('b')).toThrow(failing('run_unknown'));
    expect(bytesOf(path)).toEqual(before);
  });
});

test.each([
  ['is gone', 'DELETE FROM inbox WHERE number = 1'],
  ['has another number', 'UPDATE inbox SET number = 7 WHERE number = 2'],
])('a message that %s is found out, and the rows are read on', async (_name, sql) => {
  const path = freshPath();
  await filled(path);
  const store = sqliteStore(path);
  for (const body of ['one', 'two']) store.post('a', body);
  await store.close();
  raw(path, sql);
  const reader = sqliteStore(path, { readonly: true });
  expect(() => reader.posts('a')).toThrow(failing('journal_corrupt'));
  expect(bodies(reader.read('a'))).toEqual(['first', 'second']);
});
