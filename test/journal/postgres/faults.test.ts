/** What a store in PostgreSQL refuses: schemas that are not its own, what was changed under it, servers that lose, addresses that lead nowhere. */
import pg from 'pg';
import { describe, expect, test, vi } from 'vitest';
import { MIGRATIONS } from '../../../src/journal/postgres/schema.ts';
import { type PostgresPool, postgresStore } from '../../../src/journal/postgres/store.ts';
import { PASSWORD, startServer } from '../../postgres-server.ts';
import { all, failing, refused, row, told } from '../rows-of.ts';
import { deskOf } from './desk.ts';

const server = await startServer();

describe.skipIf(server === null)('a store in PostgreSQL', () => {
  if (server === null) return void test.skip('needs a server');
  const desk = deskOf(server);
  const change = (schema: string, text: string) => server.query(text.replaceAll('belay.', `"${schema}".`));

  test.each([
    ['a body that was changed', "UPDATE belay.entry SET body = '5' WHERE seq = 2"],
    ['a kind that was changed', 'UPDATE belay.entry SET kind = 2 WHERE seq = 1'],
    ['a row with another number', 'UPDATE belay.entry SET seq = 9 WHERE seq = 3'],
    ['a row that is missing', 'DELETE FROM belay.entry WHERE seq = 4'],
    ['a row too many', "INSERT INTO belay.entry SELECT run, 5, 1, '5' FROM belay.entry WHERE seq = 4"],
    ['a group with another time', 'UPDATE belay.commit_group SET time = time + 1 WHERE last = 2'],
    ['a group with another fence', 'UPDATE belay.commit_group SET token = 7 WHERE last = 3'],
    ['a group that is missing', 'DELETE FROM belay.commit_group WHERE last = 3'],
    ['a head that was set back', 'UPDATE belay.run SET head = 3'],
    ['a head with another hash', "UPDATE belay.run SET hash = sha256('x')"],
    ['a head without a hash', "UPDATE belay.run SET hash = ''"],
    ['a run of another store', 'UPDATE belay.store SET identity = uuid_send(gen_random_uuid())'],
    ['a message that is missing', 'UPDATE belay.inbox SET number = 2'],
  ])('finds out %s', async (what, text) => {
    const { schema, store, journal } = await desk.written();
    await store.post('a', 'yes');
    await journal.close();
    await change(schema, text);
    const late = desk.store({ schema });
    await refused(
      () => (what === 'a message that is missing' ? late.posts('a') : all(late.read('a'))),
      'journal_corrupt',
    );
  });

  test('does not append to a run whose end was changed', async () => {
    const { schema, journal } = await desk.written();
    await journal.close();
    await change(schema, "UPDATE belay.entry SET body = '5' WHERE seq = 4");
    const late = desk.store({ schema });
    await refused(() => late.open('a', 'resume'), 'journal_corrupt');
    expect(await late.run('a')).toMatchObject({ head: 4, held: false });
  });

  test('refuses a fence of the same number that was granted twice', async () => {
    const { schema, journal } = await desk.written();
    await change(schema, 'UPDATE belay.run SET nonce = gen_random_uuid()');
    journal.append([row(5)]);
    await expect(journal.flush()).rejects.toEqual(failing('lease_lost'));
    expect(await told(desk.store({ schema }).read('a'))).toEqual([1, 2, 3, 4]);
  });

  test('hears of messages that other stores take, and of the loss of its lease, without an append', async () => {
    const schema = desk.schema();
    const journal = await desk.journal(desk.store({ schema, pollMs: 20 }), 'a', 'create');
    const other = desk.store({ schema });
    expect([await other.post('a', 'one'), await other.post('a', 'two')]).toEqual([1, 2]);
    await expect.poll(() => journal.posted(0).map(({ body }) => body)).toEqual(['one', 'two']);
    await change(schema, 'UPDATE belay.run SET token = token + 1');
    await expect.poll(() => caught(() => journal.append([row(1)]))).toBe('lease_lost');
  });

  test('refuses a schema of another format, and tables that are not its own', async () => {
    const [newer, foreign, other] = [desk.schema(), desk.schema(), desk.schema()];
    await desk.store({ schema: newer }).runs();
    await change(newer, 'UPDATE belay.store SET format = 99');
    await refused(() => desk.store({ schema: newer }).runs(), 'journal_not_ours');
    await expect((async () => desk.store({ schema: newer }).runs())()).rejects.toThrow(/tables of format 99/);
    await server.query(`CREATE SCHEMA "${foreign}"; CREATE TABLE "${foreign}".store (shelf text)`);
    await refused(() => desk.store({ schema: foreign }).runs(), 'journal_not_ours');
    await server.query(`CREATE SCHEMA "${other}"; CREATE TABLE "${other}".run (distance int)`);
    await refused(() => desk.store({ schema: other }).runs(), 'journal_not_ours');
    const tables = `SELECT table_name FROM information_schema.tables WHERE table_schema = '${other}'`;
    expect((await server.query(tables)).rows).toEqual([{ table_name: 'run' }]);
  });

  test('makes its tables once where many come at once, and not at all where it may not', async () => {
    const [schema, none] = [desk.schema(), desk.schema()];
    const stores = Array.from({ length: 6 }, () => desk.store({ schema, connections: 1 }));
    expect(await Promise.all(stores.map((store) => store.runs()))).toEqual(Array(6).fill([]));
    const refusing = desk.store({ schema: none, migrate: false });
    await expect((async () => refusing.runs())()).rejects.toThrow(/has no tables of Belay. Run: belay store migrate/);
  });

  test('moves a store of an older format forward, where it may, and its runs and messages stay', async () => {
    const schema = desk.schema();
    const zero = { to: 0, sql: `${MIGRATIONS[0]?.sql} CREATE TABLE belay.extra (name text);` };
    const migrations = [zero, { to: 1, sql: 'INSERT INTO belay.extra SELECT name FROM belay.run;' }];
    const old = desk.store({ schema, migrations: [zero] });
    const journal = await desk.journal(old, 'a', 'create');
    journal.append([row(1)]);
    await journal.close();
    await old.post('a', 'still heard');
    await old.close();
    await refused(() => desk.store({ schema }).runs(), 'journal_not_ours');
    const refusing = desk.store({ schema, migrations, migrate: false });
    await expect((async () => refusing.runs())()).rejects.toThrow(/has tables of format 0\. Run: belay store migrate/);
    const stores = Array.from({ length: 6 }, () => desk.store({ schema, migrations, connections: 1 }));
    expect(await Promise.all(stores.map((store) => told(store.read('a'))))).toEqual(Array(6).fill([1]));
    const present = desk.store({ schema });
    expect((await present.posts('a')).map(({ body }) => body)).toEqual(['still heard']);
    expect((await server.query(`SELECT name FROM "${schema}".extra`)).rows).toEqual([{ name: 'a' }]);
  });

  test('says that its schema is gone', async () => {
    const { schema, store, journal } = await desk.written();
    await server.query(`DROP SCHEMA "${schema}" CASCADE`);
    await refused(() => store.runs(), 'journal_gone');
    journal.append([row(5)]);
    await expect(journal.flush()).rejects.toEqual(failing('journal_gone'));
  });

  test('needs no session: each statement may come over another connection, whatever that has set', async () => {
    const connections: pg.Client[] = [];
    const pool: PostgresPool = {
      query: async (text, values) => {
        const client = new pg.Client({ connectionString: server.address() });
        connections.push(client);
        await client.connect();
        try {
          await client.query("SET synchronous_commit = off; SET search_path = pg_catalog; SET TimeZone = 'Asia/Tokyo'");
          return await client.query(text, values);
        } finally {
          await client.end();
        }
      },
      end: () => Promise.reject(new Error('a pool that was given is not closed')),
    };
    const schema = desk.schema();
    const store = desk.store({ schema, pool });
    const journal = await desk.journal(store, 'a', 'create');
    journal.append([row(1)]);
    await journal.flush();
    expect([await store.post('a', 'yes'), journal.posted(0).length, await told(store.read('a'))]).toEqual([1, 1, [1]]);
    expect(connections.length).toBeGreaterThan(8);
  });

  test('waits for a server that is away at the look before a call leaves, as long as for an append', async () => {
    const real = new pg.Pool({ connectionString: server.address() });
    let failures = 0;
    const pool: PostgresPool = {
      query: async (text, values) => {
        if (failures === 0 || !text.includes('unnest($1::bigint[]')) return real.query(text, values);
        failures -= 1;
        throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
      },
      end: () => real.end(),
    };
    const journal = await desk.journal(desk.store({ schema: desk.schema(), pool, pollMs: 600_000 }), 'a', 'create');
    const now = Date.now();
    const clock = vi.spyOn(Date, 'now').mockImplementation(() => now + 3_600_000);
    failures = 8;
    try {
      await journal.confirm();
    } finally {
      clock.mockRestore();
    }
    expect(failures).toBe(0);
    journal.append([row(1)]);
    await journal.flush();
    await desk.close();
    await real.end();
  });

  test('has what it acknowledges on the disk of the server, whatever the session asks for', async () => {
    const schema = desk.schema();
    await desk.store({ schema }).runs();
    const client = new pg.Client({ connectionString: server.address() });
    await client.connect();
    for (const [set, is] of [
      ['off', 'on'],
      ['local', 'on'],
      ['remote_apply', 'remote_apply'],
    ]) {
      await client.query(`SET synchronous_commit = ${set}`);
      await client.query('BEGIN');
      await client.query(`SELECT "${schema}".safely()`);
      expect((await client.query('SHOW synchronous_commit')).rows).toEqual([{ synchronous_commit: is }]);
      await client.query('COMMIT');
    }
    await client.end();
    if (!server.own) return;
    await server.query('ALTER SYSTEM SET fsync = off');
    await server.query('SELECT pg_reload_conf()');
    const opened = async () => (await desk.store({ schema }).open('b', 'create')).close();
    await expect.poll(() => opened().catch(({ message }: Error) => message)).toMatch(/fsync = on/);
    await server.query('ALTER SYSTEM RESET fsync');
    await server.query('SELECT pg_reload_conf()');
  });

  test('shows no password, whatever is wrong with the way to the server', async () => {
    const right = new URL(server.address());
    const address = (differs: Partial<Record<'password' | 'hostname' | 'port' | 'pathname', string>>) =>
      Object.assign(new URL(right.href), differs).href;
    const wrong: [string, RegExp][] = [
      [address({ port: '1' }), /ECONNREFUSED.*Check the network and the server/],
      [address({ hostname: 'no-such-host.invalid' }), /no-such-host\.invalid.*Check the network/],
      [address({ pathname: '/nowhere' }), /"nowhere".*\(3D000\)\. Create the database/],
      ...(server.own
        ? [[address({ password: 'wr0ng' }), /\(28P01\)\. Check the user and the password/] as [string, RegExp]]
        : []),
    ];
    for (const [to, says] of wrong) {
      const failure = await postgresStore({ address: to, connectMs: 3_000 })
        .open('a', 'either')
        .then(
          () => null,
          (error: Error) => error,
        );
      expect(failure).toEqual(failing('journal_cannot_read'));
      expect(failure?.message).toMatch(says);
      expect(everything(failure)).not.toMatch(/s3cret|wr0ng/);
    }
    for (const malformed of ['postgres://u:s3cret@h:99999999/d', `postgres://u:s3cret@[h/d`]) {
      const failure = caughtError(() => postgresStore(malformed));
      expect(failure).toEqual(failing('journal_cannot_read'));
      expect(everything(failure)).not.toContain('s3cret');
    }
    const store = desk.store({ schema: desk.schema() });
    const journal = await desk.journal(store, 'a');
    expect(everything(await store.close().catch((error: unknown) => error))).not.toContain('s3cret');
    expect(PASSWORD).toContain('s3cret');
    await journal.close();
  });
});

function caught(act: () => unknown): string | null {
  return (caughtError(act) as { code?: string } | null)?.code ?? null;
}

function caughtError(act: () => unknown): unknown {
  try {
    act();
    return null;
  } catch (error) {
    return error;
  }
}

/** All of an error: its message, its stack, its cause and its members. */
function everything(error: unknown): string {
  const { message, stack, cause } = error as Error;
  return [message, stack, String(cause), JSON.stringify(error), ...Object.values(error as object)].join('\n');
}
