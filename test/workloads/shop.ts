/**
 * A data set of our own, small enough to be counted by hand: an order is paid, packed and labelled, and the parcel is told of. Whether it
 * was paid can be asked, whether it was told cannot, packing is made once however often it is made, and a label is a row each time.
 */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { type Called, planned, type Step } from '../../audit/workloads/agent.ts';
import { contentOf, type DataSet, records, type Task, type World } from '../../audit/workloads/set.ts';

/** The tools of the shop, in the order of a plan. */
const Act = z.enum(['pay', 'pack', 'label', 'tell']);
export type Act = z.infer<typeof Act>;

/** One order as it stands in a file. */
const Order = z.object({ order: z.string(), acts: z.array(Act).readonly() });
export type Order = z.infer<typeof Order>;
const Orders = z.array(Order);

const CONFIG = `belay: 1
agent: shop
tries: 100
tools:
  look: { reads: ['shop:{args.unit}'], writes: ['units/{args.unit}/seen'], effect: none }
  verify: { reads: ['shop:{args.unit}'], writes: ['units/{args.unit}/well'], effect: none }
  pay: { reads: ['units/{args.unit}/seen'], writes: ['units/{args.unit}/done', at, 'shop:{args.unit}'], effect: irreversible, reconcile: ask }
  pack: { reads: ['units/{args.unit}/seen'], writes: ['units/{args.unit}/done', at, 'shop:{args.unit}'], effect: idempotent }
  label: { reads: ['units/{args.unit}/seen'], writes: ['units/{args.unit}/done', at, 'shop:{args.unit}'], effect: reversible, undo: tear, reconcile: ask }
  tell: { reads: ['units/{args.unit}/seen'], writes: ['units/{args.unit}/done', at, 'shop:{args.unit}'], effect: irreversible, reconcile: ask }
skeletons:
  Order:
    entity: args.unit
    states: [order]
    entry: [order.LOOKING]
    outputs: ['units/{entity}', at, 'shop:{entity}']
    commit:
      - { id: made, at: order.MADE, when: 'memory.units[entity].?done.hasValue()', outputs: ['units/{entity}/done'] }
    rollback: { anchors: [made], resume: order.LOOKING, tries: 50 }
`;

/** A folder of files. */
export function folderOf(files: Readonly<Record<string, unknown>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'belay-workload-'));
  for (const [name, content] of Object.entries(files))
    writeFileSync(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content));
  return folder;
}

/** The set. @param lies whether the counterparty that is asked about payments says what is not so. */
export function shop(lies = false): DataSet {
  return {
    name: 'shop',
    about: 'orders are paid, packed, labelled and told of',
    config: join(folderOf({ 'shop.yaml': CONFIG }), 'shop.yaml'),
    machine: planned('shop', { order: ['pay', 'pack', 'label', 'tell'] }),
    snapshots: ['order.LOOKING'],
    asks: {
      pay: 'the bank shows it',
      pack: 'nobody',
      label: 'the printer has a list',
      tell: 'nobody: a word is not written down',
    },
    files: { orders: records(['order', 'acts']) },
    tasks: ({ orders = [] }) => orders.flatMap((each) => contentOf(Orders, each)).map((order) => taskOf(order, lies)),
  };
}

/** One order as a task. */
export function taskOf({ order, acts }: Order, lies = false): Task {
  const plan = acts.map((tool): Step => ({ kind: 'order', unit: order, tool, with: { order } }));
  return { id: order, input: () => ({ plan }), open: (rows = {}) => opened(rows, lies) };
}

function opened(rows: Record<string, unknown>, lies: boolean): World {
  const add =
    (name: string) =>
    ({ order, step }: Called & { order: string }) => {
      const row = (nth: number) => `${order}/${name}/${step}/${nth}`;
      let nth = 1;
      while (rows[row(nth)] !== undefined) nth += 1;
      rows[row(nth)] = true;
      return nth;
    };
  const there = (name: string, step: number, order: string) => rows[`${order}/${name}/${step}/1`] !== undefined;
  const unit = ({ unit: own }: Called) => own;
  const shows =
    (name: string) =>
    ({ order, step }: Called & { order: string }) =>
      there(name, step, order) === lies ? ({ is: 'not_applied' } as const) : ({ is: 'applied', output: 1 } as const);
  const look = { act: () => Object.keys(rows).length };
  return {
    tools: {
      look,
      verify: look,
      pay: { act: add('paid'), change: { unit, shows: shows('paid') } },
      pack: {
        act: ({ order, step }: Called & { order: string }) => {
          rows[`${order}/packed/${step}`] = true;
        },
        change: { unit },
      },
      label: {
        act: add('label'),
        change: {
          unit,
          shows: shows('label'),
          undo: ({ order, step }: Called & { order: string }, nth: unknown) => {
            delete rows[`${order}/label/${step}/${nth}`];
          },
        },
      },
      tell: { act: add('told'), change: { unit } },
    },
    rows: () => rows,
  };
}
