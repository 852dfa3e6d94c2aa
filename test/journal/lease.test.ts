/** One writer per run, with real processes that live, die and sleep. */
import { hostname } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { afterEach, describe, expect, test } from 'vitest';
import { type SqliteOptions, sqliteStore } from '../../src/journal/sqlite/store.ts';
import { until } from '../poll.ts';
import { freshPath, NOBODY, shareWithAll } from './files.ts';
import { type Other, startOther } from './other-process.ts';
import { bodies, failing, row } from './rows-of.ts';

const others: Other[] = [];
function other(...options: Parameters<typeof startOther>): Other {
  const started = startOther(...options);
  others.push(started);
  return started;
}
afterEach(async () => {
  for (const each of others.splice(0)) await each.end();
});

/** What a test does to a lease that no process could do. */
function tamper(path: string, sql: string): void {
  const db = new Database(path);
  db.exec(sql);
  db.close();
}

/** The time at which the lease of a file's only run is over. */
function expiryOf(path: string): number {
  const db = new Database(path, { readonly: true });
  const { expires } = db.prepare('SELECT expires FROM lease').get() as { expires: number };
  db.close();
  return expires;
}

async function withStore<T>(
  path: string,
  options: SqliteOptions,
  use: (store: ReturnType<typeof sqliteStore>) => Promise<T>,
) {
  const store = sqliteStore(path, options);
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}

describe('two processes on one run', () => {
  test('the second is refused while the first lives, reads beside it, and has its turn after it', async () => {
    const path = freshPath();
    const first = other();
    await first.askAll(
      { do: 'store', path },
      { do: 'open', run: 'a', mode: 'create' },
      { do: 'append', bodies: [1] },
      { do: 'flush' },
    );
    await withStore(path, {}, async (store) => {
      const held = store.open('a', 'resume');
      await expect(held).rejects.toEqual(failing('lease_held'));
      await expect(held).rejects.toThrow(new RegExp(`process ${first.pid} on ${hostname()} until .*Z \\(\\d+ s\\)`));
      expect([store.runs()[0]?.held, bodies(store.read('a'))]).toEqual([true, [1]]);
      await first.askAll({ do: 'append', bodies: [2] }, { do: 'flush' });
      expect(bodies(store.read('a'))).toEqual([1, 2]);
      await first.ask({ do: 'close' });
      expect(store.runs()[0]?.held).toBe(false);
      const journal = await store.open('a', 'resume');
      expect(journal.append([row(3)])).toBe(3);
      await journal.close();
    });
    expect(await first.ask({ do: 'read', run: 'a' })).toEqual({ ok: [1, 2, 3] });
  });

  test('each writes its own run into the same file at once', async () => {
    const path = freshPath();
    const [one, two] = [other(), other()];
    await Promise.all(
      [one, two].map(async (each, index) => {
        await each.askAll({ do: 'store', path }, { do: 'open', run: `run ${index}`, mode: 'create' });
        for (let n = 0; n < 30; n += 1) await each.askAll({ do: 'append', bodies: [n] }, { do: 'flush' });
        await each.askAll({ do: 'close' }, { do: 'closeStore' });
      }),
    );
    await withStore(path, {}, async (store) => {
      const expected = Array.from({ length: 30 }, (_, n) => n);
      expect([bodies(store.read('run 0')), bodies(store.read('run 1'))]).toEqual([expected, expected]);
    });
  });

  test('a holder that was killed is followed at once, and what it had durable is there', async () => {
    const path = freshPath();
    const killed = other();
    await killed.askAll(
      { do: 'store', path },
      { do: 'open', run: 'a', mode: 'create' },
      { do: 'append', bodies: [1, 2] },
      { do: 'flush' },
    );
    await killed.end('SIGKILL');
    await withStore(path, {}, async (store) => {
      expect(store.runs()).toMatchObject([{ run: 'a', head: 2, held: false }]);
      const journal = await store.open('a', 'resume');
      expect(bodies(journal.read())).toEqual([1, 2]);
      await journal.close();
    });
  });
});

