/**
 * LC10: a run is paused after each of its appends, something comes meanwhile, its process lives on or gives the run back, and it is unpaused. While it is paused nothing
 * leaves; in the end it is as if it had never been paused.
 */
import { expect, test } from 'vitest';
import { type JournalStore, memoryStore } from '../../src/index.ts';
import { wrapJournals } from '../../src/testing/index.ts';
import { workClient } from '../../src/workers/index.ts';
import { attach, resume, type Sidecar } from '../../src/xstate/index.ts';
import { calm, until } from '../poll.ts';
import { calls, configOf, machineOf, World } from '../semantics/little.ts';

/** The regions: look, pay what was seen, wait GO; note, wait a moment, and tell. */
function shop() {
  const world = new World();
  const machine = machineOf(
    { look: world.tool('look'), pay: world.tool('pay'), note: world.tool('note'), tell: world.tool('tell') },
    {
      initial: 'work',
      states: {
        work: {
          type: 'parallel',
          states: {
            a: {
              initial: 'looking',
              states: {
                looking: calls('look', 'price', 'paying'),
                paying: calls('pay', 'paid', 'waiting', ['price']),
                waiting: { on: { GO: 'over' } },
                over: { type: 'final' },
              },
            },
            b: {
              initial: 'noting',
              states: {
                noting: calls('note', 'noted', 'resting'),
                resting: { after: { 3: 'telling' } },
                telling: calls('tell', 'told', 'over', ['noted']),
                over: { type: 'final' },
              },
            },
          },
          onDone: 'end',
        },
        end: { type: 'final' },
      },
    },
  );
  const unit = (state: string, to: string, key: string, reads: readonly string[] = []) => ({
    states: [`work.${state}`],
    at: `work.${state} -> work.${to}`,
    writes: [key],
    reads,
  });
  const config = configOf(
    {
      look: 'writes: [price], effect: none',
      pay: 'reads: [price], writes: [paid], effect: reversible, undo: un',
      note: 'writes: [noted], effect: idempotent',
      tell: 'reads: [noted], writes: [told], effect: reversible, undo: un',
    },
    {
      Look: unit('a.looking', 'a.paying', 'price'),
      Pay: unit('a.paying', 'a.waiting', 'paid', ['price']),
      Note: unit('b.noting', 'b.resting', 'noted'),
      Tell: unit('b.telling', 'b.over', 'told', ['noted']),
    },
    'events: { GO: { reads: [] } }',
  );
  return { world, machine, config };
}

type Comes = 'nothing' | 'event' | 'complaint';
type Ends = 'lives' | 'closes';

/** A store that tells of each append, once it is made. */
function telling(onAppend: () => void): JournalStore {
  return wrapJournals(memoryStore(), (journal) => ({
    append: (rows, note) => {
      const head = journal.append(rows, note);
      onAppend();
      return head;
    },
  }));
}

/** One run, paused after its n-th append. @returns null where it has made fewer. */
async function paused(nth: number, comes: Comes, ends: Ends) {
  const { world, machine, config } = shop();
  let [appends, isDue] = [0, false];
  const reached = new Promise<void>((resolve) => {
    world.acts.length = 0;
    store = telling(() => {
      appends += 1;
      if (appends !== nth) return;
      isDue = true;
      // Before anything else can happen: the words of people come between two turns of the machine.
      queueMicrotask(resolve);
    });
  });
  const options = { run: 'r', config, journal: store, undo: world.undo } as never;
  let sidecar: Sidecar = await attach(machine, options);
  sidecar.actor.start();
  const at = (state: object) => (sidecar.actor.getSnapshot() as { matches(state: object): boolean }).matches(state);
  await Promise.race([reached, until(() => at({ work: { a: 'waiting', b: 'over' } }))]);
  if (!isDue) {
    await sidecar.close();
    return null;
  }
  await sidecar.pause({ by: 'ann' });
  const [left, undone] = [world.acts.length, world.undone.length];
  const wasPaid = world.count('pay') === 1 && at({ work: { a: 'waiting' } });
  if (comes === 'event') sidecar.actor.send({ type: 'GO' } as never);
  const found = { instance: { skeleton: 'Pay', entity: 'it' }, key: 'paid' };
  const told = comes === 'complaint' && wasPaid ? sidecar.fail('CONTRACT_VIOLATION', found).catch(() => {}) : null;
  await calm(8);
  expect([world.acts.length, world.undone.length, sidecar.status]).toEqual([left, undone, 'paused']);
  if (ends === 'closes') {
    await sidecar.close();
    await expect(resume(machine, options)).rejects.toMatchObject({ code: 'paused' });
    await workClient(store).unpause('r', { by: 'bob' });
    sidecar = await resume(machine, options);
    sidecar.actor.start();
  } else await sidecar.unpause({ by: 'bob' });
  await told;
  const isOver = () => sidecar.status === 'done';
  const isWaiting = () => at({ work: { a: 'waiting', b: 'over' } }) && sidecar.status === 'running';
  const value = () => JSON.stringify((sidecar.actor.getSnapshot() as { value: unknown }).value);
  await until(
    () => isOver() || isWaiting(),
    () => `append ${nth}, ${comes}, ${ends}: the end; it is ${sidecar.status} at ${value()}`,
  );
  if (!isOver()) sidecar.actor.send({ type: 'GO' } as never);
  const ending = await sidecar.finished();
  await sidecar.close();
  const stand = world.acts.filter(({ key }) => key === undefined || !world.undone.includes(key));
  const standing = (name: string) => stand.filter(({ tool }) => tool === name).length;
  const [first, second] = world.keys('pay');
  const isAgain = told === null || ends === 'closes' || (second !== undefined && world.undone.includes(first ?? ''));
  return { ending: ending.status, standing, made: world.acts.length - world.undone.length, isAgain };
}

let store: JournalStore = memoryStore();

test('a run that is paused after any of its appends ends as if it had not been (LC10)', async () => {
  let scenarios = 0;
  for (const comes of ['nothing', 'event', 'complaint'] as const)
    for (const ends of ['lives', 'closes'] as const)
      for (let nth = 1; ; nth += 1) {
        const came = await paused(nth, comes, ends);
        if (came === null) break;
        scenarios += 1;
        const { ending, standing, made, isAgain } = came;
        const at = `append ${nth}, ${comes}, ${ends}`;
        expect([at, ending, standing('pay'), standing('tell'), isAgain]).toEqual([at, 'done', 1, 1, true]);
        // A call of no effect may have been under way as its process gave the run back: it is made again.
        expect([at, made >= 4 && made <= (ends === 'closes' ? 6 : 4)]).toEqual([at, true]);
      }
  expect(scenarios).toBeGreaterThan(50);
});
