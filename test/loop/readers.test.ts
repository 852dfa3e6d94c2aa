/** Who may change the turns of a loop, and acts on turns beside forks and questions (semantics.md RC8). */
import { expect, test } from 'vitest';
import { memoryStore } from '../../src/index.ts';
import { forkRun } from '../../src/sidecar/opening/fork-run.ts';
import { workClient } from '../../src/workers/client.ts';
import { until } from '../poll.ts';
import { Bank, shop, shopConfig } from './shop.ts';
import { steeredOptions } from './steered-options.ts';

test('RC8: what others have read stands, and the refusal names the fork', async () => {
  const bank = new Bank();
  const journal = memoryStore();
  const run = await shop(bank).attach(steeredOptions(bank, journal, 'stands'));
  const client = workClient(journal);
  run.invoke().catch(() => {});
  const say = async (input: string, id: string, by: string) => {
    await client.send('r', { type: 'turn', input }, { id, by });
    await until(async () => (await client.outcome('r', id))?.turn?.isOver === true);
  };
  await say('quote', 'm1', 'ada');
  await say('weather', 'm2', 'ben');
  const before = await run.revise('m1', { input: 'weather' }, { by: 'ada' });
  expect(before).toMatchObject({ is: 'refused', why: expect.stringMatching(/^said_to_person: .*belay fork/) });
  expect(await run.revise('m1', { input: 'weather' }, { by: 'ben' })).toMatchObject({
    is: 'refused',
    why: expect.stringMatching(/^steer_not_yours/),
  });
  // Who has read it alone changes it.
  expect(await run.revise('m2', { input: 'quote' }, { by: 'ben' })).toMatchObject({ is: 'done' });
  expect(await run.invoke()).toEqual(['quoted 100', 'quoted 100']);
  await run.close();
});

test('RC8: what is refused is done in a fork from before the turn', async () => {
  const bank = new Bank();
  const journal = memoryStore();
  const options = steeredOptions(bank, journal, 'stands', 'irreversible');
  const run = await shop(bank).attach(options);
  await run.invoke('quote', { id: 'm1' });
  const at = [...(await journal.read('r'))].at(-1)?.seq ?? 0;
  await run.invoke('pay', { id: 'm2' });
  expect(await run.revise('m2', { input: 'weather' })).toMatchObject({ is: 'refused' });
  await forkRun(journal, 'r', { as: 'f', at, by: 'ada' });
  const fork = await shop(bank).resume({ ...options, run: 'f' });
  expect(await fork.invoke('weather', { id: 'm2' })).toEqual(['quoted 100', 'rain']);
  expect([await run.invoke(), bank.standing, bank.quotes]).toEqual([['quoted 100', 'paid 100'], [100], 1]);
  await fork.close();
  await run.close();
});

test('a question to a person is void with the turn that asks it, and asked anew for what the turn says now', async () => {
  const bank = new Bank();
  const journal = memoryStore();
  const options = steeredOptions(bank, journal, 'stands');
  const config = shopConfig('reversible', 'gate: true');
  const run = await shop(bank).attach({ ...options, config });
  await run.invoke('quote', { id: 'm1' });
  run.invoke('pay', { id: 'm2' }).catch(() => {});
  await until(() => run.gates().length === 1);
  const [before] = run.gates();
  expect(await run.revise('m2', { input: 'quote pay' })).toMatchObject({ is: 'done' });
  await until(() => run.gates().length === 1 && run.gates()[0]?.gate !== before?.gate);
  expect(bank.standing).toEqual([]);
  await run.answer(run.gates()[0]?.gate ?? '', 'approved', { by: 'ada' });
  expect(await run.invoke()).toEqual(['quoted 100', 'quoted 100', 'paid 100']);
  expect(bank.standing).toEqual([100]);
  await run.close();
});
