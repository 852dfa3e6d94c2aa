/** Turns of loops and flows that were left before an act on another turn, and that wait in the inbox (semantics.md RC12), and turns that go on as a person
 * pauses or cancels the run, or its worker is stopped (LC8, LC10, RC6, RC7). */
import { afterEach, describe, expect, test } from 'vitest';
import { memoryStore } from '../../src/journal/memory/store.ts';
import { type WorkClient, workClient } from '../../src/workers/client.ts';
import { Bank, desk, deskOptions } from '../flow/desk.ts';
import { until } from '../poll.ts';
import { scratchFolder } from '../scratch.ts';
import { held } from '../sidecar/stations.ts';
import { isOver, kindsIn, leaves, said, says, steers, workerOf } from './kinds.ts';
import { mortal } from './mortal.ts';

const folder = scratchFolder('left-turns');
const closing: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

describe.each(kindsIn(folder))('turns of a $name that wait', ({ name, make }) => {
  /** A run that has paid in m2, and whose m3 quotes until it is let go. */
  async function quoting(how: 'stands' | 'rewritten' = 'stands') {
    const store = memoryStore();
    const { bank, agent } = make('reversible');
    const client = workClient(store);
    const worker = workerOf(store, { ...agent, said: how }, folder);
    closing.push(() => worker.stop());
    await client.start({ run: 'chat', agent: name, input: '' });
    await says(client, { m1: 'quote', m2: 'pay' });
    const [asked, answered] = [held(), held()];
    bank.onQuote = async () => {
      asked.resolve(null);
      await answered.promise;
    };
    await leaves(client, { m3: 'quote' });
    await asked.promise;
    bank.onQuote = async () => {};
    return { bank, client, goesOn: () => answered.resolve(null) };
  }

  test('are retracted where they wait, and nothing else moves (ST9)', async () => {
    const { bank, client, goesOn } = await quoting();
    await leaves(client, { m4: 'pay', m5: 'quote' });
    expect(await steers(client, { retract: 'm4' }, 'ben')).toMatchObject({ is: 'refused' });
    expect(await steers(client, { retract: 'm4' })).toMatchObject({ is: 'taken', why: null });
    expect(await client.outcome('chat', 'm4')).toMatchObject({ is: 'retracted' });
    goesOn();
    await until(() => isOver(client, 'm5'));
    expect(await said(client, 'm5')).toEqual(['quoted 100', 'paid 100', 'quoted 100', 'quoted 100']);
    expect(bank.standing).toEqual([100]);
    await leaves(client, { m4: 'pay' });
    await leaves(client, { m6: 'quote' });
    await until(() => isOver(client, 'm6'));
    expect(bank.standing).toEqual([100]);
  });

  test('are revised where they wait, and come as what they say by then', async () => {
    const { bank, client, goesOn } = await quoting();
    await leaves(client, { m4: 'pay pay' });
    expect(await steers(client, { revise: 'm4', to: { input: 'quote' } })).toMatchObject({ is: 'taken', why: null });
    goesOn();
    await until(() => isOver(client, 'm4'));
    expect(await said(client, 'm4')).toEqual(['quoted 100', 'paid 100', 'quoted 100', 'quoted 100']);
    expect(bank.standing).toEqual([100]);
  });

  test('never were where an earlier turn is changed, unless the act says that they hold (RC9)', async () => {
    for (const later of [[], ['m4']]) {
      const { bank, client, goesOn } = await quoting();
      await leaves(client, { m4: 'pay' });
      const act = { retract: 'm2', ...(later.length > 0 && { later: { confirm: later } }) } as const;
      expect(await steers(client, act)).toMatchObject({ is: 'taken', why: null });
      goesOn();
      await leaves(client, { m5: 'quote' });
      await until(() => isOver(client, 'm5'));
      const paid = later.length > 0 ? ['paid 100'] : [];
      expect(await said(client, 'm5')).toEqual(['quoted 100', ...paid, 'quoted 100']);
      expect([bank.standing.length, (await client.outcome('chat', 'm4'))?.is]).toEqual(
        later.length > 0 ? [1, 'taken'] : [0, 'retracted'],
      );
    }
  });

  test('are of readers of what was said before them: an act of another on an earlier turn is refused (RC8)', async () => {
    const { bank, client, goesOn } = await quoting();
    await leaves(client, { m4: 'quote' }, 'ben');
    expect(await steers(client, { retract: 'm2' })).toMatchObject({
      is: 'refused',
      why: expect.stringMatching(/^said_to_person: .*the turn m4 that waits, and it was sent by ben/),
    });
    goesOn();
    await until(() => isOver(client, 'm4'));
    expect(await said(client, 'm4')).toEqual(['quoted 100', 'paid 100', 'quoted 100', 'quoted 100']);
    expect(bank.standing).toEqual([100]);
  });

  test('come behind the turns that come again where what was said is rewritten (RC4)', async () => {
    const { bank, client, goesOn } = await quoting('rewritten');
    await leaves(client, { m4: 'pay' });
    expect(await steers(client, { retract: 'm2' })).toMatchObject({ is: 'taken', why: null });
    goesOn();
    await until(() => isOver(client, 'm4'));
    expect(await said(client, 'm4')).toEqual(['quoted 100', 'quoted 100', 'paid 100']);
    expect(bank.standing).toEqual([100]);
  });

  test('are held by an act whichever row a worker dies at, and each is there once', async () => {
    let deaths = 0;
    for (let dies = 1; ; dies += 1) {
      const { bank, agent } = make('reversible');
      const rows = memoryStore();
      const client = workClient(rows);
      const own = { ...agent, said: 'stands' } as const;
      const before = workerOf(rows, own, folder);
      await client.start({ run: 'chat', agent: name, input: '' });
      await says(client, { m1: 'quote', m2: 'pay' });
      await before.stop();
      await leaves(client, { m3: 'pay', m4: 'pay pay', m5: 'quote' });
      const posts = [
        await client.steer('chat', { retract: 'm3' }, { by: 'ada' }),
        await client.steer('chat', { revise: 'm4', to: { input: 'quote' } }, { by: 'ada' }),
      ];
      await leaves(client, { m6: 'quote' });
      const { store, life, next } = await mortal(rows, dies);
      const first = workerOf(store, own, folder);
      await until(async () => life.isDead || (await isOver(client, 'm6')));
      const { isDead } = life;
      const stopped = first.stop();
      if (isDead) {
        deaths += 1;
        const second = workerOf(await next(), own, folder);
        await until(() => isOver(client, 'm6'));
        await second.stop();
      } else await stopped;
      const told = await Promise.all(posts.map(async (post) => (await client.outcome('chat', post))?.is));
      expect(told, `dies at ${dies}`).toEqual(['taken', 'taken']);
      expect(await said(client, 'm6'), `dies at ${dies}`).toEqual([
        'quoted 100',
        'paid 100',
        ...['m4', 'm5', 'm6'].map(() => 'quoted 100'),
      ]);
      expect(bank.standing, `dies at ${dies}`).toEqual([100]);
      await rows.close();
      if (!isDead) break;
    }
    expect(deaths).toBeGreaterThan(5);
  });
});

