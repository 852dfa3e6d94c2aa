/** ST3, ST10: a run whose input was revised, taken up by the next process. */
import { expect, test } from 'vitest';
import { SPACING } from '../../src/sidecar/opening/options.ts';
import { calm, until } from '../poll.ts';
import { context, Dying, value } from '../semantics/dying.ts';
import { World } from '../semantics/little.ts';
import { ANTS, BEES, begun, by, office } from './office.ts';

test('ST3: a run that is taken up from a base has the input that it was given last', async () => {
  const it = await begun('none', BEES, { [SPACING]: { rows: 200, times: 0, newest: 32 } });
  for (let said = 0; said < 400; said += 1) it.send('SAY');
  await it.sidecar.durable();
  expect((await it.sidecar.revise('input', { ...ANTS }, by)).is).toBe('done');
  await until(() => it.world.count('draft') === 2 && it.value() === 'over');
  for (let said = 0; said < 400; said += 1) it.send('SAY');
  await it.sidecar.close();
  expect(await it.journal.base('r')).not.toBeNull();
  const now = { ...ANTS, n: 800, draft: 'draft of ants', noted: 'note0' };
  let next = await it.again();
  expect([context(next as never), next.events()[0]?.version]).toEqual([now, 1]);
  // A change of the past goes through it from the beginning that there is now.
  expect(await next.revise('input', { ...BEES }, by)).toMatchObject({ is: 'done', version: 2 });
  await until(() => it.world.count('draft') === 3 && value(next as never) === 'over');
  await next.close();
  next = await it.again();
  expect(context(next as never)).toEqual({ ...now, ...BEES, draft: 'draft of bees' });
  await next.close();
}, 60_000);

test.each(['before', 'after'] as const)(
  'ST10: a process that dies %s any append of the act leaves it to the next one',
  async (when) => {
    let deaths = 0;
    for (let append = 1; append < 14; append += 1) {
      const world = new World();
      const { machine, config } = office(world);
      const dying = new Dying(machine, config);
      const first = await dying.attached(BEES);
      first.actor.start();
      await until(() => value(first) === 'over');
      await first.durable();
      dying.store.kill({ append: dying.store.appends + append, when });
      void first.revise('input', { ...ANTS }, { ...by, id: 'r1' }).catch(() => {});
      await until(() => dying.isDead || (world.count('draft') === 2 && value(first) === 'over'));
      await calm();
      const next = await dying.resumed(first);
      await until(() => value(next) === 'over');
      await next.revise('input', { ...ANTS }, { ...by, id: 'r1' });
      await until(() => value(next) === 'over' && (context(next) as { draft?: string }).draft === 'draft of ants');
      expect([append, context(next)]).toEqual([append, { ...ANTS, n: 0, draft: 'draft of ants', noted: 'note0' }]);
      expect([next.events()[0]?.version, world.count('note')]).toEqual([1, 1]);
      await next.close();
      if (!dying.isDead) break;
      deaths += 1;
    }
    expect(deaths).toBeGreaterThan(3);
  },
  120_000,
);