describe('a holder', () => {
  const held = async (path: string, use: (now: { at: number }) => Promise<void>) => {
    const now = { at: Date.now() };
    await withStore(path, { now: () => now.at }, async (store) => {
      const journal = await store.open('a', 'create');
      await use(now);
      await journal.close();
    });
  };
  const opening = (path: string, now: number) =>
    withStore(path, { now: () => now }, async (store) => (await store.open('a', 'resume')).close());

  test('whose pid went to another process is gone', async () => {
    const path = freshPath();
    await held(path, async (now) => {
      await expect(opening(path, now.at)).rejects.toEqual(failing('lease_held'));
      tamper(path, "UPDATE lease SET started = '1'");
      await opening(path, now.at);
    });
  });

  test('on another host is believed to live until its lease expires', async () => {
    const path = freshPath();
    await held(path, async (now) => {
      tamper(path, "UPDATE lease SET host = 'elsewhere', pid = 2147483646");
      await expect(opening(path, now.at + 29_999)).rejects.toThrow(/process 2147483646 on elsewhere/);
      await opening(path, now.at + 30_000);
    });
  });

  test('of another user lives', async () => {
    const path = freshPath();
    await held(path, async () => {
      // Root may signal anybody; who may not is told EPERM, which says that the process lives.
      shareWithAll(path);
      const stranger = process.getuid?.() === 0 ? other({ as: NOBODY }) : other();
      if (process.getuid?.() !== 0) tamper(path, 'UPDATE lease SET pid = 1, started = NULL');
      await stranger.askAll({ do: 'store', path });
      expect(await stranger.ask({ do: 'open', run: 'a', mode: 'resume' })).toMatchObject({ code: 'lease_held' });
    });
  });

  test.each([
    ['pid', 0],
    ['pid', -1],
    ['expires', 9e15],
    ['token', 0],
    ['host', null],
  ])('whose %s is %d has no form, and the run is not taken', async (column, value) => {
    const path = freshPath();
    await held(path, async () => {});
    tamper(path, `UPDATE lease SET host = 'h', pid = 1, expires = 1; UPDATE lease SET ${column} = ${value}`);
    await expect(opening(path, Date.now())).rejects.toEqual(failing('journal_corrupt'));
  });

  test('whose token is older than the rows is not believed: it would fence nobody off', async () => {
    const path = freshPath();
    await withStore(path, {}, async (store) => {
      const journal = await store.open('a', 'create');
      journal.append([row(1)]);
      await journal.close();
    });
    tamper(path, 'DELETE FROM lease');
    await expect(opening(path, Date.now())).rejects.toEqual(failing('journal_corrupt'));
  });
});

describe('a clock that jumps', () => {
  test('forward: another process takes over, and the first is fenced off with nothing of its written', async () => {
    const path = freshPath();
    const [first, second] = [other(), other()];
    await first.askAll(
      { do: 'store', path },
      { do: 'open', run: 'a', mode: 'create' },
      { do: 'append', bodies: [1] },
      { do: 'flush' },
    );
    await second.askAll({ do: 'store', path });
    expect(await second.ask({ do: 'open', run: 'a', mode: 'resume' })).toMatchObject({ code: 'lease_held' });
    expect(
      await second.askAll(
        { do: 'jump', ms: 31_000 },
        { do: 'open', run: 'a', mode: 'resume' },
        { do: 'append', bodies: ['second'] },
        { do: 'flush' },
      ),
    ).toEqual({ ok: 2 });
    await first.ask({ do: 'append', bodies: ['first'] });
    expect(await first.ask({ do: 'flush' })).toMatchObject({ code: 'lease_lost' });
    expect(await first.ask({ do: 'append', bodies: ['again'] })).toMatchObject({ code: 'lease_lost' });
    expect(await first.ask({ do: 'close' })).toMatchObject({ code: 'lease_lost' });
    expect(await second.askAll({ do: 'append', bodies: ['more'] }, { do: 'flush' })).toEqual({ ok: 3 });
    expect(await second.ask({ do: 'read', run: 'a' })).toEqual({ ok: [1, 'second', 'more'] });
  });

  test('forward, and nobody else wants the run: the holder goes on', async () => {
    const now = { at: 1_000 };
    await withStore(freshPath(), { now: () => now.at }, async (store) => {
      const journal = await store.open('a', 'create');
      now.at += 1e9;
      journal.append([row(1)]);
      expect(await journal.flush()).toBe(1);
      await journal.close();
    });
  });

  test('backward: nobody loses anything, and the time of rows does not go back', async () => {
    const path = freshPath();
    const first = other();
    await first.askAll(
      { do: 'store', path },
      { do: 'open', run: 'a', mode: 'create' },
      { do: 'append', bodies: [1] },
      { do: 'flush' },
      { do: 'jump', ms: -3_600_000 },
      { do: 'append', bodies: [2] },
      { do: 'flush' },
    );
    await withStore(path, {}, async (store) => {
      const rows = [...store.read('a')];
      expect(rows.map(({ body }) => body)).toEqual(['1', '2']);
      expect(rows[1]?.time).toBe(rows[0]?.time);
    });
    expect(await first.askAll({ do: 'append', bodies: [3] }, { do: 'flush' })).toEqual({ ok: 3 });
  });
});

