/** A server that lost what it had acknowledged: a standby that lagged is the server now, or a backup was put back. */
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { parseKey } from '../../../src/model/key.ts';
import { startServer } from '../../postgres-server.ts';
import { failing, row, told } from '../rows-of.ts';
import { deskOf } from './desk.ts';

const server = await startServer();

describe.skipIf(server === null)('a server', () => {
  if (server === null) return void test.skip('needs a server');
  const desk = deskOf(server);
  const change = (schema: string, text: string) => server.query(text.replaceAll('belay.', `"${schema}".`));

  /** As a standby that lagged has it: the last groups are not there. */
  const lose = (schema: string, upTo: number) =>
    change(
      schema,
      `UPDATE belay.run SET head = ${upTo}, hash = (SELECT hash FROM belay.commit_group WHERE last = ${upTo});
      DELETE FROM belay.commit_group WHERE last > ${upTo}; DELETE FROM belay.entry WHERE seq > ${upTo}`,
    );

  test.each([3, 2, 0])('that lost commits behind row %i is given them again by the writer that lives', async (upTo) => {
    const { schema, journal } = await desk.written();
    await lose(schema, upTo);
    journal.append([row(5)]);
    expect(await journal.flush()).toBe(5);
    journal.append([row(6)]);
    await journal.close();
    expect(await told(desk.store({ schema }).read('a'))).toEqual([1, 2, 3, 4, 5, 6]);
  });

  test('that lost commits which no living writer made says so, and nothing is appended over the gap', async () => {
    const { schema, journal } = await desk.written();
    await journal.close();
    const late = await desk.journal(desk.store({ schema }), 'a', 'resume');
    await lose(schema, 3);
    late.append([row(5)]);
    await expect(late.flush()).rejects.toEqual(failing('journal_tail_lost'));
    expect(() => late.append([row(6)])).toThrow(failing('journal_tail_lost'));
    expect(await told(desk.store({ schema }).read('a'))).toEqual([1, 2, 3]);
  });

  test('that lost a message which its run has heard is not gone on with', async () => {
    const { schema, store, journal } = await desk.written();
    await store.post('a', 'yes');
    await change(schema, 'UPDATE belay.run SET posts = 0; DELETE FROM belay.inbox');
    await lose(schema, 3);
    journal.append([row(5)]);
    await expect(journal.flush()).rejects.toEqual(failing('journal_tail_lost'));
  });

  test('that lost what calls had reserved in a pool has it again, though another run has taken the room meanwhile', async () => {
    const schema = desk.schema();
    const store = desk.store({ schema });
    const reserving = (seq: number, call: string) => ({
      ...row(seq),
      pools: [{ pool: 'team', call, amount: 6, spent: 0, open: true }],
    });
    await store.pools?.join('team', 10);
    const [one, two] = [await desk.journal(store, 'one', 'create'), await desk.journal(store, 'two', 'create')];
    one.append([row(1)]);
    await one.flush();
    one.append([reserving(2, 'left')]);
    await one.flush();
    await change(
      schema,
      `DELETE FROM belay.pool_call;
      UPDATE belay.run SET head = 1, hash = (SELECT g.hash FROM belay.commit_group g JOIN belay.run r ON r.id = g.run
        WHERE r.name = 'one' AND g.last = 1) WHERE name = 'one';
      DELETE FROM belay.commit_group WHERE last > 1; DELETE FROM belay.entry WHERE seq > 1`,
    );
    two.append([reserving(1, 'faster')]);
    await two.flush();
    one.append([reserving(3, 'late')]);
    expect(await one.flush()).toBe(3);
    // The call of before may have left: it counts, and nothing more fits.
    expect((await store.pools?.pool('team'))?.reserved).toMatchObject([
      { run: 'one', call: 'left', amount: 6 },
      { run: 'two', call: 'faster', amount: 6 },
    ]);
  });

  test.each([
    ['has its claims again', null, 5],
    ['is not gone on with where another run has taken what its run had claimed', 'b', 'journal_tail_lost'],
  ])('that lost commits and claims %s', async (_, other, expected) => {
    const { schema, store, journal } = await desk.written();
    const wanted = [{ key: parseKey('card:1'), shared: false }];
    await store.claims.ask([{ id: randomUUID(), run: 'a', wanted }]);
    await change(schema, 'DELETE FROM belay.claim');
    await lose(schema, 3);
    const second = desk.store({ schema });
    if (other !== null) {
      await desk.journal(second, other, 'create');
      await second.claims.ask([{ id: randomUUID(), run: other, wanted }]);
    }
    journal.append([row(5)]);
    expect(await journal.flush().catch((error: { code: string }) => error.code)).toBe(expected);
    expect((await second.claims.list()).held.map(({ run }) => run)).toEqual([other ?? 'a']);
  });

  test.skipIf(!server.own)(
    'that is a standby promoted by hand has everything that living writers wrote since',
    async () => {
      const [schema, idle] = [desk.schema(), 'nobody writes'];
      const store = desk.store({ schema });
      const [journal, quiet] = [await desk.journal(store, 'a', 'create'), await desk.journal(store, idle, 'create')];
      for (const each of [journal, quiet]) {
        each.append([row('before')]);
        await each.flush();
      }
      await server.copy();
      journal.append([row('lost')]);
      quiet.append([row('lost')]);
      await Promise.all([journal.flush(), quiet.flush()]);
      await quiet.close();
      await server.failOver();
      journal.append([row('after')]);
      expect(await journal.flush()).toBe(3);
      const other = desk.store({ schema });
      expect(await told(other.read('a'))).toEqual(['before', 'lost', 'after']);
      // No writer had this one any more: its end is lost, as the page says.
      expect(await told(other.read(idle))).toEqual(['before']);
    },
  );
});
