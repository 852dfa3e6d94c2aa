/** ST3, ST10: a run whose input was revised, taken up by the next process. */
import { expect, test } from 'vitest';
import { memoryStore } from '../../src/index.ts';
import { SPACING } from '../../src/sidecar/opening/options.ts';
import { workClient } from '../../src/workers/client.ts';
import { migrate } from '../../src/xstate/attach.ts';
import { resume } from '../../src/xstate/index.ts';
import { calm, until } from '../poll.ts';
import { context, Dying, value } from '../semantics/dying.ts';
import { calls, configOf, machineOf, run, World } from '../semantics/little.ts';
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
});

/** Two regions: one writes a draft of the topic, the other waits for an approval whose sender has seen no part of it. */
function beside(world: World, more: object = {}) {
  const machine = machineOf(
    { draft: world.tool('draft', ({ input }) => `draft of ${String(input.topic)}`) },
    {
      type: 'parallel',
      context: ({ input }: { input: typeof BEES }) => ({ topic: input.topic }),
      states: {
        a: { initial: 'drafting', states: { drafting: calls('draft', 'draft', 'drafted', ['topic']), drafted: more } },
        b: { initial: 'wait', states: { wait: { on: { OK: 'heard' } }, heard: {} } },
      },
    },
  );
  const draft = { states: ['a.drafting'], at: 'a.drafting -> a.drafted', writes: ['draft'], reads: ['topic'] };
  const tools = { draft: 'reads: [topic], writes: [draft], effect: none, reconcile: find' };
  return { machine, config: configOf(tools, { Draft: draft }, 'events: { OK: { reads: [] } }') };
}

test('ST3, ST5, LC10: left by another process for a run that is paused, beside another region, and then moved to another release', async () => {
  const world = new World();
  const { machine, config } = beside(world);
  const journal = memoryStore();
  const reconcilers = { find: () => ({ is: 'not_applied' as const }) };
  const it = await run(machine, config, { journal, reconcilers, input: BEES } as never);
  await it.at({ a: 'drafted', b: 'wait' });
  await it.sidecar.send({ type: 'OK' } as never, { id: 'ok', by: 'bob' });
  await it.sidecar.pause({ by: 'ops' });
  const client = workClient(journal);
  const post = await client.steer('r', { revise: 'input', to: { ...ANTS } }, by);
  await calm();
  expect([it.context().topic, world.count('draft')]).toEqual(['bees', 1]);
  await it.sidecar.unpause({ by: 'ops' });
  await until(async () => (await client.outcome('r', post))?.is !== 'left');
  expect(await client.outcome('r', post)).toMatchObject({ is: 'taken', why: null });
  await until(() => it.context().draft === 'draft of ants');
  expect(it.value()).toEqual({ a: 'drafted', b: 'heard' });
  // A complaint about what was done for the new input is answered from there.
  await it.wrong('Draft', 'draft');
  await until(() => world.count('draft') === 3 && it.context().draft === 'draft of ants');
  await it.sidecar.close();
  // The past that another release goes through is the one that begins with the new input.
  const release = beside(world, { on: { LATER: {} } });
  const options = { run: 'r', config: release.config, journal, reconcilers };
  const moved = await migrate(release.machine as never, options as never, { by: 'ada', back: false });
  expect(moved).toMatchObject({ is: 'goes', isMoved: true });
  const next = await resume(release.machine, options as never);
  next.actor.start();
  expect([value(next as never), context(next as never)]).toEqual([
    { a: 'drafted', b: 'heard' },
    { topic: 'ants', draft: 'draft of ants' },
  ]);
  await next.close();
});

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
);
