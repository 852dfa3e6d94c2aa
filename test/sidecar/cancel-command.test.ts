/** A run that its own program cancels, and the list of requests that a program reads. */
import { expect, test } from 'vitest';
import { memoryStore } from '../../src/journal/memory/store.ts';
import { workClient } from '../../src/workers/client.ts';
import { until } from '../poll.ts';
import { Line } from './stations.ts';

test('cancel() ends a run, and is refused once a person ends it, or it has ended', async () => {
  const line = new Line([{ name: 'a', tool: 'effect: irreversible' }]);
  const run = await line.begin({ journal: memoryStore() });
  await expect(run.sidecar.cancel({ by: ' ' })).rejects.toThrow(TypeError);
  await run.sidecar.cancel({ by: 'ada', why: 'the customer has left' });
  expect(await run.finished()).toMatchObject({ status: 'cancelled', by: 'ada', why: 'the customer has left' });
  await expect(run.sidecar.cancel({ by: 'bob' })).rejects.toMatchObject({ code: 'run_finished' });
  await run.close();
});

test('a paused run takes a cancel, and is cancelled after it was unpaused', async () => {
  const run = await new Line([{ name: 'a', tool: 'effect: irreversible' }]).begin({ journal: memoryStore() });
  await run.sidecar.pause({ by: 'ada' });
  await run.sidecar.cancel({ by: 'bob' });
  await expect(run.sidecar.cancel({ by: 'eve' })).rejects.toMatchObject({ code: 'not_advised' });
  await run.sidecar.unpause({ by: 'ada' });
  await until(() => run.sidecar.status === 'cancelled');
  await run.close();
});

test('requests() tell the tool, the arguments and the reason, to the program and to a client', async () => {
  const store = memoryStore();
  const line = new Line([{ name: 'a', reads: ['wanted'], tool: 'effect: irreversible, gate: true' }]);
  const run = await line.begin({ journal: store });
  run.send('go');
  await until(() => run.sidecar.requests().length === 1);
  await run.sidecar.durable();
  const [own] = run.sidecar.requests();
  expect(own).toMatchObject({ asks: 'approval', tool: 'a', reason: 'every call of a waits for an approval' });
  const client = workClient(store);
  const [left, ...more] = await client.requests({ agent: 'line' });
  expect(left).toMatchObject({ run: 'r', agent: 'line', tool: 'a', args: own?.args, gate: own?.gate });
  expect(left?.reason).toBe('a waits for an approval');
  expect([more, await client.requests({ agent: 'other' })]).toEqual([[], []]);
  await expect(client.requests({ run: 'none' })).rejects.toMatchObject({ code: 'run_unknown' });
  await client.approve('r', left?.gate ?? '', { by: 'ada' });
  await run.at('rest');
  expect([run.sidecar.requests(), await client.requests({ run: 'r' })]).toEqual([[], []]);
  await run.close();
});
