/** Writers of one run in several processes: killed, stopped, cut off from the server, and a server that is killed. */
import { afterEach, describe, expect, test } from 'vitest';
import { startServer } from '../../postgres-server.ts';
import { type Other, startOther } from '../other-process.ts';
import { failing, refused, row, told } from '../rows-of.ts';
import { deskOf, until } from './desk.ts';
import { CUTS, type CuttingProxy, proxyTo } from './proxy.ts';

const server = await startServer();
const HOUR = 3_600_000;

describe.skipIf(server === null)('writers of a run', () => {
  if (server === null) return void test.skip('needs a server');
  const desk = deskOf(server);
  const others: Other[] = [];
  const proxies: CuttingProxy[] = [];
  const other = () => {
    others.push(startOther());
    return others.at(-1) as Other;
  };
  const proxied = async (statement: RegExp) => {
    proxies.push(await proxyTo(server.port, statement));
    return proxies.at(-1) as CuttingProxy;
  };
  afterEach(async () => {
    for (const each of others.splice(0)) await each.end('SIGKILL');
    for (const each of proxies.splice(0)) await each.close();
  });

  test('one that is killed keeps its run until its lease ends, and loses nothing that was acknowledged', async () => {
    const [schema, first] = [desk.schema(), other()];
    const acknowledged: number[] = [];
    await first.askAll(
      { do: 'postgres', options: { address: server.address(), schema, leaseMs: 1_500 } },
      { do: 'open', run: 'a', mode: 'create' },
    );
    for (let each = 1; each <= 5; each += 1) {
      await first.askAll({ do: 'append', bodies: [each] }, { do: 'flush' });
      acknowledged.push(each);
    }
    await first.end('SIGKILL');
    const store = desk.store({ schema });
    await expect(store.open('a', 'resume')).rejects.toThrow(/is held by .* pid \d+\. End it there, or wait/);
    expect(await store.run('a')).toMatchObject({ held: true });
    const journal = await until('lease_held', () => desk.journal(store, 'a', 'resume'));
    expect((await told(journal.read())).slice(0, 5)).toEqual(acknowledged);
    // It ran on this machine, where it is gone: no call of it can leave any more.
    expect(journal.overtaken).toBe(0);
  });

  test.each([
    ['has no form', "process = '{'"],
    ['is of another machine', `process = jsonb_set(process::jsonb, '{host}', '"elsewhere 0b0 pid:[1]"')::text`],
    ['is of an older release, and not named', 'process = NULL'],
    [
      'is of a machine that is known by its name alone',
      `process = jsonb_set(process::jsonb, '{host}', '"desk"')::text`,
    ],
  ])('one that may still live, because its process %s, may still make calls', async (_, is) => {
    const [schema, first] = [desk.schema(), other()];
    await first.askAll(
      { do: 'postgres', options: { address: server.address(), schema, leaseMs: 60_000 } },
      { do: 'open', run: 'a', mode: 'create' },
      { do: 'append', bodies: [1, 2] },
      { do: 'flush' },
    );
    await first.end('SIGKILL');
    await server.query(`UPDATE "${schema}".worker SET ${is}, expires = clock_timestamp() - interval '1 day'`);
    const second = desk.store({ schema });
    const journal = await second.open('a', 'resume');
    expect(journal.overtaken).toBe(2);
    journal.append([row(3)]);
    await journal.close();
    // The one after it is told the same, though the run was given back.
    expect((await desk.journal(desk.store({ schema }), 'a', 'resume')).overtaken).toBe(2);
  });

  test('one that may still live may still make calls, though a person has freed its claims since', async () => {
    const schema = desk.schema();
    const first = await desk.journal(desk.store({ schema }), 'a', 'create');
    first.append([row(1), row(2)]);
    await first.flush();
    await server.query(`UPDATE "${schema}".worker SET expires = clock_timestamp() - interval '1 day'`);
    const second = desk.store({ schema });
    expect(await second.claims.free('a', 2, 'ann')).toEqual([]);
    expect((await desk.journal(second, 'a', 'resume')).overtaken).toBe(2);
  });

  test('one that was stopped past its lease writes nothing more, whatever its clock says', async () => {
    const [schema, zombie] = [desk.schema(), other()];
    await zombie.askAll(
      { do: 'postgres', options: { address: server.address(), schema, leaseMs: 1_500 } },
      { do: 'open', run: 'a', mode: 'create' },
      { do: 'append', bodies: ['first'] },
      { do: 'flush' },
      { do: 'jump', ms: -HOUR },
    );
    process.kill(zombie.pid, 'SIGSTOP');
    const store = desk.store({ schema, now: () => Date.now() + HOUR });
    await refused(() => store.open('a', 'resume'), 'lease_held');
    const journal = await until('lease_held', () => desk.journal(store, 'a', 'resume'));
    expect(journal.overtaken).toBe(1);
    journal.append([row('second')]);
    await journal.flush();
    process.kill(zombie.pid, 'SIGCONT');
    const late = await zombie.ask({ do: 'append', bodies: ['late'] });
    const answer = late.code === undefined ? await zombie.ask({ do: 'flush' }) : late;
    expect(answer).toMatchObject({ code: 'lease_lost' });
    expect(await told(store.read('a'))).toEqual(['first', 'second']);
  });

  test('one of many that come at once takes a run', async () => {
    const schema = desk.schema();
    const stores = Array.from({ length: 6 }, () => desk.store({ schema, connections: 1 }));
    const taken = await Promise.allSettled(stores.map((store) => desk.journal(store, 'a')));
    expect(taken.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const reasons = taken.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
    expect(reasons).toEqual(Array(5).fill(failing('lease_held')));
  });

  test('an append whose connection is cut is in the journal once', async () => {
    const [schema, proxy] = [desk.schema(), await proxied(/\.append\(/)];
    const store = desk.store({ schema, address: server.address(proxy.port) });
    const journal = await desk.journal(store, 'a');
    const expected: string[] = [];
    for (let round = 0; round < 4; round += 1) {
      for (const cut of CUTS) {
        proxy.cut = cut;
        journal.append([row(`${round} ${cut} one`), row(`${round} ${cut} two`)]);
        expected.push(`${round} ${cut} one`, `${round} ${cut} two`);
        expect(await journal.flush()).toBe(expected.length);
      }
    }
    expect(proxy.cuts).toBe(12);
    expect(await told(store.read('a'))).toEqual(expected);
    await desk.close();
  });

  test('a message and a lease whose connection is cut are taken once', async () => {
    const [schema, proxy] = [desk.schema(), await proxied(/\.(post|operate|take)\(/)];
    const store = desk.store({ schema, address: server.address(proxy.port) });
    await store.runs();
    proxy.cut = 'after';
    const journal = await desk.journal(store, 'a', 'create');
    for (const [index, cut] of CUTS.entries()) {
      proxy.cut = cut;
      expect(await store.post('a', cut)).toBe(index + 1);
    }
    expect(proxy.cuts).toBe(4);
    expect(journal.posted(0).map(({ body }) => body)).toEqual([...CUTS]);
    await desk.close();
  });

  test('an append that the network holds back past a takeover is refused', async () => {
    const [schema, proxy] = [desk.schema(), await proxied(/\.append\(/)];
    const late = desk.store({ schema, address: server.address(proxy.port) });
    const journal = await desk.journal(late, 'a');
    journal.append([row('one')]);
    await journal.flush();
    proxy.cut = 'hold';
    journal.append([row('late')]);
    const fate = journal.flush().then(
      () => 'written',
      (error: { code: string }) => error.code,
    );
    await until('lease_held', async () => {
      await server.query(`UPDATE "${schema}".worker SET expires = clock_timestamp() - interval '1 second'`);
      const next = await desk.journal(desk.store({ schema }), 'a', 'resume');
      next.append([row('two')]);
      await next.flush();
    });
    proxy.letGo();
    expect(await fate).toBe('lease_lost');
    expect(await told(desk.store({ schema }).read('a'))).toEqual(['one', 'two']);
    await desk.close();
  });

  test.skipIf(!server.own)('a server that is killed again and again loses nothing that was acknowledged', async () => {
    const schema = desk.schema();
    const store = desk.store({ schema });
    const [a, b] = [await desk.journal(store, 'a'), await desk.journal(store, 'b')];
    let [acknowledged, appended, isOver] = [0, 0, false];
    const writing = (async () => {
      while (!isOver) {
        appended += 1;
        a.append([row(appended)]);
        b.append([row(-appended)]);
        await Promise.all([a.flush(), b.flush()]);
        acknowledged = appended;
      }
    })();
    for (let kills = 0; kills < 3; kills += 1) {
      const before = acknowledged;
      while (acknowledged < before + 5) await new Promise((resolve) => setTimeout(resolve, 10));
      await server.crash();
    }
    isOver = true;
    await writing;
    expect(acknowledged).toBeGreaterThan(15);
    const counted = Array.from({ length: appended }, (_, index) => index + 1);
    expect(await told(store.read('a'))).toEqual(counted);
    expect(await told(store.read('b'))).toEqual(counted.map((each) => -each));
  });
});
