/** Acts on the inputs of loops: what they change, what they leave, and who may (semantics.md PA12, RC8, RC9). */
import { rmSync } from 'node:fs';
import { afterEach, describe, expect, test } from 'vitest';
import { memoryStore } from '../../src/index.ts';
import type { JournalStore } from '../../src/journal/journal.ts';
import { sqliteStore } from '../../src/journal/sqlite/store.ts';
import { loop } from '../../src/loop/loop.ts';
import { forkRun } from '../../src/sidecar/opening/fork-run.ts';
import { workClient } from '../../src/workers/client.ts';
import { until } from '../poll.ts';
import { Bank, shop, shopConfig } from './shop.ts';

const FILE = `/tmp/belay-steered-${process.pid}.db`;
afterEach(() => rmSync(FILE, { force: true }));

function optionsOf(bank: Bank, journal: JournalStore, said: 'stands' | 'rewritten', pay?: 'irreversible') {
  const config = shopConfig(pay ?? 'reversible');
  return { run: 'r', config, journal, said, reconcilers: { find: bank.find }, undo: { undo: bank.undo } } as const;
}

const inputs = (run: { events(): readonly { readonly event: unknown; readonly is: string }[] }) =>
  run
    .events()
    .flatMap(({ event, is }) => (is === 'taken' ? ((event as { input?: string } | undefined)?.input ?? []) : []));

