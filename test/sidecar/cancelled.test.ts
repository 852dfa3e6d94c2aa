/** A person ends a run in the moment before a call leaves: it does not leave, and what is left is known (semantics.md F3). */
import { loadConfig, memoryStore } from 'belay-sidecar';
import { attach, resume, tool } from 'belay-sidecar/xstate';
import { expect, test } from 'vitest';
import { setup } from 'xstate';
import { cancelMessage } from '../../src/effects/messages/cancels.ts';
import { timelineOf } from '../../src/reports/timeline.ts';
import { until } from '../poll.ts';

const PAGE = `
belay: 1
agent: order
tools:
  pay: { effect: irreversible, timeout: 5s }
skeletons: {}
`;

test('a call that waits for its governor never leaves, and no person has to say what became of it', async () => {
  const { config } = loadConfig(PAGE, { file: 'order.yaml' });
  if (config === null) throw new Error('the config has errors');
  let acted = 0;
  const pay = tool<void, void>(async () => {
    acted += 1;
  });
  const machine = setup({ actors: { pay } }).createMachine({
    id: 'order',
    initial: 'paying',
    states: { paying: { invoke: { src: 'pay', onDone: 'paid' } }, paid: { type: 'final' } },
  });
  const journal = memoryStore();
  let asked = false;
  let allow: (why: null) => void = () => {};
  const governor = () => {
    asked = true;
    return new Promise<null>((resolve) => {
      allow = resolve;
    });
  };
  const sidecar = await attach(machine, { run: 'r', config, journal, governor });
  sidecar.actor.start();
  await until(() => asked);
  journal.post('r', cancelMessage({ by: 'ann', why: 'not wanted' }));
  sidecar.rest();
  allow(null);
  expect(await sidecar.finished()).toEqual({ status: 'cancelled', by: 'ann', why: 'not wanted', standing: [] });
  await sidecar.close();
  expect([acted, sidecar.status]).toEqual([0, 'cancelled']);
  const { runState, standing } = timelineOf(journal.read('r'));
  expect([standing, runState.ledger.open()]).toEqual([{ is: 'cancelled' }, []]);
  const again = await resume(machine, { run: 'r', config, journal });
  again.actor.start();
  expect(await again.finished()).toMatchObject({ status: 'cancelled', by: 'ann' });
  await expect(again.fail('TIMEOUT', { instance: { skeleton: 'Pay', entity: 'x' } })).rejects.toMatchObject({
    code: 'run_finished',
  });
  await again.close();
  expect(acted).toBe(0);
});
