/** LC10: while a person has paused a run nothing leaves and nothing is decided, what comes waits, and nothing of it is lost. */
import { describe, expect, test } from 'vitest';
import { memoryStore } from '../../src/index.ts';
import { workClient } from '../../src/workers/index.ts';
import { resume } from '../../src/xstate/index.ts';
import { calm, until } from '../poll.ts';
import { calls, configOf, held, machineOf, run, World } from '../semantics/little.ts';

const ANN = { by: 'ann', why: 'the price is odd' };

/** look; wait GO; book; wait END. */
function trip(options: { readonly gate?: boolean } = {}) {
  const world = new World();
  const looking = held();
  const machine = machineOf(
    {
      look: world.tool('look', async ({ nth }) => {
        await looking.promise;
        return 500 + nth;
      }),
      book: world.tool('book'),
    },
    {
      initial: 'looking',
      states: {
        looking: calls('look', 'price', 'waiting'),
        waiting: { on: { GO: 'booking' } },
        booking: calls('book', 'booking', 'booked', ['price']),
        booked: { on: { END: 'end' } },
        end: { type: 'final' },
      },
    },
  );
  const approve = options.gate === true ? ', gate: { expires: 1h }' : '';
  const config = configOf(
    {
      look: 'writes: [price], effect: none',
      book: `reads: [price], writes: [booking], effect: reversible, undo: un${approve}`,
    },
    {
      Price: { states: ['looking'], at: 'looking -> waiting', writes: ['price'] },
      Book: { states: ['booking'], at: 'booking -> booked', writes: ['booking'], reads: ['price'] },
    },
    'events: { GO: { reads: [] }, END: { reads: [] } }',
  );
  return { world, machine, config, looking, undo: world.undo };
}

