/** ST2, ST3, ST4, ST5, ST7, ST9 and ST11: acts on the events of a run. */
import { describe, expect, test } from 'vitest';
import { memoryStore } from '../../src/index.ts';
import { workClient } from '../../src/workers/client.ts';
import { calm, until } from '../poll.ts';
import { context, Dying, value } from '../semantics/dying.ts';
import { calls, configOf, machineOf, run, type Unit, World } from '../semantics/little.ts';
import { keeps, over, parallel, twoEvents, unit, writer } from './writers.ts';

async function briefed(effect?: string, events?: string) {
  const { world, machine, config } = writer(effect, events);
  const journal = memoryStore();
  const find = () => ({ is: 'not_applied' as const });
  const it = await run(machine, config, { journal, undo: world.undo, reconcilers: { find } } as never);
  await it.sidecar.send({ type: 'BRIEF', words: 6000 } as never, { id: 'brief', by: 'ada' });
  await it.at('ready');
  const rows = async () => {
    await it.sidecar.durable();
    return [...(await journal.read('r'))].length;
  };
  return { ...it, world, journal, rows };
}

const by = { by: 'ada' };

describe('an act on an event', () => {
  test('ST3, ST4: a revision is received in its place, and what rests on it is done again', async () => {
    const it = await briefed();
    const answer = await it.sidecar.revise('brief', { words: 8000 }, { ...by, base: 0 });
    expect([answer.is, answer.version, answer.why]).toEqual(['done', 1, null]);
    // It had no act: it is set aside, and taken over only where it reads the same.
    expect(answer.answer?.aside.map(({ skeleton }) => skeleton)).toEqual(['Draft']);
    await it.at('ready');
    expect([it.context(), it.world.count('draft')]).toEqual([{ words: 8000, text: 'draft of 8000' }, 2]);
    expect(it.sidecar.events()).toMatchObject([
      { name: 'input' },
      { name: 'brief', version: 1, is: 'taken', event: { type: 'BRIEF', words: 8000 }, by: 'ada' },
    ]);
    it.send('OK');
    expect(await it.ending()).toMatchObject({ status: 'done' });
    await it.sidecar.close();
  });

  test('ST4: a retraction undoes what rests on it, and the machine waits where it had waited', async () => {
    const it = await briefed('reversible');
    const key = it.world.keys('draft')[0];
    const answer = await it.sidecar.retract('brief', by);
    expect([answer.is, answer.answer?.undo.length]).toEqual(['done', 1]);
    await it.at('wait');
    expect([it.context(), it.world.undone]).toEqual([{}, [key]]);
    expect(it.sidecar.events()).toMatchObject([{ name: 'input' }, { name: 'brief', is: 'retracted' }]);
    expect(await it.sidecar.retract('brief', by)).toMatchObject({ is: 'same' });
    expect(await it.sidecar.revise('brief', { words: 1 }, by)).toMatchObject({ is: 'refused' });
    await it.sidecar.send({ type: 'BRIEF', words: 9 } as never, { id: 'second', by: 'ada' });
    await it.at('ready');
    expect(it.context()).toEqual({ words: 9, text: 'draft of 9' });
    await it.sidecar.close();
  });

  test.each([
    ['irreversible', 'irreversible_effect_policy'],
    ['idempotent', 'unclaimed_effect'],
  ])(
    'ST7: an act that is %s refuses what would leave it without its cause, and nothing moves',
    async (effect, code) => {
      const it = await briefed(effect);
      const before = [it.context(), it.value(), await it.rows()] as const;
      for (const answer of [
        await it.sidecar.revise('brief', { words: 8000 }, by),
        await it.sidecar.retract('brief', by),
      ])
        expect([answer.is, answer.why?.startsWith(code)], String(answer.why)).toEqual(['refused', true]);
      await it.sidecar.durable();
      expect([it.context(), it.value(), it.world.undone]).toEqual([before[0], before[1], []]);
      // One row for each refusal, and no other.
      expect((await it.rows()) - before[2]).toBe(2);
      it.send('OK');
      expect(await it.ending()).toMatchObject({ status: 'done' });
      await it.sidecar.close();
    },
  );

  test('ST4: a revision under which a call is given the same takes nothing back in the world', async () => {
    const { world, machine } = writer('irreversible');
    const config = configOf(
      { draft: 'reads: [], writes: [text], effect: irreversible' },
      { Draft: unit('draft', 'ready', 'text') },
    );
    const it = await run(machine.provide({}) as typeof machine, config);
    await it.sidecar.close();
    const other = machineOf(
      { draft: world.tool('draft') },
      {
        initial: 'wait',
        states: {
          wait: { on: { BRIEF: { target: 'draft', actions: keeps('words') } } },
          draft: calls('draft', 'text', 'ready'),
          ready: { on: { OK: 'over' } },
          over,
        },
      },
    );
    const same = await run(other, config);
    await same.sidecar.send({ type: 'BRIEF', words: 1 } as never, { id: 'brief', by: 'ada' });
    await same.at('ready');
    expect(await same.sidecar.revise('brief', { words: 2 }, by)).toMatchObject({ is: 'done' });
    await same.at('ready');
    expect([same.context(), world.count('draft')]).toEqual([{ words: 2, text: 'draft0' }, 1]);
    await same.sidecar.close();
  });

  test('ST5: a later event whose sender had seen what changed waits, and only its sender confirms it', async () => {
    const it = await twoEvents();
    const answer = await it.sidecar.revise('brief', { words: 8000 }, by);
    expect(answer.waits).toMatchObject([{ name: 'ok', by: 'bob', is: 'taken_back' }]);
    await it.at({ a: 'ready', b: 'wait' });
    expect(await it.sidecar.confirm('ok', by)).toMatchObject({ is: 'refused' });
    expect(it.value()).toEqual({ a: 'ready', b: 'wait' });
    expect(await it.sidecar.confirm('ok', { by: 'bob' })).toMatchObject({ is: 'done', waits: [] });
    await it.at({ a: 'ready', b: 'heard' });
    await it.sidecar.close();
  });

  test('ST2: an event that waits for a state is confirmed once, and then nothing changes', async () => {
    const states = {
      wait: { on: { BRIEF: { target: 'draft', actions: keeps('words') } } },
      draft: calls('draft', 'text', 'ready', ['words']),
      ready: { on: { OK: { target: 'heard', actions: keeps('ok') } } },
      heard: {},
    };
    const machine = machineOf({ draft: new World().tool('draft') }, { initial: 'wait', states });
    const unit = { states: ['draft'], at: 'draft -> ready', writes: ['text'], reads: ['words'] };
    const it = await run(machine, configOf({ draft: 'reads: [words], writes: [text], effect: none' }, { Draft: unit }));
    await it.sidecar.send({ type: 'BRIEF' } as never, { id: 'brief', by: 'ada' });
    await it.at('ready');
    await it.sidecar.send({ type: 'OK' } as never, { id: 'ok', by: 'bob' });
    expect(await it.sidecar.retract('brief', by)).toMatchObject({ is: 'done', waits: [{ name: 'ok' }] });
    expect(await it.sidecar.confirm('ok', { by: 'bob' })).toMatchObject({ is: 'done' });
    expect(await it.sidecar.confirm('ok', { by: 'bob', id: 'again' })).toMatchObject({ is: 'same' });
    await it.sidecar.close();
  });

  test('ST5: one whose sender had seen nothing of it stands', async () => {
    const it = await twoEvents('events: { OK: { reads: [] } }');
    const answer = await it.sidecar.revise('brief', { words: 8000 }, by);
    expect([answer.is, answer.waits, answer.answer?.events.length]).toEqual(['done', [], 1]);
    await it.at({ a: 'ready', b: 'heard' });
    expect(it.context()).toEqual({ words: 8000, text: 'draft of 8000', ok: true });
    await it.sidecar.close();
  });

  test.each(['none', 'reversible'])(
    'ST3: an event inside a unit comes again where its unit does, and %s work before it is answered',
    async (effect) => {
      const world = new World();
      const undo = effect === 'reversible' ? ', undo: un' : '';
      const machine = machineOf(
        { quote: world.tool('quote', () => 5), pay: world.tool('pay', ({ input }) => `paid ${String(input.words)}`) },
        {
          initial: 'quote',
          states: {
            quote: calls('quote', 'price', 'wait'),
            wait: { on: { GO: { target: 'pay', actions: keeps('words') } } },
            pay: calls('pay', 'paid', 'ready', ['words', 'price']),
            ready: {},
          },
        },
      );
      const tools = {
        quote: `reads: [], writes: [price], effect: ${effect}${undo}`,
        pay: `reads: [words, price], writes: [paid], effect: ${effect}${undo}`,
      };
      const whole: Unit = { states: ['quote', 'wait', 'pay'], at: 'pay -> ready', writes: ['paid', 'price', 'words'] };
      const it = await run(machine, configOf(tools, { Whole: whole }), { undo: world.undo } as never);
      await it.at('wait');
      await it.sidecar.send({ type: 'GO', words: 1 } as never, { id: 'go', by: 'ada' });
      await it.at('ready');
      expect(await it.sidecar.revise('go', { words: 2 }, by)).toMatchObject({ is: 'done', version: 1 });
      await it.at('ready');
      expect(it.context()).toEqual({ price: 5, words: 2, paid: 'paid 2' });
      // What stands in the world is what the context tells of.
      const standing = world.acts.filter(({ tool, key }) => tool === 'pay' && !world.undone.includes(key ?? ''));
      expect(standing.at(-1)?.input).toEqual({ words: 2, price: 5 });
      if (effect === 'reversible') expect(standing.length).toBe(1);
      expect(await it.sidecar.retract('go', by)).toMatchObject({ is: 'done' });
      await it.at('wait');
      expect(it.context()).toEqual({ price: 5 });
      await it.sidecar.close();
    },
  );

  test('ST9: an event that waits is steered where it waits, and nothing else moves', async () => {
    const it = await twoEvents();
    await it.sidecar.revise('brief', { words: 8000 }, by);
    await it.at({ a: 'ready', b: 'wait' });
    const before = it.world.count('draft');
    expect(await it.sidecar.revise('ok', { words: 3 }, { by: 'bob' })).toMatchObject({ is: 'done', version: 1 });
    expect(it.value()).toEqual({ a: 'ready', b: 'wait' });
    await it.sidecar.confirm('ok', { by: 'bob' });
    await it.at({ a: 'ready', b: 'heard' });
    expect([it.context().ok, it.world.count('draft')]).toEqual([3, before]);
    await it.sidecar.close();
  });

  test('ST11: a preview tells the answer, and writes nothing', async () => {
    const it = await briefed();
    const before = await it.rows();
    const told = await it.sidecar.preview({ revise: 'brief', to: { words: 8000 }, ...by });
    expect([await it.rows(), it.context()]).toEqual([before, { words: 6000, text: 'draft of 6000' }]);
    const answer = await it.sidecar.revise('brief', { words: 8000 }, by);
    expect(answer.answer).toEqual(told.answer);
    await it.sidecar.close();
  });

  test('ST2, ST10: what is another version, of another sender, or said before moves nothing', async () => {
    const it = await briefed();
    const { sidecar } = it;
    expect(await sidecar.revise('brief', { words: 1 }, { ...by, base: 3 })).toMatchObject({
      is: 'refused',
      why: 'steer_conflict: version 3 was meant, and the event is at version 0',
    });
    expect((await sidecar.revise('brief', { words: 1 }, { by: 'bob' })).why).toContain('steer_not_yours');
    expect(await sidecar.revise('brief', { words: 6000 }, by)).toMatchObject({ is: 'same' });
    expect(await sidecar.revise('brief', { words: 7 }, { ...by, id: 'r1' })).toMatchObject({ is: 'done', version: 1 });
    await it.at('ready');
    expect(await sidecar.revise('brief', { words: 7 }, { ...by, id: 'r1' })).toMatchObject({ is: 'same' });
    expect((await sidecar.retract('brief', { ...by, id: 'r1' })).why).toContain('message_differs');
    await expect(sidecar.retract('never')).rejects.toThrow(/event_unknown|no event "never"/);
    await expect(sidecar.revise('brief', { words: () => 1 }, by)).rejects.toThrow(TypeError);
    expect((await sidecar.retract('input', by)).why).toContain('steer_unsupported');
    expect(it.world.count('draft')).toBe(2);
    await sidecar.close();
  });

  test('ST1: an event without a name has that of the step that took it', async () => {
    const { world, machine, config } = writer();
    const it = await run(machine, config);
    (it.actor as { send(event: object): void }).send({ type: 'BRIEF', words: 1 });
    await it.at('ready');
    const name = it.sidecar.events()[1]?.name as string;
    expect(name).toMatch(/^@\d+$/);
    expect(await it.sidecar.revise(name, { words: 2 })).toMatchObject({ is: 'done', event: name });
    await it.at('ready');
    expect([it.context(), world.count('draft')]).toEqual([{ words: 2, text: 'draft of 2' }, 2]);
    expect(it.sidecar.events()[1]).toMatchObject({ name, version: 1 });
    await it.sidecar.close();
  });

  test('ST10: a run that waits for an answer refuses it', async () => {
    const it = await briefed('irreversible');
    await it.wrong('Draft', 'text');
    await until(() => it.sidecar.status === 'parked');
    expect((await it.sidecar.retract('brief', by)).why).toContain('that comes first');
    await it.sidecar.close();
  });

  test('a message from another process is carried out, or refused in the journal; after the end it is refused at once', async () => {
    const it = await briefed();
    const client = workClient(it.journal);
    const post = await client.steer('r', { revise: 'brief', to: { words: 5 } }, by);
    const bad = await client.steer('r', { retract: 'never' }, by);
    await until(async () => (await client.outcome('r', bad))?.is === 'refused');
    expect(await client.outcome('r', post)).toMatchObject({ kind: 'steer', says: 'revise brief', is: 'taken' });
    await it.at('ready');
    expect(await client.events('r')).toMatchObject([{ name: 'input' }, { name: 'brief', version: 1 }]);
    it.send('OK');
    await it.ending();
    await it.sidecar.close();
    await expect(client.steer('r', { retract: 'brief' }, by)).rejects.toThrow(RangeError);
    await expect(client.steer('r', { revise: 'brief', to: { type: 'X' } } as never, by)).rejects.toThrow(TypeError);
  });
});