test('a holder that slept through its lease is fenced off when it wakes', async () => {
  const path = freshPath();
  const sleeper = other();
  const options = { leaseMs: 300 };
  await sleeper.askAll({ do: 'store', path, options }, { do: 'open', run: 'a', mode: 'create' });
  await sleeper.askAll({ do: 'append', bodies: ['before'] }, { do: 'flush' });
  process.kill(sleeper.pid, 'SIGSTOP');
  await pause(600);
  await withStore(path, options, async (store) => {
    const journal = await store.open('a', 'resume');
    journal.append([row('taken over')]);
    await journal.flush();
    process.kill(sleeper.pid, 'SIGCONT');
    await sleeper.ask({ do: 'append', bodies: ['late'] });
    expect(await sleeper.ask({ do: 'flush' })).toMatchObject({ code: 'lease_lost' });
    expect(bodies(journal.read())).toEqual(['before', 'taken over']);
    await journal.close();
  });
});

test('a quiet journal keeps its lease', async () => {
  const path = freshPath();
  const quiet = other();
  await quiet.askAll({ do: 'store', path, options: { leaseMs: 1_000 } }, { do: 'open', run: 'a', mode: 'create' });
  // It has renewed its lease where that lasts longer than it did at first.
  const first = expiryOf(path);
  await until(() => expiryOf(path) > first + 1_000);
  await withStore(path, { leaseMs: 1_000 }, async (store) => {
    await expect(store.open('a', 'resume')).rejects.toEqual(failing('lease_held'));
  });
  expect(await quiet.askAll({ do: 'append', bodies: [1] }, { do: 'flush' })).toEqual({ ok: 1 });
});

test('a quiet journal that is taken over learns it without a commit', async () => {
  const path = freshPath();
  await withStore(path, { leaseMs: 200 }, async (store) => {
    const journal = await store.open('a', 'create');
    tamper(path, 'UPDATE lease SET token = token + 1, expires = 0');
    const appends = () => {
      try {
        return journal.append([row(1)]);
      } catch {
        return 'refused';
      }
    };
    await until(() => appends() === 'refused');
    expect(() => journal.append([row(1)])).toThrow(failing('lease_lost'));
    await expect(journal.close()).rejects.toEqual(failing('lease_lost'));
  });
});

test('the loss of one lease does not fail the other journals of the transaction', async () => {
  const path = freshPath();
  await withStore(path, {}, async (store) => {
    const [a, b] = [await store.open('a', 'create'), await store.open('b', 'create')];
    tamper(path, 'UPDATE lease SET token = token + 1 WHERE run = 1');
    for (const journal of [a, b]) journal.append([row(journal.run)]);
    const [lost, kept] = await Promise.allSettled([a.flush(), b.flush()]);
    expect(lost).toMatchObject({ status: 'rejected', reason: { code: 'lease_lost' } });
    expect(kept).toEqual({ status: 'fulfilled', value: 1 });
    expect([bodies(store.read('a')), bodies(store.read('b'))]).toEqual([[], ['b']]);
    await expect(a.close()).rejects.toEqual(failing('lease_lost'));
    await b.close();
  });
});

test('the token grows with every taking, and closing does not lower it', async () => {
  const path = freshPath();
  const tokens: unknown[] = [];
  for (let n = 0; n < 3; n += 1) {
    await withStore(path, {}, async (store) => (await store.open('a', 'either')).close());
    const db = new Database(path, { readonly: true });
    tokens.push(db.prepare('SELECT token, host, pid, expires FROM lease').get());
    db.close();
  }
  expect(tokens).toEqual([1, 2, 3].map((token) => ({ token, host: null, pid: null, expires: 0 })));
});
