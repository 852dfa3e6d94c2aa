/** Turns of loops and flows that were left before an act on another turn, and that wait in the inbox (semantics.md RC12). */
import { afterEach, describe, expect, test } from 'vitest';
import { memoryStore } from '../../src/journal/memory/store.ts';
import { workClient } from '../../src/workers/client.ts';
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
  }, 120_000);
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
