/** C11: a call that is undone between its intent and its leaving has not happened, and nobody is asked about it. */
import { expect, test } from 'vitest';
import { attach } from '../../src/xstate/index.ts';
import { calm, until } from '../poll.ts';
import { shop } from '../rehearsal/agents/shop.ts';

test('a replay may ask for something else under a key whose call never left', async () => {
  const { machine, reconcilers, undo, config } = shop({ moods: true });
  const sidecar = await attach(machine, { run: 'r', config, reconcilers, undo });
  const value = () => (sidecar.actor.getSnapshot() as { value: unknown }).value;
  sidecar.actor.start();
  await until(() => value() === 'waiting');
  sidecar.actor.send({ type: 'order' } as never);
  await sidecar.fail('CONTRACT_VIOLATION', { instance: { skeleton: 'Offer', entity: 'tea' }, key: 'price' });
  await until(() => value() === 'waiting');
  await calm();
  sidecar.actor.send({ type: 'order' } as never);
  expect((await sidecar.finished()).status).toBe('done');
  await sidecar.close();
});
