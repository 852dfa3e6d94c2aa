/** ST1 to ST4, ST7, ST10, ST11: the input of a run is its first event, and is revised in its place. */
import { describe, expect, test } from 'vitest';
import { until } from '../poll.ts';
import { calls, configOf, machineOf, run, World } from '../semantics/little.ts';
import { ANTS, BEES, begun, by, type Input, office } from './office.ts';

describe('another input', () => {
  test('ST3: has done again what has read what it changes, and nothing else', async () => {
    const it = await begun();
    it.send('SAY');
    const answer = await it.sidecar.revise('input', { ...ANTS }, by);
    expect(answer).toMatchObject({ event: 'input', is: 'done', version: 1, why: null });
    await until(() => it.world.count('draft') === 2 && it.value() === 'over');
    expect(it.context()).toEqual({ ...ANTS, n: 1, draft: 'draft of ants', noted: 'note0' });
    expect([it.world.count('note'), it.undone()]).toEqual([1, ['Draft']]);
    expect(it.sidecar.events()[0]).toMatchObject({ name: 'input', event: ANTS, version: 1 });
    // It is the first step of the run from here on: a later act finds it so.
    expect(await it.sidecar.revise('input', { ...ANTS }, by)).toMatchObject({ is: 'same' });
    expect(await it.sidecar.revise('input', { ...BEES }, { ...by, base: 1 })).toMatchObject({ is: 'done', version: 2 });
    await until(() => it.world.count('draft') === 3 && it.value() === 'over');
    expect(it.context()).toMatchObject({ ...BEES, draft: 'draft of bees' });
    await it.sidecar.close();
  });

  test('ST3: that changes what nothing has read moves nothing; it may have a type of its own', async () => {
    const it = await begun('none', { ...BEES, type: 'letter' });
    const answer = await it.sidecar.revise('input', { ...BEES, type: 'card' }, by);
    expect([answer.is, it.undone(), it.world.count('draft')]).toEqual(['done', [], 1]);
    expect(it.sidecar.events()[0]).toMatchObject({ event: { ...BEES, type: 'card' }, version: 1 });
    await it.sidecar.close();
  });

  test('ST4: undoes in the world what can be undone', async () => {
    const it = await begun('reversible');
    const [key] = it.world.keys('draft');
    expect((await it.sidecar.revise('input', { ...ANTS }, by)).answer?.undo).toHaveLength(1);
    await until(() => it.world.count('draft') === 2 && it.value() === 'over');
    expect([it.world.undone, it.context()]).toEqual([[key], expect.objectContaining({ draft: 'draft of ants' })]);
    await it.sidecar.close();
  });

  test.each([
    ['an act that would stand without its cause', { topic: 'bees', lang: 'fr' }, 'irreversible_effect_policy: note'],
    ['a version that is gone', { topic: 'ants', lang: 'en' }, 'steer_conflict'],
  ])('ST7, ST10, ST11: %s refuses it, and nothing moves; a preview says so and writes nothing', async (_, to, why) => {
    const it = await begun();
    await it.sidecar.durable();
    const [rows, before] = [await it.rows(), it.context()];
    const base = why === 'steer_conflict' ? { base: 3 } : {};
    const preview = await it.sidecar.preview({ revise: 'input', to, ...by, ...base });
    expect([preview.is, preview.why?.startsWith(why), await it.rows()]).toEqual(['refused', true, rows]);
    const answer = await it.sidecar.revise('input', to, { ...by, ...base });
    expect([answer.is, answer.why]).toEqual(['refused', preview.why]);
    await it.sidecar.durable();
    expect([it.context(), await it.rows()]).toEqual([before, rows + 1]);
    await it.sidecar.close();
  });

  test('ST2: is revised and nothing else: it has its place at the beginning', async () => {
    const it = await begun();
    for (const answer of [
      await it.sidecar.retract('input', by),
      await it.sidecar.revise('input', { ...ANTS }, { ...by, from: 'here' }),
    ])
      expect([answer.is, answer.why]).toEqual(['refused', expect.stringContaining('cancel the run')]);
    expect(await it.sidecar.confirm('input', by)).toMatchObject({ is: 'same' });
    await it.sidecar.close();
  });

  test('ST3: with which the machine throws at its beginning is refused', async () => {
    const world = new World();
    const { config } = office(world);
    const machine = machineOf(
      { note: world.tool('note'), draft: world.tool('draft') },
      {
        context: ({ input }: { input: { list: string[] } }) => ({ first: input.list[0]?.length ?? 0 }),
        initial: 'noting',
        states: { noting: calls('note', 'noted', 'drafting', []), drafting: calls('draft', 'draft', 'over'), over: {} },
      },
    );
    const it = await run(machine, config, { input: { list: ['a'] } } as never);
    await it.at('over');
    const answer = await it.sidecar.revise('input', { nothing: true }, by);
    expect([answer.is, answer.why]).toEqual(['refused', expect.stringContaining('input_refused')]);
    await it.sidecar.close();
  });
});

