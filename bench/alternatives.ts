/**
 * The cost of a choice among K branches, in microseconds: from the event that ends the last branch to the step that receives the choice, and until
 * it is durable in a file. One entry, whatever K: `npm run bench alternatives`.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { assign, sendTo, setup } from 'xstate';
import { loadConfig } from '../src/boundaries/load.ts';
import { entriesOf } from '../src/journal/entries.ts';
import type { JournalStore } from '../src/journal/journal.ts';
import { memoryStore } from '../src/journal/memory/store.ts';
import { sqliteStore } from '../src/journal/sqlite/store.ts';
import { attach } from '../src/xstate/index.ts';

const RUNS = 60;
const TEXT = `
belay: 1
agent: tries
tools: {}
alternatives:
  Trip: { at: trying, branch: trip, choose: { rule: best, score: int(event.output.price) } }
skeletons: {}
`;
const { config } = loadConfig(TEXT, { file: 'tries.yaml' });
if (config === null) throw new Error('the config is refused');

const trip = setup({ types: {} as { context: { price: number }; input: { price: number } } }).createMachine({
  context: ({ input }) => input,
  initial: 'waiting',
  states: { waiting: { on: { GO: 'over' } }, over: { type: 'final' } },
  output: ({ context }) => ({ price: context.price }),
});

function machineOf(branches: number) {
  const ids = Array.from({ length: branches }, (_, price) => `b${price}`);
  return setup({ types: {} as { context: { won: string } }, actors: { trip } }).createMachine({
    id: 'tries',
    context: { won: '' },
    initial: 'trying',
    states: {
      trying: {
        invoke: ids.map((id, price) => ({ src: 'trip', id, input: { price } })),
        on: {
          '@belay.chosen': {
            target: 'over',
            actions: assign({ won: ({ event }) => (event as unknown as { branch: string }).branch }),
          },
          '@belay.none': 'over',
          GO: { actions: sendTo(({ event }) => (event as unknown as { id: string }).id, { type: 'GO' }) },
        },
      },
      over: {},
    },
  });
}

const median = (times: number[]) => times.sort((a, b) => a - b)[Math.floor(times.length / 2)] as number;

/** The medians until the choice is received, and until it is durable. */
async function choice(branches: number, journal: JournalStore): Promise<readonly [number, number, number]> {
  const [received, durable]: [number[], number[]] = [[], []];
  let entries = 0;
  for (let nth = 0; nth < RUNS; nth += 1) {
    const run = `k${branches}-${nth}`;
    const sidecar = await attach(machineOf(branches), { run, config: config as never, journal });
    const { actor } = sidecar;
    actor.start();
    for (let branch = 0; branch < branches - 1; branch += 1) actor.send({ type: 'GO', id: `b${branch}` } as never);
    await sidecar.durable();
    const isReceived = new Promise<void>((resolve) => {
      actor.subscribe(({ value }) => {
        if (value === 'over') resolve();
      });
    });
    const start = performance.now();
    actor.send({ type: 'GO', id: `b${branches - 1}` } as never);
    await isReceived;
    received.push((performance.now() - start) * 1_000);
    await sidecar.durable();
    durable.push((performance.now() - start) * 1_000);
    await sidecar.close();
    entries = [...entriesOf(journal.read(run) as never)].filter(({ entry }) => entry.do === 'choice').length;
  }
  return [median(received), median(durable), entries];
}

const folder = mkdtempSync(join(tmpdir(), 'belay-choice-'));
try {
  const file = sqliteStore(join(folder, 'choice.db'));
  await choice(2, memoryStore());
  for (const branches of [2, 4, 8, 16]) {
    const [received] = await choice(branches, memoryStore());
    const [, durable, entries] = await choice(branches, file);
    console.log(
      `K = ${String(branches).padStart(2)}: ${received.toFixed(0)} µs until it is received, ${durable.toFixed(0)} µs until it is durable, ${entries} entry`,
    );
  }
  await file.close();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
