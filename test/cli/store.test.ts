/** `--store` and `BELAY_STORE`: the verbs on a database instead of a file. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { calledPlace, withoutPackage } from '../../src/cli/reading/place.ts';
import { postgresStore } from '../../src/journal/postgres/store.ts';
import { workClient } from '../../src/workers/client.ts';
import { startServer } from '../postgres-server.ts';
import { Desk } from './agents.ts';
import { belay } from './belay.ts';

const server = await startServer();

describe.skipIf(server === null)('a store in PostgreSQL at the terminal', () => {
  if (server === null) return void test.skip('needs a server');
  const desk = new Desk();
  const schema = `cli_${process.pid}`;
  const address = `${server.address()}?schema=${schema}`;
  const shown = calledPlace(address);
  const said: string[] = [];
  const ask = async (args: readonly string[], env: NodeJS.ProcessEnv = { BELAY_STORE: address }) => {
    const ran = await belay(args, '', env, desk.folder);
    said.push(ran.out, ran.err);
    return ran;
  };
  afterAll(async () => {
    desk.clear();
    if (!server.own) await server.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
    await server.stop();
  });

  test('is not made by a verb that reads, and is by the one that makes it', async () => {
    const none = await ask(['runs']);
    expect([none.code, none.err]).toEqual([
      2,
      expect.stringMatching(/has no tables of Belay\. Run: belay store migrate/),
    ]);
    const made = await ask(['store', 'migrate']);
    expect([made.code, made.out]).toEqual([0, `${shown} is ready\n`]);
    expect(await ask(['runs'])).toMatchObject({ code: 0, out: 'no runs yet\n' });
  });

  test('runs an agent with a failure in it, and tells of it as a file does', async () => {
    const lost = ['--fail-at', 'pay', '--when', 'after', '--signal', 'TIMEOUT'];
    const ran = await ask(['run', 'order', ...lost]);
    expect([ran.code, ran.out]).toEqual([0, expect.stringMatching(/payments +1\n/)]);
    expect(ran.out).toMatch(/\nbelay show order-1\n/);
    const waits = await ask(['run', 'desk']);
    expect([waits.code, waits.out]).toEqual([1, expect.stringMatching(/^desk-1: at rest, in the state open/)]);
    const runs = (await ask(['runs', '--json'])).out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(runs.map(({ run, held }) => [run, held])).toEqual([
      ['order-1', false],
      ['desk-1', false],
    ]);
    expect(await ask(['show', 'order-1'])).toMatchObject({ code: 0, err: '' });
    expect(await ask(['verify', address], {})).toMatchObject({ code: 0 });
    expect(existsSync(join(desk.folder, 'belay.sqlite'))).toBe(false);
    const other = await ask(['show', 'order-2', '--store', address], {});
    expect([other.code, other.err]).toEqual([2, expect.stringMatching(/run_unknown .*order-1/)]);
  });

  test('is the same place for a program that is given the same address', async () => {
    const store = postgresStore(address);
    await workClient(store).start({ run: 'left-by-a-program', agent: 'order' });
    await store.close();
    expect((await ask(['runs'])).out).toMatch(/left-by-a-program +at rest +a process to take it up/);
    expect((await ask(['runs', '--json'])).out).toMatch(/"run":"left-by-a-program","agent":null,"head":0,"time":null/);
    const broken = await ask(['runs', '--store', `${address}&schema=other`], {});
    expect([broken.code, broken.err]).toEqual([2, expect.stringMatching(/journal_cannot_read.*name two schemas/)]);
  });

  test('shows its password nowhere', async () => {
    const wrong = address.replace('/postgres?', '/nowhere?');
    expect((await ask(['runs', '--store', wrong], {})).err).toMatch(/journal_cannot_read.*3D000/);
    expect(said.length).toBeGreaterThan(15);
    for (const each of said) expect(each).not.toMatch(/s3cret/);
  });
});

test.each([
  ['postgres://u:pw@h/d', 'postgres://u@h/d'],
  ['postgresql://u:p@w/o?r#d@h:5/d?sslmode=require', 'postgresql://u@h:5/d?sslmode=require'],
  ['POSTGRES://u/x:pw@h/d', 'POSTGRES://u/x@h/d'],
  ['postgres://h:5432/d?user=u&password=pw', 'postgres://h:5432/d?user=u&password=***'],
  ['postgres://h/d', 'postgres://h/d'],
  ['belay.sqlite', 'belay.sqlite'],
])('%s is called %s', (place, called) => {
  expect(calledPlace(place)).toBe(called);
});

test('a machine without the package pg says how to install it, and other errors stay what they are', () => {
  const absent = Object.assign(new Error("Cannot find package 'pg' imported from database.js"), {
    code: 'ERR_MODULE_NOT_FOUND',
  });
  expect(() => withoutPackage(absent)).toThrow(/npm install pg/);
  const other = Object.assign(new Error("Cannot find package 'qs'"), { code: 'ERR_MODULE_NOT_FOUND' });
  expect(() => withoutPackage(other)).toThrow(other);
});

test('one place is named, not two', async () => {
  const { code, err } = await belay(['runs', '--store', 'a.sqlite', '--journal', 'b.sqlite']);
  expect([code, err]).toEqual([2, expect.stringContaining('--store and --journal name the same thing')]);
});