test('ST3: is refused where the machine keeps an actor from its beginning: one on paper is none of the run', async () => {
  const world = new World();
  const child = machineOf({}, { initial: 'still', states: { still: {} } });
  const machine = machineOf(
    { child, look: world.tool('look') },
    {
      context: ({ input, spawn }: { input: Input; spawn: (src: string, how: object) => unknown }) => ({
        topic: input.topic,
        helper: spawn('child', { id: 'helper' }),
      }),
      initial: 'looking',
      states: { looking: calls('look', 'seen', 'over', ['topic']), over: {} },
    },
  );
  const config = configOf(
    { look: 'reads: [topic], writes: [seen], effect: none' },
    { Look: { states: ['looking'], at: 'looking -> over', writes: ['seen'], reads: ['topic'] } },
  );
  const it = await run(machine, config, { input: BEES } as never);
  await it.at('over');
  const answer = await it.sidecar.revise('input', { ...ANTS }, by);
  expect([answer.is, answer.why]).toEqual(['refused', expect.stringContaining('input_refused')]);
  expect([it.context().topic, world.count('look')]).toEqual(['bees', 1]);
  await it.sidecar.close();
});

test.each(['input', '@12', '#12'])('ST1: no sender names its event %s', async (id) => {
  const it = await begun();
  await expect(it.sidecar.send({ type: 'SAY' } as never, { id, by: 'ada' })).rejects.toThrow(TypeError);
  await it.sidecar.close();
});

test('ST3: a call of no unit that the first state makes is made again with another input', async () => {
  const world = new World();
  const machine = machineOf(
    { look: world.tool('look', ({ input }) => `saw ${String(input.topic)}`) },
    {
      context: ({ input }: { input: Input }) => ({ topic: input.topic }),
      initial: 'looking',
      states: { looking: calls('look', 'seen', 'over', ['topic']), over: {} },
    },
  );
  const config = configOf(
    { look: 'reads: [topic], writes: [seen], effect: none' },
    {
      Other: { states: ['over'], at: 'over -> over', writes: ['none'] },
    },
  );
  const it = await run(machine, config, { input: BEES } as never);
  await it.at('over');
  expect((await it.sidecar.revise('input', { ...ANTS }, by)).is).toBe('done');
  await until(() => it.context().seen === 'saw ants');
  expect(world.count('look')).toBe(2);
  await it.sidecar.close();
});

test('ST3: a machine in the machine that is given a part of the input begins again with what that says now', async () => {
  const world = new World();
  const child = machineOf(
    { draft: world.tool('draft', ({ input }) => `draft of ${String(input.topic)}`) },
    {
      context: ({ input }: { input: Input }) => ({ topic: input.topic }),
      initial: 'drafting',
      states: { drafting: calls('draft', 'draft', 'over', ['topic']), over: { type: 'final' } },
      output: ({ context: { draft } }: { context: { draft: string } }) => draft,
    },
  );
  const machine = machineOf(
    { child },
    {
      context: ({ input }: { input: Input }) => ({ topic: input.topic }),
      initial: 'asking',
      states: { asking: calls('child', 'text', 'over', ['topic']), over: {} },
    },
  );
  const config = configOf(
    { draft: 'reads: [topic], writes: [draft], effect: none' },
    { Draft: { states: ['drafting'], at: 'drafting -> over', writes: ['draft'], reads: ['topic'] } },
  );
  const it = await run(machine, config, { input: BEES } as never);
  await it.at('over');
  const answer = await it.sidecar.revise('input', { ...ANTS }, by);
  expect([answer.is, answer.why]).toEqual(['done', null]);
  await until(() => it.context().text === 'draft of ants');
  expect(world.count('draft')).toBe(2);
  await it.sidecar.close();
});
