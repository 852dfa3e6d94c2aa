/** A fork of a run under a pool: refused, and its parent goes on. */
import { expect, test } from 'vitest';
import { setup } from 'xstate';
import { loadConfig } from '../../src/boundaries/load.ts';
import { memoryStore } from '../../src/journal/memory/store.ts';
import { workClient } from '../../src/workers/client.ts';
import type { AnyStateMachine } from '../../src/xstate/actor.ts';
import { resume, tool } from '../../src/xstate/index.ts';
import { until } from '../poll.ts';

const { config } = loadConfig(
  `belay: 1
agent: payer
budgets: { cents: { pool: team, limit: 100 } }
tools:
  pay: { effect: idempotent, writes: ['bank:x'], spends: { cents: 10 } }
skeletons: {}
`,
  { file: 'payer.yaml' },
);
const machine = setup({ actors: { pay: tool(async () => 'paid') } }).createMachine({
  id: 'payer',
  initial: 'paying',
  states: {
    paying: { invoke: { src: 'pay', onDone: 'rests' } },
    rests: { on: { GO: 'over' } },
    over: { type: 'final' },
  },
}) as unknown as AnyStateMachine;

test('a fork spends of no pool', async () => {
  const journal = memoryStore();
  const parent = await resume(machine, { run: 'parent', journal, config: config as never });
  parent.actor.start();
  await until(() => (parent.actor.getSnapshot() as { value: unknown }).value === 'rests');
  await parent.durable();
  await workClient(journal).fork('parent', { as: 'child', by: 'ann' });
  await expect(resume(machine, { run: 'child', journal, config: config as never })).rejects.toMatchObject({
    code: 'pools_unsupported',
  });
  expect(await journal.pools?.list()).toMatchObject([{ name: 'team', spent: 10 }]);
  parent.actor.send({ type: 'GO' });
  expect((await parent.finished()).status).toBe('done');
  await parent.close();
});
