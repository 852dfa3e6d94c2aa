/** ST2, ST5: a revision from here on, later events that hold with an act, and the persons who may change an event. */
import { describe, expect, test } from 'vitest';
import { calm, until } from '../poll.ts';
import { context, Dying, value } from '../semantics/dying.ts';
import { calls, configOf, machineOf, run, World } from '../semantics/little.ts';
import { keeps, over, parallel, twoEvents, unit } from './writers.ts';

/** wait BRIEF; draft reads words; a later BRIEF has it drafted again. */
async function redrafting(effect = 'none', events = '') {
  const world = new World();
  const brief = { BRIEF: { target: 'draft', actions: keeps('words') } };
  const machine = machineOf(
    { draft: world.tool('draft', ({ input }) => `draft of ${String(input.words)}`) },
    {
      initial: 'wait',
      states: {
        wait: { on: brief },
        draft: calls('draft', 'text', 'ready', ['words']),
        ready: { on: { ...brief, OK: 'over' } },
        over,
      },
    },
  );
  const tools = { draft: `reads: [words], writes: [text], effect: ${effect}` };
  const config = configOf(tools, { Draft: unit('draft', 'ready', 'text', ['words']) }, events);
  const it = await run(machine, config);
  await it.sidecar.send({ type: 'BRIEF', words: 6000 } as never, { id: 'brief', by: 'ada' });
  await it.at('ready');
  return { ...it, world, machine, config };
}

const by = { by: 'ada' };

describe('ST2: a revision from here', () => {
  test('it is a new event that names the old one: nothing of the past moves, though it has an act that cannot be undone', async () => {
    const it = await redrafting('irreversible');
    const before = it.world.count('draft');
    const answer = await it.sidecar.revise('brief', { words: 8000 }, { ...by, from: 'here', id: 'second' });
    expect([answer.is, answer.version, answer.answer]).toEqual(['done', 0, null]);
    await until(() => it.context().text === 'draft of 8000');
    expect(it.world.count('draft') - before).toBe(1);
    expect(it.sidecar.events()).toMatchObject([
      { name: 'input', instead: null },
      { name: 'brief', version: 0, is: 'taken', event: { words: 6000 }, instead: null },
      { name: 'second', version: 0, is: 'taken', event: { words: 8000 }, by: 'ada', instead: 'brief' },
    ]);
    // Said again under its name it is that event, and another one has another name.
    expect(await it.sidecar.revise('brief', { words: 8000 }, { ...by, from: 'here', id: 'second' })).toMatchObject({
      is: 'same',
    });
    expect(it.world.count('draft') - before).toBe(1);
    const other = await it.sidecar.revise('brief', { words: 9000 }, { ...by, from: 'here', id: 'second' });
    expect([other.is, other.why]).toEqual(['refused', expect.stringContaining('message_differs')]);
    await expect(it.sidecar.revise('brief', { words: 1 }, { ...by, from: 'here', id: '#3' })).rejects.toThrow(
      TypeError,
    );
    await it.sidecar.close();
  });

  test('among a pause, a complaint and another region: it waits for the pause, and goes back with what it led to', async () => {
    const { machine, config, world } = parallel('none', 'events: { BRIEF: { reads: [] }, OK: { reads: [] } }', {
      BRIEF: { target: 'draft', actions: keeps('words') },
    });
    const it = await run(machine, config);
    await it.sidecar.send({ type: 'BRIEF', words: 6000 } as never, { id: 'brief', by: 'ada' });
    await it.at({ a: 'ready', b: 'wait' });
    await it.sidecar.pause({ by: 'ops' });
    const said = it.sidecar.revise('brief', { words: 8000 }, { ...by, from: 'here', id: 'second' });
    await calm();
    expect([it.context().words, world.count('draft')]).toEqual([6000, 1]);
    await it.sidecar.unpause({ by: 'ops' });
    expect(await said).toMatchObject({ is: 'done' });
    await until(() => it.context().text === 'draft of 8000');
    await it.sidecar.send({ type: 'OK' } as never, { id: 'ok', by: 'bob' });
    await it.at({ a: 'ready', b: 'heard' });
    await it.wrong('Draft', 'text', 1);
    await until(() => world.count('draft') > 2 && it.context().text === 'draft of 8000');
    expect([it.value(), it.context()]).toEqual([
      { a: 'ready', b: 'heard' },
      { words: 8000, text: 'draft of 8000', ok: true },
    ]);
    expect(it.sidecar.events().map(({ name, is }) => [name, is])).toEqual([
      ['input', 'taken'],
      ['brief', 'taken'],
      ['second', 'taken'],
      ['ok', 'taken'],
    ]);
    await it.sidecar.close();
  });

  test('the config says it for a type, and an act may say otherwise', async () => {
    const it = await redrafting('none', 'events: { BRIEF: { from: here } }');
    const preview = await it.sidecar.preview({ revise: 'brief', to: { words: 7000 }, ...by });
    expect([preview.is, preview.answer]).toEqual(['done', null]);
    expect(await it.sidecar.revise('brief', { words: 7000 }, by)).toMatchObject({ is: 'done', answer: null });
    await until(() => it.context().text === 'draft of 7000');
    expect(it.sidecar.events().length).toBe(3);
    const answer = await it.sidecar.revise('brief', { words: 5000 }, { ...by, from: 'beginning' });
    expect([answer.is, answer.version]).toEqual(['done', 1]);
    await until(() => it.sidecar.events().find(({ name }) => name === 'brief')?.version === 1);
    await it.sidecar.close();
  });

  test.each(['before', 'after'] as const)(
    '%s any append of its process, said again under its name it is one',
    async (when) => {
      let deaths = 0;
      for (let append = 1; append < 12; append += 1) {
        const it = await redrafting();
        await it.sidecar.close();
        const dying = new Dying(it.machine, it.config);
        const first = await dying.attached();
        first.actor.start();
        await first.send({ type: 'BRIEF', words: 6000 } as never, { id: 'brief', by: 'ada' });
        await until(() => value(first) === 'ready');
        await first.durable();
        dying.store.kill({ append: dying.store.appends + append, when });
        const how = { ...by, from: 'here', id: 'second' } as const;
        void first.revise('brief', { words: 8000 }, how).catch(() => {});
        await until(() => dying.isDead || (context(first) as { text?: string }).text === 'draft of 8000');
        await calm();
        const next = await dying.resumed(first);
        await next.revise('brief', { words: 8000 }, how);
        await until(() => (context(next) as { text?: string }).text === 'draft of 8000');
        const named = next.events().filter(({ instead }) => instead === 'brief');
        expect(named.map(({ name, is }) => [name, is])).toEqual([['second', 'taken']]);
        await next.close();
        if (!dying.isDead) break;
        deaths += 1;
      }
      expect(deaths).toBeGreaterThan(1);
    },
  );

  test('what is no such act is refused before it is sent', async () => {
    const it = await redrafting();
    const { sidecar } = it;
    const bad = [
      () => sidecar.revise('brief', { words: 1 }, { ...by, from: 'there' as never }),
      () => sidecar.revise('brief', { words: 1 }, { ...by, from: 'here', later: { confirm: ['ok'] } }),
      () => sidecar.revise('brief', { words: 1 }, { ...by, later: { confirm: [] } }),
    ];
    for (const say of bad) await expect(say()).rejects.toThrow(TypeError);
    expect(await sidecar.revise('input', {}, { ...by, from: 'here' })).toMatchObject({ is: 'refused' });
    await sidecar.close();
  });
});

