/** Acts on the inputs of loops: what they change, what they leave, and who may (semantics.md PA12, RC8, RC9). */
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { memoryStore } from '../../src/index.ts';
import { sqliteStore } from '../../src/journal/sqlite/store.ts';
import { scratchFolder } from '../scratch.ts';
import { Bank, shop } from './shop.ts';
import { steeredOptions } from './steered-options.ts';

const folder = scratchFolder('steered');

const inputs = (run: { events(): readonly { readonly event: unknown; readonly is: string }[] }) =>
  run
    .events()
    .flatMap(({ event, is }) => (is === 'taken' ? ((event as { input?: string } | undefined)?.input ?? []) : []));

describe('an act on a turn', () => {
  test.each(['memory', 'sqlite'] as const)(
    'RC8, RC9: its reader revises a turn, the turns behind it never were, and what they did is undone (%s)',
    async (kind) => {
      const bank = new Bank();
      const journal = kind === 'memory' ? memoryStore() : sqliteStore(join(folder, 'belay.sqlite'));
      const options = steeredOptions(bank, journal, 'stands');
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
    const run = await shop(bank).attach(steeredOptions(bank, memoryStore(), 'stands'));
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

  test('PA12, ST7: a payment that is not made again with the same is in the way, and nothing moves', async () => {
    const bank = new Bank();
    const run = await shop(bank).attach(steeredOptions(bank, memoryStore(), 'rewritten', 'irreversible'));
    await run.invoke('quote', { id: 'm1' });
    const said = await run.invoke('pay', { id: 'm2' });
    const answer = await run.revise('m1', { input: 'weather' });
    expect(answer).toMatchObject({ is: 'refused', why: expect.stringMatching(/^irreversible_effect_policy: pay/) });
    expect([await run.invoke(), bank.standing, bank.asked]).toEqual([said, [100], 2]);
    await run.close();
  });

  test('RC9: where what was said is rewritten, the turns behind come again by themselves, one number before', async () => {
    const bank = new Bank();
    const options = steeredOptions(bank, memoryStore(), 'rewritten');
    const run = await shop(bank).attach(options);
    for (const [nth, input] of ['weather', 'quote', 'pay'].entries()) await run.invoke(input, { id: `m${nth + 1}` });
    expect(await run.retract('m1')).toMatchObject({ is: 'done' });
    expect(await run.invoke()).toEqual(['quoted 100', 'paid 100']);
    expect([bank.standing, inputs(run)]).toEqual([[100], ['quote', 'pay']]);
    expect(await run.invoke('pay', { id: 'm3' })).toEqual(['quoted 100', 'paid 100']);
    await run.close();
    const next = await shop(bank).resume(options);
    expect(await next.invoke()).toEqual(['quoted 100', 'paid 100']);
    expect(await next.invoke('weather', { id: 'm4' })).toEqual(['quoted 100', 'paid 100', 'rain']);
    await next.close();
  });

  test('a turn is revised by its input alone, and is never said from here on', async () => {
    const bank = new Bank();
    const run = await shop(bank).attach(steeredOptions(bank, memoryStore(), 'stands'));
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
