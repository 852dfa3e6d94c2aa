/** A journal is for its owner alone, and is where its path says, or nothing more is told to be durable. */
import { chmodSync, readdirSync, renameSync, statSync, unlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { sqliteStore } from '../../src/journal/sqlite/store.ts';
import { attach } from '../../src/xstate/attach.ts';
import { calm, until } from '../poll.ts';
import { Line } from '../sidecar/stations.ts';
import { freshPath } from './files.ts';
import { row } from './rows-of.ts';

function modesBeside(path: string): [string, string][] {
  const folder = dirname(path);
  return readdirSync(folder)
    .sort()
    .map((name) => [name, (statSync(join(folder, name)).mode & 0o777).toString(8)]);
}

test('every file of a new journal is for its owner alone', async () => {
  const path = freshPath();
  const before = process.umask(0);
  try {
    const store = sqliteStore(path);
    const journal = await store.open('a', 'create');
    journal.append([row('first')]);
    await journal.flush();
    expect(modesBeside(path)).toEqual([
      ['journal.db', '600'],
      ['journal.db-anchor', '600'],
      ['journal.db-shm', '600'],
      ['journal.db-wal', '600'],
    ]);
    await journal.close();
    await store.close();
  } finally {
    process.umask(before);
  }
});

test('a journal that its owner shares stays shared', async () => {
  const path = freshPath();
  await sqliteStore(path).close();
  chmodSync(path, 0o660);
  const store = sqliteStore(path);
  await (await store.open('a', 'create')).close();
  expect(statSync(path).mode & 0o777).toBe(0o660);
  await store.close();
});

describe('a journal whose file is', () => {
  test.each<[string, (path: string) => void]>([
    ['removed', (path) => unlinkSync(path)],
    [
      'removed with its log',
      (path) =>
        ['', '-wal', '-shm'].forEach((suffix) => {
          unlinkSync(path + suffix);
        }),
    ],
    ['left without its log', (path) => unlinkSync(`${path}-wal`)],
    ['moved away', (path) => renameSync(path, `${path}.old`)],
  ])('%s while it is open says so at the next commit', async (_, lose) => {
    const path = freshPath();
    const store = sqliteStore(path);
    const journal = await store.open('a', 'create');
    journal.append([row('first')]);
    await journal.flush();
    lose(path);
    journal.append([row('second')]);
    await expect(journal.flush()).rejects.toMatchObject({ code: 'journal_gone' });
    expect(() => journal.append([row('third')])).toThrow(expect.objectContaining({ code: 'journal_gone' }));
    await journal.close().catch(() => {});
    await store.close().catch(() => {});
  });

  test('replaced by that of another run is not written to, and the other stays whole', async () => {
    const [path, another] = [freshPath(), freshPath()];
    const store = sqliteStore(path);
    const journal = await store.open('a', 'create');
    journal.append([row('first')]);
    await journal.flush();
    const other = sqliteStore(another);
    const kept = await other.open('b', 'create');
    kept.append([row('kept')]);
    await kept.close();
    await other.close();
    for (const suffix of ['', '-anchor']) renameSync(another + suffix, path + suffix);
    for (const suffix of ['-wal', '-shm']) unlinkSync(path + suffix);
    journal.append([row('second')]);
    await expect(journal.flush()).rejects.toMatchObject({ code: 'journal_gone' });
    await journal.close().catch(() => {});
    await store.close().catch(() => {});
    const read = sqliteStore(path, { readonly: true });
    expect(read.runs().map(({ run, head }) => [run, head])).toEqual([['b', 1]]);
    await read.close();
  });

  test('gone lets no call of the run leave any more', async () => {
    const path = freshPath();
    const journal = sqliteStore(path);
    const line = new Line([{ name: 'a' }, { name: 'pay', tool: 'effect: irreversible' }], {
      a: () => {
        unlinkSync(path);
        return 'a';
      },
    });
    const sidecar = await attach(line.machine as never, line.options({ journal }));
    sidecar.actor.start();
    sidecar.actor.send({ type: 'go' } as never);
    await until(() => line.called('a') === 1);
    await calm(100);
    expect([line.called('a'), line.called('pay')]).toEqual([1, 0]);
    await expect(sidecar.durable()).rejects.toMatchObject({ code: 'journal_gone' });
    await sidecar.close().catch(() => {});
    await journal.close().catch(() => {});
  });
});
