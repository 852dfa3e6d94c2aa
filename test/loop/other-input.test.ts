/** Another input of a loop, and a turn that never was (semantics.md PA12, RC8). */
import { describe, expect, test } from 'vitest';
import { memoryStore } from '../../src/index.ts';
import { loop } from '../../src/loop/loop.ts';
import { Bank } from './shop.ts';
import { steeredOptions } from './steered-options.ts';

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
    const options = steeredOptions(new Bank(), memoryStore(), 'rewritten', 'irreversible');
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
    const options = steeredOptions(new Bank(), memoryStore(), 'rewritten', 'irreversible');
    const run = await noted(log, true).attach({ ...options, input: { sku: 'a', note: 'blue' } });
    await run.invoke('hi', { id: 'm1' });
    expect(await run.revise('input', { sku: 'a', note: 'red' })).toMatchObject({ is: 'refused' });
    expect([await run.invoke(), log.length]).toEqual(['paid a, blue, hi', 1]);
    await run.close();
  });

  test('RC8: what was said behind a turn that never was binds nobody', async () => {
    const log: string[] = [];
    const run = await noted(log).attach({
      ...steeredOptions(new Bank(), memoryStore(), 'stands'),
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
