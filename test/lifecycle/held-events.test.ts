/** CH3, CH4, CH6: an event that comes while a run is put back or parked is held by a row, and is judged by what its sender was shown. */
import { describe, expect, test } from 'vitest';
import { memoryStore } from '../../src/index.ts';
import { resume } from '../../src/xstate/index.ts';
import { calm, until } from '../poll.ts';
import { calls, configOf, held, machineOf, run, World } from '../semantics/little.ts';

/** book; wait GO; tell. The undo of the booking takes as long as it is told to. */
function trip(more = '', answers: (nth: number) => unknown = (nth) => nth) {
  const world = new World();
  const undoing = held();
  const machine = machineOf(
    { book: world.tool('book', ({ nth }) => answers(nth)), tell: world.tool('tell') },
    {
      initial: 'booking',
      states: {
        booking: calls('book', 'booking', 'waiting'),
        waiting: { on: { GO: 'telling' } },
        telling: calls('tell', 'told', 'end'),
        end: { type: 'final' },
      },
    },
  );
  const config = configOf(
    { book: 'writes: [booking], effect: reversible, undo: un', tell: 'reads: [booking], writes: [told], effect: none' },
    { Trip: { states: ['booking'], at: 'booking -> waiting', writes: ['booking'] } },
    more,
  );
  const undo = { un: async () => void (await undoing.promise) };
  return { world, machine, config, undo, undoing };
}

/** Has the booking taken back, and sends events while its undo is under way: the decision is fenced, and nothing is restored yet. */
async function whileUndone(
  it: Awaited<ReturnType<typeof run>>,
  undoing: ReturnType<typeof held>,
  ...types: readonly string[]
): Promise<void> {
  const failed = it.wrong('Trip', 'booking');
  await until(() => it.reports.length === 1);
  for (const type of types) it.send(type);
  undoing.resolve(null);
  await failed;
}

/** Pay ‖ wait GO, with a payment of which nobody knows what became. */
function payAndWait() {
  const pay = () => Promise.reject(new Error('connection reset'));
  const world = new World();
  const machine = machineOf(
    { pay: world.tool('pay', pay) },
    {
      type: 'parallel',
      states: {
        a: { initial: 'paying', states: { paying: calls('pay', 'paid', 'over'), over: { type: 'final' } } },
        b: { initial: 'waiting', states: { waiting: { on: { GO: 'over' } }, over: { type: 'final' } } },
      },
    },
  );
  const config = configOf(
    { pay: 'writes: [paid], effect: irreversible, reconcile: { ask: bank, tries: 1 }' },
    { Pay: { states: ['a.paying'], at: 'a.paying -> a.over', writes: ['paid'] } },
  );
  return { machine, config, reconcilers: { bank: () => ({ is: 'unknown' as const }) } };
}

describe('CH3: an event that comes between the fence and the restore', () => {
  test('waits where its sender had seen what was found wrong, and says so', async () => {
    const { world, machine, config, undo, undoing } = trip();
    const found: string[] = [];
    const it = await run(machine, config, { undo, onFinding: ({ code, text }) => void found.push(`${code}: ${text}`) });
    await it.at('waiting');
    await whileUndone(it, undoing, 'GO');
    await until(() => world.count('book') === 2 && it.value() === 'waiting');
    await calm();
    expect([it.value(), world.count('tell')]).toEqual(['waiting', 0]);
    expect(found.filter((text) => text.startsWith('event_waits: GO'))).toHaveLength(1);
    it.send('GO');
    expect(await it.ending()).toMatchObject({ status: 'done' });
    expect((await it.ending()) as object).not.toHaveProperty('untaken');
    await it.sidecar.close();
  });

  test('is handed on where the config says that its sender has not looked at that', async () => {
    const { world, machine, config, undo, undoing } = trip('events: { GO: { reads: [] } }');
    const it = await run(machine, config, { undo });
    await it.at('waiting');
    await whileUndone(it, undoing, 'GO');
    expect(await it.ending()).toMatchObject({ status: 'done' });
    expect([world.count('book'), world.count('tell')]).toEqual([2, 1]);
    await it.sidecar.close();
  });

  test('and is named by the end of a run that has never taken it (LC8)', async () => {
    const { machine, config, undo, undoing } = trip();
    const store = memoryStore();
    const it = await run(machine, config, { undo, journal: store });
    await it.at('waiting');
    await whileUndone(it, undoing, 'GO', 'STOP');
    await it.at('waiting');
    it.send('GO');
    expect(await it.ending()).toMatchObject({ status: 'done', untaken: [{ event: 'STOP', by: null, post: null }] });
    await it.sidecar.close();
  });
});