describe('an act on a turn', () => {
  test.each(['memory', 'sqlite'] as const)(
    'RC8, RC9: its reader revises a turn, the turns behind it never were, and what they did is undone (%s)',
    async (kind) => {
      const bank = new Bank();
      const journal = kind === 'memory' ? memoryStore() : sqliteStore(FILE);
      const options = optionsOf(bank, journal, 'stands');
      const run = await shop(bank).attach(options);
      await run.invoke('quote', { id: 'm1' });
      await run.invoke('pay', { id: 'm2' });
      await run.invoke('weather', { id: 'm3' });
      const dry = await run.preview({ retract: 'm2' });
      const answer = await run.retract('m2', { id: 'no-pay' });
      expect([answer.is, answer.why, dry.is]).toEqual(['done', null, 'done']);
      expect(await run.invoke()).toEqual(['quoted 100']);
      expect([bank.standing, inputs(run)]).toEqual([[], ['quote']]);
      expect(await run.retract('m2', { id: 'no-pay' })).toMatchObject({ is: 'same' });
      await run.close();
      // The ids of what was taken out are given to no other turn, in the next process, too.
      const next = await shop(bank).resume(options);
      await next.invoke();
      for (const id of ['m2', 'm3'])
        await expect(next.invoke('pay', { id })).rejects.toMatchObject({ code: 'turn_retracted' });
      expect(await next.invoke('pay', { id: 'm4' })).toEqual(['quoted 100', 'paid 100']);
      expect([bank.standing, bank.asked]).toEqual([[100], 3]);
      await next.close();
    },
  );

  test('RC9: a later turn that the act says holds comes again, and what was read before stands again at its end', async () => {
    const bank = new Bank();
    const run = await shop(bank).attach(optionsOf(bank, memoryStore(), 'stands'));
    await run.invoke('quote', { id: 'm1' });
    await run.invoke('weather', { id: 'm2' });
    await run.invoke('pay', { id: 'm3' });
    const answer = await run.revise('m1', { input: 'weather quote' }, { later: { confirm: ['m3'] } });
    expect(answer.is).toBe('done');
    expect(await run.invoke()).toEqual(['rain', 'quoted 100', 'paid 100']);
    expect([bank.standing, inputs(run)]).toEqual([[100], ['weather quote', 'pay']]);
    const accused = { instance: { skeleton: 'pay_', entity: run.events().length > 0 ? 'call-6-pay' : '' } };
    await expect(run.fail('CONTRACT_VIOLATION', accused)).rejects.toMatchObject({ code: 'said_to_person' });
    await run.close();
  });

  test('RC8: what others have read stands, and the refusal names the fork', async () => {
    const bank = new Bank();
    const journal = memoryStore();
    const run = await shop(bank).attach(optionsOf(bank, journal, 'stands'));
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

  test('PA12, ST7: a payment that is not made again with the same is in the way, and nothing moves', async () => {
    const bank = new Bank();
    const run = await shop(bank).attach(optionsOf(bank, memoryStore(), 'rewritten', 'irreversible'));
    await run.invoke('quote', { id: 'm1' });
    const said = await run.invoke('pay', { id: 'm2' });
    const answer = await run.revise('m1', { input: 'weather' });
    expect(answer).toMatchObject({ is: 'refused', why: expect.stringMatching(/^irreversible_effect_policy: pay/) });
    expect([await run.invoke(), bank.standing, bank.asked]).toEqual([said, [100], 2]);
    await run.close();
  });

  test('RC9: where what was said is rewritten, the turns behind come again by themselves, one number before', async () => {
    const bank = new Bank();
    const options = optionsOf(bank, memoryStore(), 'rewritten');
    const run = await shop(bank).attach(options);
    for (const [nth, input] of ['weather', 'quote', 'pay'].entries()) await run.invoke(input, { id: `m${nth + 1}` });
    expect(await run.retract('m1')).toMatchObject({ is: 'done' });
    expect(await run.invoke()).toEqual(['quoted 100', 'paid 100']);
    expect([bank.standing, inputs(run)]).toEqual([[100], ['quote', 'pay']]);
    // Who hands one of them in again has that turn.
    expect(await run.invoke('pay', { id: 'm3' })).toEqual(['quoted 100', 'paid 100']);
    await run.close();
    const next = await shop(bank).resume(options);
    expect(await next.invoke()).toEqual(['quoted 100', 'paid 100']);
    expect(await next.invoke('weather', { id: 'm4' })).toEqual(['quoted 100', 'paid 100', 'rain']);
    await next.close();
  });

  test('RC8: what is refused is done in a fork from before the turn', async () => {
    const bank = new Bank();
    const journal = memoryStore();
    const options = optionsOf(bank, journal, 'stands', 'irreversible');
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
    const options = optionsOf(bank, journal, 'stands');
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

  test('a turn is revised by its input alone, and is never said from here on', async () => {
    const bank = new Bank();
    const run = await shop(bank).attach(optionsOf(bank, memoryStore(), 'stands'));
    await run.invoke('quote', { id: 'm1' });
    for (const refused of [
      await run.revise('m1', { words: 'weather' }),
      await run.revise('m1', { input: 'weather' }, { from: 'here' }),
    ])
      expect(refused).toMatchObject({ is: 'refused', why: expect.stringMatching(/^steer_unsupported/) });
    expect(await run.revise('m1', { input: 'quote' })).toMatchObject({ is: 'same' });
    await expect(run.retract('m9')).rejects.toMatchObject({ code: 'event_unknown' });
    await run.close();
  });
});

/** A function whose payment does not read what its note says. */
const noted = (log: string[], looks = false) =>
  loop('shop', async ({ act, input, receive }) => {
    const { sku, note } = input as { readonly sku: string; readonly note: string };
    if (looks) await act('quote', 'q', { sku }, async () => 100);
    const paid = await act('pay', 'p', { sku }, async ({ key = '' }) => {
      log.push(key);
      return `paid ${sku}`;
    });
    for (let said = ''; ; ) said = `${paid}, ${note}, ${await receive<string>(said)}`;
  });

describe('an act on the input of a loop', () => {
  test('PA12: a call that is given the same is not made again', async () => {
    const log: string[] = [];
    const options = optionsOf(new Bank(), memoryStore(), 'rewritten', 'irreversible');
    const run = await noted(log).attach({ ...options, input: { sku: 'a', note: 'blue' } });
    expect(await run.invoke('hi', { id: 'm1' })).toBe('paid a, blue, hi');
    expect(await run.revise('input', { sku: 'a', note: 'red' })).toMatchObject({ is: 'done', version: 1 });
    expect([await run.invoke(), log.length]).toEqual(['paid a, red, hi', 1]);
    expect(await run.revise('input', { sku: 'b', note: 'red' })).toMatchObject({ is: 'refused' });
    expect(await run.retract('input')).toMatchObject({ is: 'refused' });
    await run.close();
    const next = await noted(log).resume({ ...options, input: { sku: 'a', note: 'blue' } });
    expect([await next.invoke(), log.length]).toEqual(['paid a, red, hi', 1]);
    await next.close();
  });

  test('PA12: behind what is asked anew nothing is known to be the same', async () => {
    const log: string[] = [];
    const options = optionsOf(new Bank(), memoryStore(), 'rewritten', 'irreversible');
    const run = await noted(log, true).attach({ ...options, input: { sku: 'a', note: 'blue' } });
    await run.invoke('hi', { id: 'm1' });
    expect(await run.revise('input', { sku: 'a', note: 'red' })).toMatchObject({ is: 'refused' });
    expect([await run.invoke(), log.length]).toEqual(['paid a, blue, hi', 1]);
    await run.close();
  });

  test('RC8: what was said behind a turn that never was binds nobody', async () => {
    const log: string[] = [];
    const run = await noted(log).attach({
      ...optionsOf(new Bank(), memoryStore(), 'stands'),
      input: { sku: 'a', note: 'b' },
    });
    await run.invoke('hi', { id: 'm1' });
    const accused = { instance: { skeleton: 'pay_', entity: 'p' } };
    await expect(run.fail('CONTRACT_VIOLATION', accused)).rejects.toMatchObject({ code: 'said_to_person' });
    expect(await run.retract('m1')).toMatchObject({ is: 'done' });
    await run.fail('CONTRACT_VIOLATION', accused);
    expect([await run.invoke('ho', { id: 'm2' }), log.length]).toEqual(['paid a, b, ho', 2]);
    await run.close();
  });
});