describe('ST5: later events that hold with an act', () => {
  test('one of the same sender is received again at once, and nothing waits', async () => {
    const it = await twoEvents('', 'ada');
    const answer = await it.sidecar.revise('brief', { words: 8000 }, { ...by, later: { confirm: ['ok'] } });
    expect([answer.is, answer.waits]).toMatchObject(['done', []]);
    await it.at({ a: 'ready', b: 'heard' });
    expect(it.context()).toEqual({ words: 8000, text: 'draft of 8000', ok: true });
    await it.sidecar.close();
  });

  test('with an act on one that waits, it keeps its version', async () => {
    const it = await twoEvents('', 'ada');
    await it.sidecar.revise('ok', { words: 3 }, by);
    await it.at({ a: 'ready', b: 'heard' });
    await it.sidecar.send({ type: 'BRIEF', words: 1 } as never, { id: 'late', by: 'ada' });
    expect((await it.sidecar.revise('brief', { words: 8000 }, by)).waits).toMatchObject([{ name: 'ok', version: 1 }]);
    await it.at({ a: 'ready', b: 'wait' });
    const steered = await it.sidecar.revise('ok', { words: 4 }, { ...by, later: { confirm: ['ok'] } });
    expect([steered.is, steered.version, steered.waits]).toEqual(['done', 2, []]);
    await it.at({ a: 'ready', b: 'heard' });
    expect(it.sidecar.events().find(({ name }) => name === 'ok')).toMatchObject({ version: 2, is: 'taken' });
    await it.sidecar.close();
  });

  test('that of another sender refuses the act, and nothing moves', async () => {
    const it = await twoEvents();
    const answer = await it.sidecar.revise('brief', { words: 8000 }, { ...by, later: { confirm: ['ok'] } });
    expect([answer.is, answer.why]).toMatchObject(['refused', expect.stringMatching(/^steer_not_yours.*bob/)]);
    expect([it.context(), it.value()]).toEqual([
      { words: 6000, text: 'draft of 6000', ok: true },
      { a: 'ready', b: 'heard' },
    ]);
    await expect(it.sidecar.retract('brief', { ...by, later: { confirm: ['none'] } })).rejects.toMatchObject({
      code: 'event_unknown',
    });
    await it.sidecar.close();
  });
});

describe('ST2: the persons who may change an event', () => {
  test.each([
    ['its sender alone, where nothing is said', '', [false, false]],
    ['its sender alone', 'events: { OK: { steer: own, reads: [] } }', [false, false]],
    ['anyone', 'events: { OK: { steer: any } }', [true, true]],
    ['its sender and those of a list', 'events: { OK: { steer: [ada] } }', [true, false]],
  ])('%s', async (_, events, expected) => {
    const { machine, config } = parallel('none', events);
    const may: boolean[] = [];
    for (const who of ['ada', 'eve', 'bob']) {
      const it = await run(machine, config, { run: `r-${who}` } as never);
      await it.sidecar.send({ type: 'OK' } as never, { id: 'ok', by: 'bob' });
      await it.at({ a: 'wait', b: 'heard' });
      const answer = await it.sidecar.retract('ok', { by: who });
      if (answer.is === 'refused') expect(answer.why).toMatch(/^steer_not_yours/);
      may.push(answer.is === 'done');
      await it.sidecar.close();
    }
    expect(may).toEqual([...expected, true]);
  });
});
