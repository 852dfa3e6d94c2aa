/** Acts on the inputs of loops (semantics.md PA12, RC8 to RC10). */
import { describe, expect, test } from 'vitest';
import { memoryStore } from '../../src/index.ts';
import { Bank, shop, shopConfig } from './shop.ts';

const open = async (bank: Bank, said: 'stands' | 'rewritten', more = {}) =>
  shop(bank).attach({
    run: 'r',
    config: shopConfig('reversible'),
    journal: memoryStore(),
    said,
    reconcilers: { find: bank.find },
    undo: { undo: bank.undo },
    ...more,
  } as never);

test('trial', async () => {
  const bank = new Bank();
  const run = await open(bank, 'rewritten');
  console.log(await run.invoke('quote', { id: 'm1' }));
  console.log(await run.invoke('pay', { id: 'm2' }));
  console.log(JSON.stringify(run.events()));
  const a = await run.revise('m1', { input: 'weather' });
  console.log(JSON.stringify(a));
  console.log(await run.invoke(), bank.paid);
  console.log(JSON.stringify(run.events()));
  const b = await run.retract('m1');
  console.log(JSON.stringify(b));
  console.log(await run.invoke(), bank.paid);
  console.log(JSON.stringify(run.events()));
  await run.close();
});
