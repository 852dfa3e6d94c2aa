/** An order that is recorded, and its journal held against a machine and a config of today. */
import { expect } from 'vitest';
import { type AnyStateMachine, assign, setup } from 'xstate';
import { loadConfig } from '../../src/boundaries/load.ts';
import { memoryStore } from '../../src/journal/memory/store.ts';
import { type VerifyOptions, verifyRuns } from '../../src/testing/index.ts';
import { attach, type SidecarOptions } from '../../src/xstate/attach.ts';
import { tool } from '../../src/xstate/tool.ts';

export const CONFIG = `belay: 1
agent: order
tools:
  ask: { reads: ['shop:price'], writes: [price], effect: none }
  pay: { reads: [price], writes: [receipt], effect: irreversible, reconcile: find }
skeletons:
  Order:
    entity: '"it"'
    states: [asking, paying]
    entry: [asking]
    outputs: [price, receipt]
    commit: [{ id: asked, at: asking -> paying, when: memory.price != null, outputs: [price] }]
    exit: [{ id: paid, at: paying -> paid, when: memory.receipt != null }]
    rollback: { anchors: [asked, paid], resume: asking }
`;
export const config = (text = CONFIG) => {
  const loaded = loadConfig(text, { file: 'order.yaml' });
  if (loaded.config === null) throw new Error(JSON.stringify(loaded.findings));
  return loaded.config;
};

interface Parts {
  ask?: () => Promise<number>;
  pay?: (price: number) => Promise<string>;
  price?: (answer: number) => number;
  asks?: (price: number) => number;
  next?: string;
  more?: object;
}

/** The acts of the machine outside of its tools. */
export const done: string[] = [];

/** An order, of which some parts are otherwise. */
export function order({
  ask = async () => 42,
  pay = async () => 'paid',
  price = (a) => a,
  asks = (p) => p,
  next = 'paying',
  more = {},
}: Parts = {}) {
  return setup({
    types: { context: {} as { price: number | null; receipt: string | null } },
    actors: {
      ask: tool<number, void>(ask),
      pay: tool<string, number>(({ input }) => pay(input)),
    },
  }).createMachine({
    id: 'order',
    context: { price: null, receipt: null },
    initial: 'asking',
    states: {
      asking: {
        entry: () => done.push('action'),
        invoke: {
          src: 'ask',
          onDone: { target: next, actions: assign({ price: ({ event }) => price(event.output) }) },
        },
      },
      paying: {
        invoke: {
          src: 'pay',
          input: ({ context }: { context: { price: number | null } }) => asks(context.price ?? 0),
          onDone: { target: 'paid', actions: assign({ receipt: ({ event }) => event.output }) },
        },
      },
      paid: { type: 'final' },
      ...more,
    },
  } as never) as unknown as AnyStateMachine;
}

/** Runs a machine to its end, or to its rest, and returns its journal. */
export async function recorded(
  machine: AnyStateMachine,
  options: Partial<SidecarOptions> = {},
  text = CONFIG,
  until?: (state: unknown) => boolean,
) {
  const journal = memoryStore();
  const sidecar = await attach(machine, { run: 'r', config: config(text), journal, ...options });
  sidecar.actor.subscribe({ error: () => {} });
  sidecar.actor.start();
  if (until === undefined) await sidecar.finished();
  else while (!until(sidecar.actor.getSnapshot().value)) await new Promise((resolve) => setTimeout(resolve, 2));
  await sidecar.close();
  return journal;
}

export async function verified(
  machine: AnyStateMachine,
  journal: VerifyOptions['journal'],
  more: Partial<VerifyOptions> = {},
) {
  const [one, ...rest] = await verifyRuns({ journal, machine, config: config(), ...more });
  expect(rest).toEqual([]);
  if (one === undefined) throw new Error('no run');
  return one;
}