test('a turn that was revised where it waited is known by what was handed in', async () => {
  const [bank, store] = [new Bank(), memoryStore()];
  const run = await desk(bank).attach(deskOptions(bank, store, 'stands', 'reversible'));
  closing.push(() => run.close());
  const [asked, answered] = [held(), held()];
  bank.onQuote = async () => {
    asked.resolve(null);
    await answered.promise;
  };
  const first = run.invoke('quote', { id: 'm1' });
  await asked.promise;
  await workClient(store).send('r', { type: 'turn', input: 'pay' }, { id: 'm2', by: 'ada' });
  expect(await run.preview({ revise: 'm2', to: { input: 'quote' }, by: 'ada' })).toMatchObject({ is: 'done' });
  expect(await run.revise('m2', { input: 'quote' }, { by: 'ada' })).toMatchObject({ is: 'done', version: 1 });
  answered.resolve(null);
  expect(await first).toEqual(['quoted 100']);
  await until(async () => (await workClient(store).outcome('r', 'm2'))?.turn?.isOver === true);
  expect(await run.invoke('pay', { id: 'm2' })).toEqual(['quoted 100', 'quoted 100']);
  await expect(run.invoke('quote', { id: 'm2' })).rejects.toMatchObject({ code: 'turn_differs' });
  expect(bank.standing).toEqual([]);
});

/** Waits until the run has heard a message. */
const hears = (client: WorkClient, post: number) =>
  until(async () => (await client.outcome('chat', post))?.is === 'taken');

