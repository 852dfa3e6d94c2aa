/** The calls of a run in its bases: each is read once it is asked for, and is what it was. */
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { assign, setup } from 'xstate';
import { type Decision, loadConfig, type ValueCodec } from '../../../src/index.ts';
import type { Base } from '../../../src/journal/journal.ts';
import { sqliteStore } from '../../../src/journal/sqlite/store.ts';
import { baseDifference } from '../../../src/sidecar/bases/compared.ts';
import { SPACING } from '../../../src/sidecar/opening/options.ts';
import { attach, resume, type SidecarOptions, tool } from '../../../src/xstate/index.ts';
import { freshPath } from '../../journal/files.ts';

/** What a call answers with: no form of it is in the journal but its codec's. */
class Receipt {
  readonly #n: number;

  constructor(n: number) {
    this.#n = n;
  }

  get n(): number {
    return this.#n;
  }
}

let read = 0;
const codecs: readonly ValueCodec[] = [
  {
    name: 'receipt',
    is: (value) => value instanceof Receipt,
    encode: ({ n }: Receipt) => n,
    decode: (n: number) => {
      read += 1;
      return new Receipt(n);
    },
  },
];

const machine = setup({
  types: {
    context: {} as { n: number; done: number },
    events: {} as { type: 'pay'; n: number },
  },
  actors: { pay: tool<Receipt, number>(async ({ input }) => new Receipt(input)) },
}).createMachine({
  id: 'payer',
  context: { n: 0, done: 0 },
  initial: 'idle',
  states: {
    idle: { on: { pay: { target: 'paying', actions: assign({ n: ({ event }) => event.n }) } } },
    paying: {
      invoke: {
        src: 'pay',
        input: ({ context }) => context.n,
        onDone: { target: 'idle', actions: assign({ done: ({ event }) => event.output.n }) },
      },
    },
  },
});

const { config } = loadConfig(
  `belay: 1
agent: payer
tools: { pay: { reads: [n], writes: [done], effect: idempotent } }
events: { pay: { reads: [] } }
skeletons:
  Work: { entity: '"it"', states: [idle, paying], entry: [idle], inputs: [n], outputs: [n, done], commit: [{ id: one, at: idle, when: 'memory.done >= 0' }], rollback: { anchors: [one] } }`,
  { file: 'payer.yaml' },
);

async function opened(
  journal: ReturnType<typeof sqliteStore>,
  mode: 'attach' | 'resume',
  more: Partial<SidecarOptions>,
) {
  if (config === null) throw new Error('the config is refused');
  const options = { run: 'r', config, journal, codecs, [SPACING]: { rows: 100, times: 0, newest: 2 }, ...more };
  const sidecar = await (mode === 'attach' ? attach : resume)(machine, options);
  sidecar.actor.start();
  return sidecar;
}

async function paid(sidecar: Awaited<ReturnType<typeof opened>>, from: number, count: number): Promise<void> {
  for (let n = from; n < from + count; n += 1) {
    sidecar.actor.send({ type: 'pay', n });
    while ((sidecar.actor.getSnapshot() as { value: unknown }).value !== 'idle')
      await new Promise((resolve) => setImmediate(resolve));
  }
}

test('are read when they are asked for, and laid down again as they were by a process that read none of them', async () => {
  const store = sqliteStore(freshPath());
  const first = await opened(store, 'attach', {});
  await paid(first, 0, 120);
  await first.close();
  const { at } = (await store.base('r')) as Base;
  read = 0;
  const second = await opened(store, 'resume', {});
  expect(read).toBeLessThan(10);
  await paid(second, 120, 60);
  await second.close();
  expect(read).toBeLessThan(10);
  const base = (await store.base('r')) as Base;
  expect(base.at).toBeGreaterThan(at);
  expect(await baseDifference(base, store.read('r'), codecs)).toBeNull();
  await store.close();
});

test('lead to the same decisions, to the byte, and to the same calls after a restore', async () => {
  const outcomes: string[] = [];
  for (const hasBase of [true, false]) {
    const path = freshPath();
    const before = sqliteStore(path);
    const first = await opened(before, 'attach', {});
    await paid(first, 0, 60);
    await first.close();
    await before.close();
    if (!hasBase) {
      const db = new Database(path);
      db.exec('DELETE FROM base');
      db.close();
    }
    const store = sqliteStore(path);
    const decisions: Decision[] = [];
    const again = await opened(store, 'resume', { onDecision: ({ decision }) => void decisions.push(decision) });
    const instance = { skeleton: 'Work', entity: 'it', ordinal: 0 };
    for (const key of [undefined, 'done', 'n'])
      await again.fail('CONTRACT_VIOLATION', { instance, ...(key !== undefined && { key }) });
    await paid(again, 60, 5);
    const { value, context } = again.actor.getSnapshot() as { value: unknown; context: unknown };
    outcomes.push(JSON.stringify([decisions, value, context, again.status]));
    await again.close();
    const base = store.base('r');
    if (base !== null) expect(await baseDifference(base, store.read('r'), codecs)).toBeNull();
    await store.close();
  }
  // The keys of calls begin with a secret of each run.
  const [one, other] = outcomes.map((text) => text.replace(/belay-[\w-]+/g, 'key'));
  expect(one).toBe(other);
});