/** book ‖ wait ONE ‖ wait TWO: what ONE's sender had seen is found wrong, and the sender of TWO has looked at nothing. */
function threeRegions() {
  const world = new World();
  const undoing = held();
  const waits = (type: string) => ({
    initial: 'waiting',
    states: { waiting: { on: { [type]: 'over' } }, over: { type: 'final' } },
  });
  const book = {
    initial: 'booking',
    states: { booking: calls('book', 'booking', 'over'), over: { on: { END: 'end' } }, end: { type: 'final' } },
  };
  const machine = machineOf(
    { book: world.tool('book') },
    { type: 'parallel', states: { a: book, b: waits('ONE'), c: waits('TWO') } },
  );
  const config = configOf(
    { book: 'writes: [booking], effect: reversible, undo: un' },
    { Trip: { states: ['a.booking'], at: 'a.booking -> a.over', writes: ['booking'] } },
    'events: { TWO: { reads: [] } }',
  );
  return { world, machine, config, undoing, undo: { un: async () => void (await undoing.promise) } };
}

describe('CH10: an event that does not fit', () => {
  test('holds back no event of another region, and each has one end (CH1)', async () => {
    const { world, machine, config, undo, undoing } = threeRegions();
    const it = await run(machine, config, { undo });
    await it.at({ a: 'over', b: 'waiting', c: 'waiting' });
    await whileUndone(it, undoing, 'ONE', 'TWO');
    await it.at({ a: 'over', b: 'waiting', c: 'over' });
    await calm();
    expect([it.value(), world.count('book')]).toEqual([{ a: 'over', b: 'waiting', c: 'over' }, 2]);
    it.send('ONE');
    it.send('END');
    const ending = await it.ending();
    expect(ending).toMatchObject({ status: 'done' });
    expect(ending).not.toHaveProperty('untaken');
    await it.sidecar.close();
  });
});

describe('CH6: an event for a parked run', () => {
  test.each([
    ['the process that has it', false],
    ['the next process, where the first gave the run back', true],
  ])('is delivered once the question is answered, in %s', async (_, isNext) => {
    const { machine, config, reconcilers } = payAndWait();
    const journal = memoryStore();
    const it = await run(machine, config, { journal, reconcilers });
    const parked = await it.ending();
    it.send('GO');
    await calm();
    let { sidecar } = it;
    if (isNext) {
      await sidecar.close();
      sidecar = await resume(machine, { run: 'r', config, journal, reconcilers } as never);
      sidecar.actor.start();
    }
    const [act] = parked.status === 'parked' && 'unblock' in parked.decision ? parked.decision.unblock.acts : [];
    await sidecar.settle((act as { effect: { id: string } }).effect.id, 'confirmed', 'paid');
    expect(await sidecar.finished()).toMatchObject({ status: 'done' });
    await sidecar.close();
  });

  test('is refused, and its journal says so, where no state takes it then', async () => {
    const { machine, config, reconcilers } = payAndWait();
    const journal = memoryStore();
    const it = await run(machine, config, { journal, reconcilers });
    const parked = await it.ending();
    it.send('NOTHING');
    it.send('GO');
    const [act] = parked.status === 'parked' && 'unblock' in parked.decision ? parked.decision.unblock.acts : [];
    await it.sidecar.settle((act as { effect: { id: string } }).effect.id, 'confirmed', 'paid');
    const ending = await it.ending();
    expect(ending).toMatchObject({ status: 'done' });
    expect(ending).not.toHaveProperty('untaken');
    await it.sidecar.close();
  });
});