describe('LC10: a paused run', () => {
  test('holds an event back, says that it is paused, and takes the event once a person has it go on', async () => {
    const { world, machine, config, looking, undo } = trip();
    looking.resolve(null);
    const it = await run(machine, config, { undo });
    await it.at('waiting');
    await it.sidecar.pause(ANN);
    expect(it.sidecar.status).toBe('paused');
    expect(await it.sidecar.finished()).toEqual({ status: 'paused', ...ANN });
    it.send('GO');
    await calm();
    expect([it.value(), world.count('book')]).toEqual(['waiting', 0]);
    await it.sidecar.unpause({ by: 'bob' });
    await it.at('booked');
    expect([world.count('book'), it.sidecar.status]).toEqual([1, 'running']);
    it.send('END');
    expect(await it.ending()).toMatchObject({ status: 'done' });
    await it.sidecar.close();
  });

  test('writes down what a call under way answers, and makes the next call only afterwards', async () => {
    const { world, machine, config, looking } = trip();
    const it = await run(machine, config, { undo: world.undo });
    await until(() => world.count('look') === 1);
    await it.sidecar.pause(ANN);
    looking.resolve(null);
    it.send('GO');
    await calm();
    expect([it.value(), world.count('book')]).toEqual(['looking', 0]);
    await it.sidecar.unpause(ANN);
    await it.at('waiting');
    it.send('GO');
    await it.at('booked');
    expect([world.count('look'), world.count('book')]).toEqual([1, 1]);
    await it.sidecar.close();
  });

  test('takes an event that was held behind its last answer, once a complaint has taken that answer back', async () => {
    const { world, looking } = trip();
    const look = world.tool('look', () => looking.promise);
    const states = { looking: calls('look', 'price', 'end'), end: { type: 'final' } };
    // Its end state would take GO, too: handed on beside the decision about the end, it was held anew, and so on without end.
    const machine = machineOf({ look }, { initial: 'looking', on: { GO: { actions: () => {} } }, states });
    const unit = { states: ['looking'], at: 'looking -> end', writes: ['price'] };
    const tools = { look: 'writes: [price], effect: none' };
    const it = await run(machine, configOf(tools, { Price: unit }, 'events: { GO: { reads: [] } }'));
    await until(() => world.count('look') === 1);
    await it.sidecar.pause(ANN);
    looking.resolve(500);
    await calm();
    void it.sidecar.send({ type: 'GO' } as never, { id: 'GO' });
    const complained = it.wrong('Price');
    await calm();
    await it.sidecar.unpause({ by: 'bob' });
    await complained;
    expect(await it.ending()).toEqual({ status: 'done' });
    expect(it.sidecar.events().map(({ type, is }) => [type, is])).toContainEqual(['GO', 'taken']);
    await it.sidecar.close();
  });

  test('decides a complaint once it goes on, and undoes nothing before', async () => {
    const { world, machine, config, looking, undo } = trip();
    looking.resolve(null);
    const it = await run(machine, config, { undo });
    await it.at('waiting');
    it.send('GO');
    await it.at('booked');
    await it.sidecar.pause(ANN);
    const failed = it.wrong('Book', 'booking');
    await calm();
    expect([it.reports.length, world.undone.length, it.value()]).toEqual([0, 0, 'booked']);
    await it.sidecar.unpause(ANN);
    await failed;
    await until(() => world.count('book') === 2);
    expect([it.reports.length, world.undone.length]).toEqual([1, 1]);
    await it.sidecar.close();
  });

  test('takes an approval, and has the call leave once it goes on', async () => {
    const { world, machine, config, looking, undo } = trip({ gate: true });
    looking.resolve(null);
    const it = await run(machine, config, { undo });
    await it.at('waiting');
    it.send('GO');
    await until(() => it.sidecar.gates().length === 1);
    await it.sidecar.pause(ANN);
    const [gate] = it.sidecar.gates();
    expect(await it.sidecar.answer(gate?.gate ?? '', 'approved', { by: 'bob' })).toBeNull();
    await calm();
    expect(world.count('book')).toBe(0);
    await it.sidecar.unpause(ANN);
    await it.at('booked');
    expect(world.count('book')).toBe(1);
    await it.sidecar.close();
  });

  test('takes a cancel, and ends once it goes on', async () => {
    const { world, machine, config, looking, undo } = trip();
    looking.resolve(null);
    const store = memoryStore();
    const it = await run(machine, config, { undo, journal: store });
    await it.at('waiting');
    await it.sidecar.pause(ANN);
    await workClient(store).cancel('r', { by: 'bob' });
    await until(() => it.sidecar.rest().idle);
    await calm();
    expect(it.sidecar.status).toBe('paused');
    await it.sidecar.unpause(ANN);
    await until(() => it.sidecar.status === 'cancelled');
    expect([await it.sidecar.finished(), world.count('book')]).toMatchObject([{ status: 'cancelled', by: 'bob' }, 0]);
    await it.sidecar.close();
  });

  test('is not taken up by another process before a person has it go on, and loses nothing by it', async () => {
    const { world, machine, config, looking, undo } = trip();
    looking.resolve(null);
    const store = memoryStore();
    const it = await run(machine, config, { undo, journal: store });
    await it.at('waiting');
    await it.sidecar.pause(ANN);
    it.send('GO');
    await it.sidecar.close();
    const again = () => resume(machine, { run: 'r', config, undo, journal: store } as never);
    await expect(again()).rejects.toMatchObject({ code: 'paused', message: expect.stringContaining('"ann"') });
    await expect(again()).rejects.toMatchObject({ code: 'paused' });
    expect(world.count('book')).toBe(0);
    await workClient(store).unpause('r', { by: 'bob' });
    const next = await again();
    next.actor.start();
    await until(() => world.count('book') === 1);
    await next.close();
  });

  test('hears the word of another process, and obeys it', async () => {
    const { world, machine, config, looking, undo } = trip();
    looking.resolve(null);
    const store = memoryStore();
    const it = await run(machine, config, { undo, journal: store });
    await it.at('waiting');
    await workClient(store).pause('r', ANN);
    await until(() => it.sidecar.status === 'paused');
    await workClient(store).send('r', 'GO');
    await calm(300);
    expect([it.value(), world.count('book')]).toEqual(['waiting', 0]);
    await workClient(store).unpause('r', ANN);
    await it.at('booked');
    await it.sidecar.close();
  });

  test('refuses a second pause, an unpause of a run that goes on, and what only a run that goes on can do', async () => {
    const { machine, config, looking, undo } = trip();
    looking.resolve(null);
    const it = await run(machine, config, { undo });
    await expect(it.sidecar.unpause(ANN)).rejects.toMatchObject({ code: 'not_advised' });
    await it.sidecar.pause(ANN);
    await expect(it.sidecar.pause(ANN)).rejects.toMatchObject({ code: 'not_advised' });
    for (const act of ['rerun', 'reconcile'] as const)
      await expect(it.sidecar[act]()).rejects.toMatchObject({ code: 'paused' });
    await expect(it.sidecar.retry({ by: 'ann' })).rejects.toMatchObject({ code: 'paused' });
    await expect(it.sidecar.unpause({ by: ' ' })).rejects.toThrow(TypeError);
    await it.sidecar.close();
  });
});
