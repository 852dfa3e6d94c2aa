/**
 * Crash with the journal in PostgreSQL: agents in processes of their own are killed by SIGKILL, and so is the server while they run. Nothing that was acknowledged is
 * lost, and nothing is done twice. More of it: `npm run prove soak-crash -- --postgres`.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startServer } from '../postgres-server.ts';
import { databaseOf } from './journals.ts';
import type { AgentName } from './machines.ts';
import { atServers, inPairs, oneByOne, onServer } from './plan.ts';
import { Stage } from './processes.ts';
import { type Expected, nameOf, type Trial, Trials } from './trial.ts';

const server = await startServer();

describe.skipIf(server === null)('with its journal in PostgreSQL', () => {
  if (server === null) return void test.skip('needs a server');
  const stage = new Stage();
  const trials = new Trials(stage, databaseOf(server));
  const expected = new Map<AgentName, Expected>();
  beforeAll(() => stage.open());
  afterAll(async () => {
    await stage.close();
    await server.stop();
  });

  async function tryAll(list: readonly Trial[], atOnce: typeof inPairs) {
    const wrong: string[] = [];
    let kills = 0;
    for (const name of new Set(list.map(({ agent }) => agent)))
      if (!expected.has(name)) expected.set(name, await trials.expected(name));
    await atOnce(list, async (trial) => {
      const outcome = await trials.run(trial, expected.get(trial.agent) as Expected);
      for (const what of outcome.wrong) wrong.push(`${nameOf(trial)}: ${what}`);
      kills += outcome.kills;
    });
    expect(wrong).toEqual([]);
    return kills;
  }

  test('an agent that is killed 30 times ends as if nothing had happened', async () => {
    expect(await tryAll(onServer(30), inPairs)).toBeGreaterThanOrEqual(30);
  });

  test.skipIf(!server.own)('an agent whose server is killed goes on once it is back, and loses nothing', async () => {
    // One may have ended in the moment before.
    expect(await tryAll(atServers(5), oneByOne)).toBe(0);
    expect(trials.serverKills).toBeGreaterThanOrEqual(3);
  });
});
