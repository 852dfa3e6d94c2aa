/**
 * Every kill there is: each append of each agent at each moment, with the counterparty asked and without, every two phases at
 * every two moments, every call, and many at random. `npm run prove soak-crash`; it ends with 1 if anything went wrong.
 */
import { parseArgs } from 'node:util';
import { startServer } from '../postgres-server.ts';
import { MOMENTS } from './deadly.ts';
import { databaseOf } from './journals.ts';
import { AGENTS, type AgentName } from './machines.ts';
import {
  atEveryAppend,
  atEveryTwoAppends,
  atEveryTwoPhases,
  atRandom,
  atServers,
  byTheCounterparty,
  inPairs,
  oneByOne,
  onServer,
  withUndosThatFail,
} from './plan.ts';
import { Stage } from './processes.ts';
import { type Expected, nameOf, type Trial, Trials } from './trial.ts';

const HELP = `Kills agents at every point of their runs, and holds them to what they have promised.

  npm run prove soak-crash -- [options]

  --agent NAME   only this one: ${Object.keys(AGENTS).join(', ')}
  --random N     how many runs are killed from outside at random times (200)
  --seed N       what those times are drawn from (1)
  --twice        also at every two appends of each agent (long)
  --postgres     journals in PostgreSQL, on a server of its own: 150 agents are
                 killed, and the server is, 20 times
  --help         says this
`;

const { values } = parseArgs({
  options: {
    agent: { type: 'string' },
    random: { type: 'string', default: '200' },
    seed: { type: 'string', default: '1' },
    twice: { type: 'boolean', default: false },
    postgres: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

async function soak(): Promise<boolean> {
  const stage = new Stage();
  const trials = new Trials(stage);
  const names = (Object.keys(AGENTS) as AgentName[]).filter((name) => name === (values.agent ?? name));
  if (names.length === 0) throw new Error(`there is no agent ${values.agent}`);
  try {
    await stage.open();
    const expected = new Map<AgentName, Expected>();
    const list: Trial[] = [];
    for (const name of names) {
      expected.set(name, await trials.expected(name));
      const { appends } = await trials.reach(name);
      for (const reconcile of [true, false]) list.push(...atEveryAppend(name, appends, MOMENTS, reconcile));
      if (values.twice) list.push(...atEveryTwoAppends(name, appends));
    }
    const moments = MOMENTS.flatMap((one) => MOMENTS.map((other) => [one, other] as const));
    for (const reconcile of [true, false])
      list.push(...atEveryTwoPhases(moments, reconcile), ...byTheCounterparty(reconcile));
    list.push(...withUndosThatFail(), ...atRandom(Number(values.random), Number(values.seed)));
    return await run(
      list.filter(({ agent }) => expected.has(agent)),
      trials,
      expected,
    );
  } finally {
    await stage.close();
  }
}

/** With the journals in PostgreSQL. */
async function soakOnServer(): Promise<boolean> {
  const server = await startServer();
  if (server === null || !server.own) throw new Error('there is no PostgreSQL on this machine that may be killed');
  const stage = new Stage();
  const trials = new Trials(stage, databaseOf(server));
  try {
    await stage.open();
    const [kills, crashes] = [onServer(150), atServers(20)];
    const expected = new Map<AgentName, Expected>();
    for (const name of new Set([...kills, ...crashes].map(({ agent }) => agent)))
      expected.set(name, await trials.expected(name));
    const lived = await run(kills, trials, expected);
    // One after the other: killing the server would end those beside it as well.
    const held = await run(crashes, trials, expected, oneByOne);
    process.stdout.write(`the server was killed ${trials.serverKills} times while an agent ran\n`);
    return held && lived && trials.serverKills >= 15;
  } finally {
    await stage.close();
    await server.stop();
  }
}

async function run(
  list: readonly Trial[],
  trials: Trials,
  expected: ReadonlyMap<AgentName, Expected>,
  atOnce = inPairs,
) {
  const begun = Date.now();
  const sum = { trials: 0, kills: 0, midCall: 0, midRecovery: 0, parked: 0, wrong: 0 };
  await atOnce(list, async (trial) => {
    const outcome = await trials.run(trial, expected.get(trial.agent) as Expected);
    sum.trials += 1;
    sum.kills += outcome.kills;
    sum.midCall += outcome.midCall;
    sum.midRecovery += outcome.midRecovery;
    if (outcome.parked) sum.parked += 1;
    if (outcome.wrong.length > 0) {
      sum.wrong += 1;
      process.stdout.write(`WRONG ${nameOf(trial)}\n${outcome.wrong.map((what) => `  ${what}\n`).join('')}`);
    }
    if (sum.trials % 50 === 0) process.stdout.write(`${sum.trials} of ${list.length} runs, ${sum.kills} kills\n`);
  });
  const seconds = Math.round((Date.now() - begun) / 1000);
  process.stdout.write(
    `${sum.trials} runs, ${sum.kills} kills (${sum.midCall} within a call, ${sum.midRecovery} within a recovery), ` +
      `${sum.parked} waited for a person, ${sum.wrong} went wrong; ${seconds} s\n`,
  );
  return sum.wrong === 0 && (sum.kills > 0 || atOnce === oneByOne);
}

if (values.help) process.stdout.write(HELP);
else process.exitCode = (await (values.postgres ? soakOnServer() : soak())) ? 0 : 1;
