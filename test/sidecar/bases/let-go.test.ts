/** A run that goes on lets go of calls that are over: of their actors, and of their arguments once a base has them. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { type AnyActorRef, assign, setup } from 'xstate';
import { loadConfig, memoryStore } from '../../../src/index.ts';
import { EntryEncoder } from '../../../src/journal/entry-codec.ts';
import { Names } from '../../../src/journal/names.ts';
import { RunNoteFold } from '../../../src/reports/run-note.ts';
import { BaseWriter } from '../../../src/sidecar/bases/writing-bases.ts';
import { SPACING } from '../../../src/sidecar/opening/options.ts';
import { readRun } from '../../../src/sidecar/opening/read-run.ts';
import { attach, tool } from '../../../src/xstate/index.ts';

const CALLS = 200;
/** The rows after which a base is written, and more than those since the last one: a call has five. */
const ROWS = 100;
const SINCE_BASE = 60;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

const machine = setup({
  types: { context: {} as { order: { n: number }; done: number }, events: {} as { type: 'pay'; n: number } },
  actors: { pay: tool<number, { n: number }>(async ({ input }) => input.n) },
}).createMachine({
  id: 'payer',
  context: { order: { n: 0 }, done: 0 },
  initial: 'idle',
  states: {
    idle: { on: { pay: { target: 'paying', actions: assign({ order: ({ event }) => ({ n: event.n }) }) } } },
    paying: {
      invoke: {
        src: 'pay',
        input: ({ context }) => ({ ...context.order }),
        onDone: { target: 'idle', actions: assign({ done: ({ event }) => event.output }) },
      },
    },
  },
});

const { config } = loadConfig(
  `belay: 1
agent: payer
tools: { pay: { reads: [order], writes: [done], effect: idempotent } }
skeletons:
  Work: { entity: '"it"', states: [idle, paying], entry: [idle], inputs: [order], outputs: [order, done], commit: [{ id: one, at: idle, when: 'memory.done >= 0' }], rollback: { anchors: [one] } }`,
  { file: 'payer.yaml' },
);

/** A run of so many calls, before it is given back. */
async function paidOften(count: number) {
  if (config === null) throw new Error('the config is refused');
  const journal = memoryStore();
  const options = { run: 'r', config, journal, [SPACING]: { rows: ROWS, times: 0, newest: 2 } };
  const sidecar = await attach(machine, options);
  sidecar.actor.start();
  const actors: WeakRef<AnyActorRef>[] = [];
  for (let n = 0; n < count; n += 1) {
    sidecar.actor.send({ type: 'pay', n });
    const { children } = sidecar.actor.getSnapshot() as { children: Record<string, AnyActorRef> };
    for (const child of Object.values(children)) actors.push(new WeakRef(child));
    while ((sidecar.actor.getSnapshot() as { value: unknown }).value !== 'idle')
      await new Promise((resolve) => setImmediate(resolve));
  }
  await sidecar.durable();
  return { journal, sidecar, actors };
}

test('the actors of calls that are over are let go of, and the run still restores', async () => {
  const { sidecar, actors } = await paidOften(CALLS);
  await new Promise((resolve) => setImmediate(resolve));
  collect();
  expect(actors).toHaveLength(CALLS);
  expect(actors.filter((actor) => actor.deref() !== undefined).length).toBeLessThan(SINCE_BASE);

  await sidecar.fail('CONTRACT_VIOLATION', { instance: { skeleton: 'Work', entity: 'it', ordinal: 0 } });
  expect(sidecar.status).toBe('running');
  await sidecar.close();
});

test('the intents of calls are kept until a base has them, and are read there as they were, after that base and the next', async () => {
  const { journal, sidecar } = await paidOften(20);
  await sidecar.close();
  const { runState, reader } = readRun([...journal.read('r')]);
  const writer = new BaseWriter(new EntryEncoder(new Names(reader.names.all), []), [], null);
  const intentsOf = () => [...runState.ledger.all()].map(({ intent }) => intent);
  const before = intentsOf();
  expect(before).toHaveLength(20);
  for (let round = 0; round < 2; round += 1) {
    writer.base(runState, new RunNoteFold(), 2);
    const read = intentsOf();
    expect(read).toEqual(before);
    expect(read.filter((intent, index) => intent === before[index])).toEqual([]);
  }
});