describe.each(kindsIn(folder))('a turn of a $name that goes on', ({ name, make }) => {
  /** A run that has paid in m1, and whose m2 quotes until it is let go; it would pay behind that. */
  async function quoting() {
    const store = memoryStore();
    const { bank, agent } = make('reversible');
    const client = workClient(store);
    const work = () => {
      const worker = workerOf(store, agent, folder);
      closing.push(() => worker.stop());
      return worker;
    };
    const worker = work();
    await client.start({ run: 'chat', agent: name, input: '' });
    await says(client, { m1: 'quote pay' });
    const [asked, answered] = [held(), held()];
    bank.onQuote = async () => {
      asked.resolve(null);
      await answered.promise;
    };
    await leaves(client, { m2: 'quote pay', m3: 'quote' });
    await asked.promise;
    bank.onQuote = async () => {};
    return { bank, client, store, worker, work, goesOn: () => answered.resolve(null) };
  }

  const ALL = ['quoted 100', 'paid 100', 'quoted 100', 'paid 100', 'quoted 100'];

  test('stands still in a pause, and goes on behind it', async () => {
    const { bank, client, store, goesOn } = await quoting();
    await client.pause('chat', { by: 'ann' });
    await until(async () => (await client.result('chat')).is === 'paused');
    goesOn();
    await until(async () => (await store.run('chat'))?.held === false);
    expect([bank.standing, (await client.outcome('chat', 'm3'))?.is]).toEqual([[100], 'left']);
    await client.unpause('chat', { by: 'ann' });
    await until(() => isOver(client, 'm3'));
    expect([await said(client, 'm3'), bank.standing]).toEqual([ALL, [100, 100]]);
  });

  test('is the last of a run that is cancelled: nothing leaves any more, and what waits is never taken', async () => {
    const { bank, client, goesOn } = await quoting();
    await hears(client, await client.cancel('chat', { by: 'ann' }));
    goesOn();
    await until(async () => (await client.result('chat')).is === 'cancelled');
    expect(bank.standing).toEqual([100]);
    expect(['refused', 'untaken']).toContain((await client.outcome('chat', 'm3'))?.is);
  });

  test('is undone with the turns before it where a cancel says so', async () => {
    const { bank, client, goesOn } = await quoting();
    await hears(client, await client.cancel('chat', { by: 'ann', undo: true }));
    goesOn();
    await until(async () => !['waits', 'works', 'left'].includes((await client.result('chat')).is));
    await until(async () => bank.standing.length === 0);
    expect(bank.standing).toEqual([]);
  });

  test('is finished by the next worker where its worker is stopped as a look comes back, and pays once', async () => {
    const { bank, client, worker, work, goesOn } = await quoting();
    const before = bank.quotes;
    const stopped = worker.stop();
    goesOn();
    await stopped;
    work();
    await until(() => isOver(client, 'm3'));
    // What changes nothing is asked anew.
    expect([await said(client, 'm3'), bank.standing, bank.quotes - before]).toEqual([ALL, [100, 100], 2]);
  });

  test('waits for its turn where a held turn waits behind it, also over a pause, a stop and a cancel', async () => {
    const { bank, client, worker, work, goesOn } = await quoting();
    await client.steer('chat', { revise: 'm3', to: { input: 'quote quote' } }, { by: 'ada' });
    await until(async () => (await client.outcome('chat', 'm3'))?.is === 'held');
    await client.pause('chat', { by: 'ann' });
    await until(async () => (await client.result('chat')).is === 'paused');
    const stopped = worker.stop();
    goesOn();
    await stopped;
    work();
    await client.unpause('chat', { by: 'ann' });
    await until(() => isOver(client, 'm3'));
    expect([await said(client, 'm3'), bank.standing]).toEqual([
      [...ALL, 'quoted 100'],
      [100, 100],
    ]);
  });

  test('ends with a held turn behind it that is named as never taken', async () => {
    const { bank, client, goesOn } = await quoting();
    await client.steer('chat', { revise: 'm3', to: { input: 'pay' } }, { by: 'ada' });
    await until(async () => (await client.outcome('chat', 'm3'))?.is === 'held');
    await hears(client, await client.cancel('chat', { by: 'ann' }));
    goesOn();
    await until(async () => (await client.result('chat')).is === 'cancelled');
    expect([
      bank.standing.length,
      ['refused', 'untaken'].includes((await client.outcome('chat', 'm3'))?.is ?? ''),
    ]).toEqual([1, true]);
  });
});
