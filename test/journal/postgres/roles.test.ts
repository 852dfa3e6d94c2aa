/** Roles with the grants that docs/postgres.md has for them, and no others. */
import { readFileSync } from 'node:fs';
import pg from 'pg';
import { describe, expect, test } from 'vitest';
import { migration } from '../../../src/journal/postgres/schema.ts';
import { workClient } from '../../../src/workers/client.ts';
import { startServer } from '../../postgres-server.ts';
import { row, told } from '../rows-of.ts';
import { deskOf } from './desk.ts';

const PAGE = readFileSync(new URL('../../../docs/postgres.md', import.meta.url), 'utf8');
const SECRET = 'role-secret';
const server = await startServer();

describe.skipIf(server === null || !server.own)('a role', () => {
  if (server === null) return void test.skip('needs a server');
  const desk = deskOf(server);
  let roles = 0;

  const made = async (): Promise<string> => {
    roles += 1;
    const role = `role_${process.pid}_${roles}`;
    await server.query(`CREATE ROLE ${role} LOGIN PASSWORD '${SECRET}'`);
    return role;
  };

  /** A role that has the grants of the page for a part in a schema. */
  const granted = async (part: string, schema: string): Promise<string> => {
    const grants = PAGE.match(new RegExp(`\`\`\`sql ${part}\\n([^]*?)\`\`\``))?.[1] ?? '';
    expect(grants).toContain(`TO ${part};`);
    const role = await made();
    const there = grants.replaceAll('SCHEMA belay', `SCHEMA "${schema}"`).replaceAll('belay.', `"${schema}".`);
    await server.query(there.replaceAll(`TO ${part};`, `TO ${role};`));
    return role;
  };

  const addressOf = (role: string): string => {
    const address = new URL(server.address());
    address.username = role;
    address.password = SECRET;
    return address.href;
  };

  const storeAs = (role: string, schema: string) => desk.store({ address: addressOf(role), schema });

  const queryAs = async (role: string, text: string) => {
    const client = new pg.Client({ connectionString: addressOf(role) });
    await client.connect();
    try {
      await client.query(text);
    } finally {
      await client.end();
    }
  };

  test('that reads sees runs and their rows, and changes nothing', async () => {
    const { schema, store: owner } = await desk.written();
    await owner.post('a', 'yes');
    const store = storeAs(await granted('reader', schema), schema);
    expect(await store.posts('a')).toMatchObject([{ body: 'yes' }]);
    expect(await store.runs()).toMatchObject([{ run: 'a', head: 4 }]);
    expect(await told(store.read('a'))).toHaveLength(4);
    await expect(store.post('a', '{}')).rejects.toThrow(/42501/);
    await expect(workClient(store).start({ run: 'b', agent: 'x' })).rejects.toThrow(/42501/);
    await expect(store.open('b', 'create')).rejects.toThrow(/42501/);
    await expect(store.open('a', 'resume')).rejects.toThrow(/docs\/postgres\.md has the grants/);
  });

  test('that posts leaves runs and events, and neither reads a row nor writes one', async () => {
    const { schema, store: owner, journal } = await desk.written();
    const role = await granted('poster', schema);
    const store = storeAs(role, schema);
    const client = workClient(store);
    expect(await client.start({ run: 'b', agent: 'order', input: { item: 'tea' } })).toBe(true);
    expect(await client.start({ run: 'b', agent: 'order', input: { item: 'tea' } })).toBe(false);
    expect(await client.send('b', { type: 'PAID' })).toBe(1);
    expect(await client.send('a', { type: 'PAID' })).toBe(1);
    expect(await owner.posts('a')).toHaveLength(1);
    await expect(store.runs()).rejects.toThrow(/42501/);
    await expect(told(store.read('a'))).rejects.toThrow(/42501/);
    await expect(store.open('b', 'resume')).rejects.toThrow(/42501/);
    const inbox = `INSERT INTO "${schema}".inbox VALUES (1, 9, 0, gen_random_uuid(), '')`;
    for (const text of [inbox, `UPDATE "${schema}".run SET posts = 0`, `DELETE FROM "${schema}".entry`])
      await expect(queryAs(role, text)).rejects.toMatchObject({ code: '42501' });
    await journal.close();
  });

  test('that posts cannot go past the limits of a message by calling the function itself', async () => {
    const { schema } = await desk.written();
    const role = await granted('poster', schema);
    const post = (body: string, limit: string) =>
      queryAs(role, `SELECT "${schema}".post('a', 0, gen_random_uuid(), ${body}, ${limit}, false)`);
    await expect(post(`convert_to(repeat('x', 65537), 'UTF8')`, '10')).rejects.toMatchObject({ code: '22001' });
    await server.query(`UPDATE "${schema}".run SET posts = 10000 WHERE name = 'a'`);
    await post(`''::bytea`, '1000000');
    const { rows } = await server.query(`SELECT posts FROM "${schema}".run WHERE name = 'a'`);
    expect(rows).toEqual([{ posts: '10000' }]);
  });

  test('that works begins runs, appends, claims, posts and gives back, and changes no row that is written', async () => {
    const { schema, store: owner, journal: first } = await desk.written();
    await first.close();
    const role = await granted('worker', schema);
    const store = storeAs(role, schema);
    await workClient(store).start({ run: 'b', agent: 'order' });
    const journal = await desk.journal(store, 'b', 'resume');
    for (const at of [1, 2]) {
      journal.append([row(at)]);
      journal.keep({ at, parts: [Buffer.from(`state ${at}`)] });
      expect(await journal.flush()).toBe(at);
    }
    expect(await store.post('b', '{}')).toBe(1);
    await journal.close();
    expect(await owner.base('b')).toMatchObject({ at: 2 });
    expect(await owner.run('b')).toMatchObject({ head: 2, held: false });
    for (const text of [
      'UPDATE "S".entry SET body = body',
      'DELETE FROM "S".entry',
      'UPDATE "S".inbox SET body = body',
    ])
      await expect(queryAs(role, text.replace('"S"', `"${schema}"`))).rejects.toMatchObject({ code: '42501' });
  });

  test('that could leave messages in a store of format 5 can leave them once it is migrated', async () => {
    const schema = desk.schema();
    for (let from = 0; from < 5; from += 1) await server.query(migration(schema, from));
    const role = await made();
    await server.query(`GRANT USAGE ON SCHEMA "${schema}" TO ${role};
      GRANT SELECT, INSERT ON ALL TABLES IN SCHEMA "${schema}" TO ${role};
      GRANT UPDATE ON "${schema}".run, "${schema}".work TO ${role}`);
    expect(await desk.store({ schema }).runs()).toEqual([]);
    const client = workClient(storeAs(role, schema));
    expect(await client.start({ run: 'a', agent: 'order' })).toBe(true);
    expect(await client.send('a', { type: 'PAID' })).toBe(1);
  });
});
