/** A shop agent with a world that a test can break: it asks a price, waits for an order, reserves, pays, and says what it paid. */
import { assign, setup } from 'xstate';
import { type BoundaryConfig, loadConfig, type ReconcileResult } from '../../../src/index.ts';
import { tool } from '../../../src/xstate/tool.ts';

export const PAGE = `
belay: 1
agent: shop
tools:
  askPrice: { reads: ['prices:tea'], writes: [price], effect: none, timeout: 10s, output: { type: integer } }
  reserve: { reads: [price], writes: [hold, 'stock:tea'], effect: reversible, undo: release, reconcile: findRow, timeout: 10s }
  pay: { reads: [price], writes: [receipt, 'bank:tea'], effect: irreversible, reconcile: findRow, timeout: 10s }
skeletons:
  Offer:
    entity: '"tea"'
    states: [pricing]
    entry: [pricing]
    outputs: [price]
    exit: [{ id: priced, at: pricing -> waiting, when: memory.price != null }]
    rollback: { anchors: [priced], resume: pricing }
  Order:
    entity: '"tea"'
    states: [reserving, paying]
    entry: [reserving]
    inputs: [price]
    outputs: [hold, receipt]
    commit: [{ id: reserved, at: paying, when: memory.hold != null, outputs: [hold] }]
    exit: [{ id: paid, at: paying -> done, when: memory.receipt != null }]
    rollback: { anchors: [reserved, paid], resume: paying }
`;

/** The config of a page. */
export function configOf(page: string): BoundaryConfig {
  const { config, findings } = loadConfig(page, { file: 'shop.yaml' });
  if (config === null) throw new Error(JSON.stringify(findings));
  return config;
}

/** What a test may break of the world. */
export interface Habits {
  /** The bank takes each call for another payment. */
  readonly forgetsKeys?: boolean;
  /** The bank says of every payment that it did not happen. */
  readonly lies?: boolean;
  /** The reset leaves what was reserved. */
  readonly leaves?: boolean;
  /** The bank takes a while to answer. */
  readonly slow?: boolean;
  /** The price is another one each time. */
  readonly moods?: boolean;
}

/** The machine, its world, and the counterparties. */
export function shop(habits: Habits = {}) {
  let rows: { key: string; says: string }[] = [];
  let [minted, price] = [0, 40];
  const act = (says: string, given: string | undefined): string => {
    minted += 1;
    const key = habits.forgetsKeys || given === undefined ? `minted ${minted}` : given;
    if (!rows.some((row) => row.key === key)) rows.push({ key, says });
    return says;
  };
  const machine = setup({
    types: {
      context: {} as { price: number | null; hold: string | null; receipt: string | null },
      events: {} as { type: 'order' },
    },
    actors: {
      askPrice: tool<number, void>(async () => {
        if (habits.moods) price += 1;
        return price;
      }),
      reserve: tool<string, number>(async ({ input, key }) => act(`hold ${input}`, key)),
      pay: tool<string, number>(async ({ input, key }) => {
        const receipt = act(`paid ${input}`, key);
        if (habits.slow) await new Promise((resolve) => setTimeout(resolve, 300));
        return receipt;
      }),
    },
  }).createMachine({
    id: 'shop',
    context: { price: null, hold: null, receipt: null },
    initial: 'pricing',
    states: {
      pricing: {
        invoke: {
          src: 'askPrice',
          onDone: { target: 'waiting', actions: assign({ price: ({ event }) => event.output }) },
        },
      },
      waiting: { on: { order: 'reserving' } },
      reserving: {
        invoke: {
          src: 'reserve',
          input: ({ context }) => context.price ?? 0,
          onDone: { target: 'paying', actions: assign({ hold: ({ event }) => event.output }) },
        },
      },
      paying: {
        invoke: {
          src: 'pay',
          input: ({ context }) => context.price ?? 0,
          onDone: { target: 'done', actions: assign({ receipt: ({ event }) => event.output }) },
        },
      },
      done: { type: 'final' },
    },
  });
  const findRow = ({ key }: { key: string }): ReconcileResult => {
    const row = rows.find((each) => each.key === key);
    return row === undefined || habits.lies ? { is: 'not_applied' } : { is: 'applied', output: row.says };
  };
  const world = {
    reset: () => {
      rows = habits.leaves ? rows : [];
    },
    snapshot: () => ({ rows: rows.map(({ says }) => says) }),
  };
  const release = ({ key }: { key: string }) => {
    rows = rows.filter((row) => row.key !== key);
  };
  return { machine, world, reconcilers: { findRow }, undo: { release }, config: configOf(PAGE) };
}

/** The one path of the shop: somebody orders. */
export const ordered = [{ events: [{ type: 'order' }] }];
