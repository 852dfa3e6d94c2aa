/** A lease is looked at right before a call leaves: fencing guards the journal, and this keeps a writer that was taken over from the world. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { setup } from 'xstate';
import { loadConfig } from '../../src/boundaries/load.ts';
import type { Journal } from '../../src/journal/journal.ts';
import { sqliteStore } from '../../src/journal/sqlite/store.ts';
import { wrapJournals } from '../../src/testing/wrap-journals.ts';
import { attach } from '../../src/xstate/attach.ts';
import { tool } from '../../src/xstate/tool.ts';

const folder = mkdtempSync(join(tmpdir(), 'belay-fencing-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const text = `belay: 1
agent: order
tools:
  pay: { effect: irreversible, reconcile: find, timeout: 5s }
skeletons: {}
`;
const { config } = loadConfig(text, { file: 'order.yaml' });
if (config === null) throw new Error('the config is wrong');

/** A run whose process sleeps past its lease between the durable intent and the call; `meanwhile` is what happens then. */
async function slept(name: string, meanwhile: (path: string, now: () => number) => Promise<void>) {
  const path = join(folder, `${name}.sqlite`);
  let clock = 1_000_000;
  const now = () => clock;
  const store = sqliteStore(path, { now, leaseMs: 30_000 });
  let paid = 0;
  const pay = tool<string, void>(async () => {
    paid += 1;
    return 'paid';
  });
  const flush = (journal: Journal) => async () => {
    const durable = await journal.flush();
    if (clock === 1_000_000 && journal.head > 0) {
      clock += 60_000;
      await meanwhile(path, now);
    }
    return durable;
  };
  const sleepy = wrapJournals(store, (journal) => ({ flush: flush(journal) }));
  const machine = setup({ actors: { pay } }).createMachine({
    id: 'order',
    initial: 'paying',
    states: { paying: { invoke: { src: 'pay', onDone: 'paid' } }, paid: { type: 'final' } },
  });
  const find = () => ({ is: 'not_applied' }) as const;
  const sidecar = await attach(machine, { run: 'a', config: config as never, journal: sleepy, reconcilers: { find } });
  sidecar.actor.start();
  const ended = await sidecar.finished().then(
    ({ status }) => status,
    ({ code }: { code: string }) => code,
  );
  await sidecar.close().catch(() => {});
  await store.close().catch(() => {});
  return { ended, paid };
}

test('a run that was taken over between the intent and the call makes no call, and ends with lease_lost', async () => {
  const taken = slept('taken', async (path, now) => {
    const other = sqliteStore(path, { now, leaseMs: 30_000 });
    await (await other.open('a', 'resume')).close();
    await other.close();
  });
  expect(await taken).toEqual({ ended: 'lease_lost', paid: 0 });
});

test('a lease that is old and that no other process took is renewed, and the call is made', async () => {
  expect(await slept('renewed', async () => {})).toEqual({ ended: 'done', paid: 1 });
});