describe('acts among other words', () => {
  test('ST5, C12: a confirmation waits for its sender through a complaint, and an abort ends what an act has left', async () => {
    const it = await twoEvents();
    const { sidecar } = it;
    await sidecar.pause({ by: 'ops' });
    const said = sidecar.revise('brief', { words: 8000 }, by);
    await calm();
    // A pause holds the act back, and loses nothing of it.
    expect([it.context().words, sidecar.events().find(({ name }) => name === 'brief')?.version]).toEqual([6000, 0]);
    await sidecar.unpause({ by: 'ops' });
    expect((await said).waits).toMatchObject([{ name: 'ok' }]);
    await it.at({ a: 'ready', b: 'wait' });
    await it.wrong('Draft', 'text');
    await until(() => it.world.count('draft') === 3 && it.context().text !== undefined);
    expect(it.value()).toEqual({ a: 'ready', b: 'wait' });
    expect(sidecar.events().find(({ name }) => name === 'ok')).toMatchObject({ is: 'taken_back', by: 'bob' });
    expect(await sidecar.confirm('ok', { by: 'bob' })).toMatchObject({ is: 'done' });
    await it.at({ a: 'ready', b: 'heard' });
    expect(it.context()).toEqual({ words: 8000, text: 'draft of 8000', ok: true });
    await sidecar.cancel({ by: 'ops', undo: true });
    expect(await it.ending()).toMatchObject({ status: 'compensated' });
    await expect(sidecar.retract('brief', by)).rejects.toThrow(/run/);
    await sidecar.close();
  });

  test('ST2, CH3: an event that came during a recovery and waits is confirmed by its sender', async () => {
    let undone = () => {};
    const undoing = new Promise<void>((resolve) => {
      undone = resolve;
    });
    const { world, machine, config } = parallel('reversible, undo: un', '');
    const it = await run(machine, config, { undo: { un: () => undoing } } as never);
    await it.sidecar.send({ type: 'BRIEF', words: 6000 } as never, { id: 'brief', by: 'ada' });
    await it.at({ a: 'ready', b: 'wait' });
    void it.wrong('Draft', 'text');
    await until(() => it.sidecar.status !== 'running' || it.sidecar.waitsFor.length > 0);
    const sent = it.sidecar.send({ type: 'OK' } as never, { id: 'ok', by: 'bob' });
    await calm();
    undone();
    await sent;
    await until(() => world.count('draft') === 2 && it.context().text !== undefined);
    expect(it.value()).toEqual({ a: 'ready', b: 'wait' });
    expect(it.sidecar.events().find(({ name }) => name === 'ok')).toMatchObject({ is: 'taken_back' });
    expect(await it.sidecar.confirm('ok', { by: 'bob' })).toMatchObject({ is: 'done' });
    await it.at({ a: 'ready', b: 'heard' });
    await it.sidecar.close();
  });

  test('ST2: an act that comes again under its name is carried out once, and answered alike each time', async () => {
    const it = await briefed();
    const client = workClient(it.journal);
    for (let times = 0; times < 3; times += 1) {
      const post = await client.steer('r', { revise: 'brief', to: { words: 5 }, id: 'r1' }, by);
      await until(async () => (await client.outcome('r', post))?.is !== 'left');
      expect(await client.outcome('r', post)).toMatchObject({ is: 'taken', why: null });
    }
    await it.at('ready');
    expect([it.world.count('draft'), it.sidecar.events()[1]?.version]).toEqual([2, 1]);
    const unknown = await client.steer('r', { retract: 'never', id: 'r2' }, by);
    await until(async () => (await client.outcome('r', unknown))?.is === 'refused');
    expect(it.sidecar.events().map(({ name }) => name)).toEqual(['input', 'brief']);
    await it.sidecar.close();
  });
});

