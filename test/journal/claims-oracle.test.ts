/** Random claims on the stores and on the claims in memory beside them: the same answers, and the same left over. */
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import type { ClaimAnswer, ClaimCall } from '../../src/journal/claims.ts';
import type { Journal, JournalStore } from '../../src/journal/journal.ts';
import { memoryStore } from '../../src/journal/memory/store.ts';
import { postgresStore } from '../../src/journal/postgres/store.ts';
import { sqliteStore } from '../../src/journal/sqlite/store.ts';
import { startServer } from '../postgres-server.ts';
import { callOf } from './claims-contract.ts';
import { freshPath } from './files.ts';

const server = await startServer();
const schema = `oracle ${process.pid}`;
let round = 0;

afterAll(async () => {
  if (server?.own === false) await server.query(`DROP SCHEMA IF EXISTS "${schema}" CASCADE`);
  await server?.stop();
});

const run = fc.integer({ min: 0, max: 4 });
const key = fc.constantFrom('x:1', 'x:1?', 'x:1/a', 'x:*/a', 'x:*/a?', 'x:2', 'x:**', 'x:**?', 'y:1', 'y:1?', '**');
const command = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ do: fc.constant('ask' as const), run, keys: fc.array(key, { minLength: 1, maxLength: 2 }) }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('release' as const), run }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('leave' as const), run }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('reopen' as const), run }) },
);
type Command = typeof command extends fc.Arbitrary<infer T> ? T : never;

/** Goes through commands, and answers everything that was answered. Those that wait ask again after each, in their order. */
async function played(
  store: JournalStore,
  prefix: string,
  commands: readonly Command[],
  calls: readonly (ClaimCall | null)[],
) {
  const name = (number: number) => `${prefix}${number}`;
  const own = (call: ClaimCall) => ({ ...call, run: `${prefix}${call.run}` });
  const journals: Journal[] = [];
  for (let number = 0; number < 5; number += 1) journals.push(await store.open(name(number), 'create'));
  const told: unknown[] = [];
  let waiting: ClaimCall[] = [];
  const asked = async (list: readonly ClaimCall[]) => {
    const answers: readonly ClaimAnswer[] = list.length === 0 ? [] : await store.claims.ask(list);
    // Which of several claims a reason names is the store's own affair.
    told.push(answers.map(({ is }) => is));
    waiting = [
      ...waiting.filter((call) => !list.includes(call)),
      ...list.filter((_, index) => answers[index]?.is === 'waits'),
    ];
  };
  for (const [index, each] of commands.entries()) {
    const call = calls[index];
    const mine = waiting.filter((other) => other.run === name(each.run));
    if (call) await asked([own(call)]);
    if (each.do === 'release') await store.claims.release(name(each.run));
    if (each.do === 'leave') await store.claims.leave(mine);
    if (each.do === 'reopen') {
      await journals[each.run]?.close();
      journals[each.run] = await store.open(name(each.run), 'resume');
    }
    if (each.do === 'leave' || each.do === 'reopen') waiting = waiting.filter((other) => !mine.includes(other));
    await asked(waiting);
  }
  const { held, waiting: line } = await store.claims.list();
  const left = held
    .filter((each) => each.run.startsWith(prefix))
    .map((each) => `${each.run} ${each.key} ${each.shared}`);
  const lined = line
    .filter((each) => each.run.startsWith(prefix))
    .map((each) => [each.run, each.wanted, [...each.waitsFor].sort()]);
  // The next round finds nothing of this one.
  for (let number = 0; number < 5; number += 1) await store.claims.release(name(number));
  for (const journal of journals) await journal.close();
  return JSON.parse(JSON.stringify([told, left.sort(), lined]).replaceAll(prefix, ''));
}

/** Each key once. */
function distinct(keys: readonly string[]): string[] {
  return [...new Map(keys.map((each) => [each.replace('?', ''), each])).values()];
}

async function compared(other: JournalStore, numRuns: number): Promise<void> {
  const oracle = memoryStore();
  await fc.assert(
    fc.asyncProperty(fc.array(command, { minLength: 3, maxLength: 25 }), async (commands) => {
      round += 1;
      const prefix = `round-${round}-`;
      const calls = commands.map((each) =>
        each.do === 'ask' ? callOf(String(each.run), ...distinct(each.keys)) : null,
      );
      expect(await played(other, prefix, commands, calls)).toEqual(await played(oracle, prefix, commands, calls));
    }),
    { numRuns },
  );
  await other.close();
}

test('SQLite answers as memory does', async () => compared(sqliteStore(freshPath()), 30));

test.skipIf(server === null)('PostgreSQL answers as memory does', async () =>
  compared(postgresStore({ address: server?.address() ?? '', schema }), 30),
);
