/** Roles with the grants that docs/postgres.md has for them, and no others. */
import { readFileSync } from 'node:fs';
import pg from 'pg';
import { describe, expect, test } from 'vitest';
import { workClient } from '../../../src/workers/client.ts';
import { startServer } from '../../postgres-server.ts';
import { row, told } from '../rows-of.ts';
import { deskOf } from './desk.ts';

const PAGE = readFileSync(new URL('../../../docs/postgres.md', import.meta.url), 'utf8');
const SECRET = 'role-secret';
const TAKEN = { is: 'taken', act: 'paid 7', key: 'k' } as const;
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
    // It cannot look through the messages for the id: the run itself takes an id once (CH2).
    const how = { id: 'k1', seen: { price: 5 } };
    expect(await client.send('a', { type: 'PAID' }, how)).toBe(2);
    expect(await client.send('a', { type: 'PAID' }, how)).toBe(3);
    expect(await owner.posts('a')).toHaveLength(3);
    await expect(store.runs()).rejects.toThrow(/42501/);
    await expect(told(store.read('a'))).rejects.toThrow(/42501/);
    await expect(store.open('b', 'resume')).rejects.toThrow(/42501/);
    const inbox = `INSERT INTO "${schema}".inbox VALUES (1, 9, 0, gen_random_uuid(), '')`;
    for (const text of [inbox, `UPDATE "${schema}".run SET posts = 0`, `DELETE FROM "${schema}".entry`])
      await expect(queryAs(role, text)).rejects.toMatchObject({ code: '42501' });
    await journal.close();
  });

  /** Calls a function that leaves a message as a role does that came through no store. */
  const left = async (
    role: string,
    schema: string,
    body: string | Buffer,
    how: { time?: string; by?: string } = {},
  ) => {
    const client = new pg.Client({ connectionString: addressOf(role) });
    await client.connect();
    try {
      const text = `SELECT "${schema}".${how.by ?? 'post'}('a', ${how.time ?? '0'}, gen_random_uuid(), $1, 1000000, false) AS number`;
      return Number((await client.query(text, [Buffer.from(body)])).rows[0]?.number);
    } finally {
      await client.end();
    }
  };
  const EVENT = '{"event":{"type":"GO"},"at":null,"by":null}';

  test('that posts cannot go past the limits of a message by calling the function itself', async () => {
    const { schema } = await desk.written();
    const role = await granted('poster', schema);
    const long = JSON.stringify({ event: { type: 'GO', text: 'x'.repeat(65_537) }, at: null, by: null });
    await expect(left(role, schema, long)).rejects.toMatchObject({ code: '22001' });
    for (const time of ['-1', '9223372036854775807'])
      await expect(left(role, schema, EVENT, { time })).rejects.toMatchObject({ code: '22003' });
    await server.query(`UPDATE "${schema}".run SET posts = 10000 WHERE name = 'a'`);
    expect(await left(role, schema, EVENT)).toBe(-1);
  });

  test('that posts cannot go past the limits of a request by calling the function itself', async () => {
    const { schema, store } = await desk.written();
    const role = await granted('poster', schema);
    const start = (name: string, agent: string, queue: string, input: string) =>
      queryAs(role, `SELECT "${schema}".start(${name}, ${agent}, ${queue}, ${input})`);
    const text = (length: number) => `repeat('x', ${length})`;
    const input = (length: number) => `convert_to(${text(length)}, 'UTF8')`;
    await start(text(1_024), text(256), text(256), input(1024 * 1024));
    for (const [name, agent, queue, length] of [
      ["'n'", "'a'", "'q'", 1024 * 1024 + 1],
      [text(1_025), "'a'", "'q'", 1],
      ["''", "'a'", "'q'", 1],
      ["'n'", text(257), "'q'", 1],
      ["'n'", "'a'", text(257), 1],
      ["'n'", "''", "'q'", 1],
    ] as const)
      await expect(start(name, agent, queue, input(length))).rejects.toMatchObject({ code: '22001' });
    expect((await store.runs()).map(({ run }) => run)).toEqual(['a', 'x'.repeat(1_024)]);
  });

  test('that posts leaves events in every form that JSON has for one', async () => {
    const { schema, store } = await desk.written();
    const role = await granted('poster', schema);
    const events = [
      EVENT,
      ' {\n"by" : "€", "at":null, "event":{"type":"GO"}}',
      '{"event":{"type":"\\u0000\\ud800 \\\\u0041","cancel":true},"at":null,"by":null}',
      `{"event":{"type":"GO","deep":${'['.repeat(500)}${']'.repeat(500)}},"at":null,"by":null}`,
    ];
    for (const [index, event] of events.entries()) expect(await left(role, schema, event)).toBe(index + 1);
    expect((await store.posts('a')).map(({ body }) => body)).toEqual(events);
  });

  test('that posts ends no run, sets none back and answers nothing, however the message is written', async () => {
    const { schema, store } = await desk.written();
    const role = await granted('poster', schema);
    const refused = { code: '42501', message: expect.stringMatching(/leaves events only/) };
    const complaint = {
      signal: 'postcheck_failed',
      instance: { skeleton: 'S', entity: 'e' },
      key: null,
      instead: false,
      about: 'x',
    };
    const answer = { gate: 'g', digest: 'd', epoch: 0, by: 'x', why: null, verdict: 'approved' };
    for (const body of [
      JSON.stringify({ cancel: true, by: 'the boss', why: null }),
      '{"\\u0063ancel":true,"by":"the boss","why":null}',
      JSON.stringify({ complaint, by: 'the boss', why: null }),
      JSON.stringify(answer),
      JSON.stringify({ event: { type: 'GO' }, at: null, by: null, cancel: true }),
      '{"event":{"type":"GO"},"at":null,"by":null,"\\u0063ancel":true}',
      '{"$":["object",{"$":1,"event":{"type":"GO"}}]}',
      '{"\\u0065vent":{"type":"GO"},"cancel":true}',
      '[{"event":{"type":"GO"}}]',
      '"event"',
      '{}',
      'null',
      '',
      'event',
      Buffer.from('{"event":{"type":"\xff"},"at":null,"by":null}', 'latin1'),
      Buffer.from('\ufeff{"cancel":true,"by":"x","why":null}'),
    ])
      await expect(left(role, schema, body), String(body)).rejects.toMatchObject(refused);
    await expect(left(role, schema, EVENT, { by: 'operate' })).rejects.toMatchObject({ code: '42501' });
    const client = workClient(storeAs(role, schema));
    await expect(client.cancel('a', { by: 'the boss' })).rejects.toThrow(/42501/);
    await expect(storeAs(role, schema).post('a', '{"cancel":true,"by":"x","why":null}')).rejects.toThrow(/42501/);
    expect(await store.posts('a')).toEqual([]);
  });

  test('that operates cancels runs, and can write no row by itself', async () => {
    const { schema, store: owner } = await desk.written();
    const role = await granted('operator', schema);
    const store = storeAs(role, schema);
    const client = workClient(store);
    expect(await client.start({ run: 'b', agent: 'order' })).toBe(true);
    expect(await client.cancel('b', { by: 'the boss' })).toBe(1);
    expect(await client.send('b', 'GO')).toBe(2);
    expect(await owner.posts('b')).toMatchObject([
      { body: expect.stringMatching(/cancel/) },
      { body: expect.stringMatching(/GO/) },
    ]);
    await expect(left(role, schema, 'x'.repeat(65_537), { by: 'operate' })).rejects.toMatchObject({ code: '22001' });
    await expect(store.open('b', 'resume')).rejects.toThrow(/42501/);
    const inbox = `INSERT INTO "${schema}".inbox VALUES (1, 9, 0, gen_random_uuid(), '')`;
    for (const text of [inbox, `UPDATE "${schema}".run SET posts = 0`, `DELETE FROM "${schema}".entry`])
      await expect(queryAs(role, text)).rejects.toMatchObject({ code: '42501' });
  });

  test('that works begins runs, appends, claims, posts and gives back, and changes no row that is written', async () => {
    const { schema, store: owner, journal: first } = await desk.written();
    await first.close();
    const role = await granted('worker', schema);
    const store = storeAs(role, schema);
    await workClient(store).start({ run: 'b', agent: 'order' });
    const journal = await desk.journal(store, 'b', 'resume');
    for (const at of [1, 2]) {
      journal.append([{ ...row(at), acts: [at === 1 ? TAKEN : { is: 'freed', key: TAKEN.key }] }]);
      journal.keep({ at, parts: [Buffer.from(`state ${at}`)] });
      expect(await journal.flush()).toBe(at);
    }
    expect(await workClient(store).send('b', 'GO')).toBe(1);
    await expect(workClient(store).cancel('b', { by: 'a worker' })).rejects.toThrow(/42501/);
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
});