describe('ST10: a process that dies', () => {
  test.each(['before', 'after'] as const)('%s any append of an act leaves it to the next one', async (when) => {
    let deaths = 0;
    for (let append = 1; append < 12; append += 1) {
      const { world, machine, config } = writer('none');
      const dying = new Dying(machine, config);
      const first = await dying.attached();
      first.actor.start();
      await first.send({ type: 'BRIEF', words: 6000 } as never, { id: 'brief', by: 'ada' });
      await until(() => value(first) === 'ready');
      await first.durable();
      dying.store.kill({ append: dying.store.appends + append, when });
      const said = first.revise('brief', { words: 8000 }, { by: 'ada', id: 'r1' });
      void said.catch(() => {});
      await until(() => dying.isDead || (world.count('draft') === 2 && value(first) === 'ready'));
      await calm();
      const next = await dying.resumed(first);
      await until(() => value(next) === 'ready');
      // Said again under its name, it is one act.
      await next.revise('brief', { words: 8000 }, { by: 'ada', id: 'r1' });
      await until(() => value(next) === 'ready' && (context(next) as { text?: string }).text === 'draft of 8000');
      expect([append, context(next)]).toEqual([append, { words: 8000, text: 'draft of 8000' }]);
      expect(next.events()).toMatchObject([{ name: 'input' }, { name: 'brief', version: 1, is: 'taken' }]);
      await next.close();
      if (!dying.isDead) break;
      deaths += 1;
    }
    expect(deaths).toBeGreaterThan(3);
  });
});
