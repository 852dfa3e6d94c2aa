/** `belay explain` of a run that asked for one act twice (ON2, ON3). */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sqliteStore } from '../../src/journal/sqlite/store.ts';
import { attach } from '../../src/xstate/attach.ts';
import { until } from '../poll.ts';
import { Bank, machineOf, payers } from '../sidecar/once.ts';
import { belay } from './belay.ts';

test('explain names each call that made no act of its own, and the act that it repeats', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'belay-repeated-'));
  const file = join(folder, 'runs.db');
  try {
    const bank = new Bank();
    const journal = sqliteStore(file);
    const machine = machineOf(bank, (unit) => ({ invoice: 'i1', cents: unit === 'third' ? 200 : 100 }), [
      'first',
      'second',
      'third',
    ]);
    const options = { config: payers('irreversible'), run: 'r', journal, reconcilers: bank.reconcilers };
    const sidecar = await attach(machine, options);
    sidecar.actor.start();
    for (const unit of ['firstOver', 'secondOver', 'thirdOver']) {
      sidecar.actor.send({ type: 'go' });
      await until(() => sidecar.actor.getSnapshot().matches(unit as never));
    }
    await sidecar.close();
    await journal.close();
    const { code, out } = await belay(['explain', 'r', '--journal', file]);
    const said = out.replace(/\s+/g, ' ');
    const key = bank.acts[0]?.key as string;
    expect(code).toBe(0);
    expect(said).toContain('2 calls that made no act of their own');
    expect(said).toContain(`pay of second::it::0 repeats ${key}`);
    expect(said).toContain(`pay of third::it::0 was refused, since it repeats ${key}`);
    const json = JSON.parse((await belay(['explain', 'r', '--journal', file, '--json'])).out);
    expect(json).toMatchObject({
      run: 'r',
      repeats: [
        { tool: 'pay', instance: 'second::it::0', repeats: key, refused: false },
        { tool: 'pay', instance: 'third::it::0', repeats: key, refused: true },
      ],
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
});
