/** C10: what work did before it was last taken back is not served to a replay that a complaint has met on its way there. */
import { expect, test } from 'vitest';
import { calm, until } from '../poll.ts';
import { calls, configOf, held, machineOf, run, World } from './little.ts';

/** look; then note beside: wait for GO, and pay. Both touch the desk, so that neither is the same again once both are done again. */
function waiting(effect: string) {
  const [world, noted] = [new World(), held<string>()];
  const machine = machineOf(
    {
      look: world.tool('look'),
      note: world.tool('note', ({ nth }) => (nth === 0 ? noted.promise : `note${nth}`)),
      pay: world.tool('pay'),
    },
    {
      initial: 'look',
      states: {
        look: calls('look', 'looked', 'p'),
        p: {
          type: 'parallel',
          states: {
            a: { initial: 'note', states: { note: calls('note', 'noted', 'end'), end: {} } },
            b: { initial: 'wait', states: { wait: { on: { GO: 'pay' } }, pay: calls('pay', 'paid', 'end'), end: {} } },
          },
        },
      },
    },
  );
  const config = configOf(
    {
      look: 'writes: [looked], effect: none',
      note: `reads: ["desk:it"], writes: [noted, "desk:it"], effect: idempotent`,
      pay: `writes: [paid, "desk:it"], effect: ${effect}`,
    },
    {
      LOOK: { states: ['look'], at: 'look -> p', writes: ['looked'] },
      NOTE: { states: ['p.a.note'], at: 'p.a.note -> p.a.end', writes: ['noted'] },
      PAY: { states: ['p.b.wait', 'p.b.pay'], at: 'p.b.pay -> p.b.end', writes: ['paid'] },
    },
  );
  return { world, machine, config, noted };
}

const [WAIT, END] = [{ p: { a: 'end', b: 'wait' } }, { p: { a: 'end', b: 'end' } }];

async function complainedAbout(effect: string) {
  const { world, machine, config, noted } = waiting(effect);
  const it = await run(machine, config, { undo: world.undo });
  await until(() => world.count('note') === 1);
  it.send('GO');
  await until(() => world.count('pay') === 1);
  noted.resolve('note0');
  await it.at(END);
  await it.wrong('LOOK', 'looked');
  await it.at(WAIT);
  await it.wrong('PAY');
  await calm();
  return { world, it };
}

test('a payment that cannot be taken back parks the run, where all of its work is found wrong before the replay pays', async () => {
  const { world, it } = await complainedAbout('irreversible');
  expect(await it.ending()).toMatchObject({ status: 'parked' });
  it.send('GO');
  await calm();
  expect([world.count('pay'), it.context()]).toEqual([1, { looked: 'look1', noted: 'note0' }]);
  await it.sidecar.close();
});

test('a payment that can be undone is undone, and the replay pays anew', async () => {
  const { world, it } = await complainedAbout('reversible, undo: un');
  expect(world.undone).toEqual([world.keys('pay')[0]]);
  await it.at(WAIT);
  it.send('GO');
  await it.at(END);
  expect(it.context()).toEqual({ looked: 'look1', noted: 'note0', paid: 'pay1' });
  await it.sidecar.close();
});
