/**
 * The refund agent: it asks two services at once, values and restocks the items one after the other (a machine of their own), books the
 * credit, counts the shelves, files the risk for good, has a person approve the sum, pays it back, and writes to the customer. A letter without an
 * address is written once more. Its tools act on a recording world, and so do its shelves.
 */
import { fileURLToPath } from 'node:url';
import { assign, setup } from 'xstate';
import type { UndoCall } from '../../../src/index.ts';
import type { RecordingWorld } from '../../../src/testing/index.ts';
import { tool } from '../../../src/xstate/tool.ts';

import { counted, type Named, restockOn } from './restock.ts';

type Item = { value?: number; shelf?: string };
type Memory = {
  order: string;
  items: Record<string, Item>;
  current: string;
  fraud: number | null;
  risk: number;
  policy: number | null;
  sum: number | null;
  booking: string | null;
  shelved: string | null;
  records: Record<string, string>;
  closed: boolean;
  account: string | null;
  payment: string | null;
  address: string | null;
  proof: string | null;
};
type Payment = { order: string; account: string; cents: number };
type Letter = { order: string; payment: string; address: string };

export const config = fileURLToPath(new URL('refund.yaml', import.meta.url));

const PRICES: Record<string, number> = { lamp: 40, chair: 90 };

const openIn = (items: Memory['items']) => Object.keys(items).find((id) => items[id]?.shelf === undefined);
const learnt = ({ items, current }: Memory, more: Item) => ({ ...items, [current]: { ...items[current], ...more } });
const sumOf = (items: Memory['items']) => Object.values(items).reduce((sum, { value = 0 }) => sum + value, 0);

const begun = (input: { order?: string; items?: string[] } | undefined): Memory => ({
  order: input?.order ?? 'o1',
  items: Object.fromEntries((input?.items ?? ['lamp', 'chair']).map((id) => [id, {}])),
  current: '',
  ...{ fraud: null, risk: 0, policy: null, sum: null, booking: null, shelved: null, records: {} },
  ...{ closed: false, account: null, payment: null, address: null, proof: null },
});

/** The refund agent as it is rehearsed, on a world: a file that is closed cannot be taken back. */
export function refundIn(world: RecordingWorld) {
  const machine = refundOn(world);
  const { unfile } = world.around(machine, config).undo;
  const undo = {
    unfile: async (call: UndoCall) => (world.actsOf('closeFile').length > 0 ? undefined : unfile?.(call)),
  };
  return { machine, world, undo };
}

/** The machine, on the world in which its shelves are. */
export function refundOn(world: RecordingWorld) {
  return setup({
    types: { context: {} as Memory, input: {} as { order: string; items: string[] } },
    actors: {
      checkFraud: tool<number, { order: string }>(async () => 3),
      checkPolicy: tool<number, { order: string }>(async () => 200),
      valueItem: tool<number, Named>(async ({ input }) => PRICES[input.item] ?? 10),
      bookCredit: tool<string, { order: string; cents: number }>(async ({ input }) => `booked ${input.cents}`),
      countShelves: tool<string, void>(async () => counted(world)),
      fileRisk: tool<string, { order: string; fraud: number }>(async () => 'filed'),
      closeFile: tool<boolean, { order: string }>(async () => true),
      findAccount: tool<string, { order: string }>(async ({ input }) => `account of ${input.order}`),
      payBack: tool<string, Payment>(async ({ input }) => `paid ${input.cents}`),
      findAddress: tool<string, { order: string }>(async ({ input }) => `street of ${input.order}`),
      writeLetter: tool<string, Letter>(async ({ input }) => `letter to ${input.address}`),
      proofread: tool<string, { address: string }>(async ({ input }) => (input.address === '' ? 'returned' : 'fine')),
      restock: restockOn(world),
    },
  }).createMachine({
    id: 'refund',
    context: ({ input }) => begun(input),
    initial: 'checking',
    states: {
      checking: {
        type: 'parallel',
        states: {
          fraud: {
            initial: 'asking',
            states: {
              asking: {
                invoke: {
                  src: 'checkFraud',
                  input: ({ context: { order } }) => ({ order }),
                  onDone: {
                    target: 'asked',
                    actions: assign(({ context, event }) => ({
                      fraud: event.output,
                      risk: context.risk + event.output,
                    })),
                  },
                },
              },
              asked: { type: 'final' },
            },
          },
          policy: {
            initial: 'asking',
            states: {
              asking: {
                invoke: {
                  src: 'checkPolicy',
                  input: ({ context: { order } }) => ({ order }),
                  onDone: {
                    target: 'asked',
                    actions: assign(({ context, event }) => ({ policy: event.output, risk: context.risk + 1 })),
                  },
                },
              },
              asked: { type: 'final' },
            },
          },
        },
        onDone: [
          { guard: ({ context }) => context.risk > 50, target: 'refused' },
          { target: 'valuing', actions: assign({ current: ({ context }) => openIn(context.items) ?? '' }) },
        ],
      },
      next: { always: 'valuing' },
      valuing: {
        invoke: {
          src: 'valueItem',
          input: ({ context }) => ({ item: context.current }),
          onDone: {
            target: 'restocking',
            actions: assign({ items: ({ context, event }) => learnt(context, { value: event.output }) }),
          },
        },
      },
      restocking: {
        invoke: {
          src: 'restock',
          input: ({ context }) => ({ item: context.current, value: context.items[context.current]?.value ?? 0 }),
          onDone: [
            {
              guard: ({ context, event }) => openIn(learnt(context, { shelf: event.output })) !== undefined,
              target: 'next',
              actions: assign(({ context, event }) => {
                const items = learnt(context, { shelf: event.output });
                return { items, current: openIn(items) ?? '' };
              }),
            },
            {
              target: 'booking',
              actions: assign(({ context, event }) => {
                const items = learnt(context, { shelf: event.output });
                return { items, sum: Math.min(context.policy ?? 0, sumOf(items)) };
              }),
            },
          ],
        },
      },
      booking: {
        invoke: {
          src: 'bookCredit',
          input: ({ context }) => ({ order: context.order, cents: context.sum ?? 0 }),
          onDone: { target: 'counting', actions: assign({ booking: ({ event }) => event.output }) },
        },
      },
      counting: {
        invoke: {
          src: 'countShelves',
          onDone: { target: 'filing', actions: assign({ shelved: ({ event }) => event.output }) },
        },
      },
      filing: {
        invoke: {
          src: 'fileRisk',
          input: ({ context: { order, fraud } }) => ({ order, fraud: fraud ?? 0 }),
          onDone: {
            target: 'closing',
            actions: assign({
              records: ({ context, event }) => ({ ...context.records, [context.order]: event.output }),
            }),
          },
        },
      },
      closing: {
        invoke: {
          src: 'closeFile',
          input: ({ context: { order } }) => ({ order }),
          onDone: { target: 'accounting', actions: assign({ closed: ({ event }) => event.output }) },
        },
      },
      accounting: {
        invoke: {
          src: 'findAccount',
          input: ({ context: { order } }) => ({ order }),
          onDone: { target: 'paying', actions: assign({ account: ({ event }) => event.output }) },
        },
      },
      paying: {
        invoke: {
          src: 'payBack',
          input: ({ context: { order, account, sum } }) => ({ order, account: account ?? '', cents: sum ?? 0 }),
          onDone: { target: 'addressing', actions: assign({ payment: ({ event }) => event.output }) },
        },
      },
      addressing: {
        invoke: {
          src: 'findAddress',
          input: ({ context: { order } }) => ({ order }),
          onDone: { target: 'writing', actions: assign({ address: ({ event }) => event.output }) },
          onError: { target: 'writing', actions: assign({ address: '' }) },
        },
      },
      writing: {
        invoke: {
          src: 'writeLetter',
          input: ({ context: { order, payment, address } }) => ({
            order,
            payment: payment ?? '',
            address: address ?? '',
          }),
          onDone: 'proofing',
        },
      },
      proofing: {
        invoke: {
          src: 'proofread',
          input: ({ context: { address } }) => ({ address: address ?? '' }),
          onDone: [
            { guard: ({ event }) => event.output !== 'fine', target: 'again' },
            { target: 'done', actions: assign({ proof: ({ event }) => event.output }) },
          ],
        },
      },
      again: { always: 'addressing' },
      done: { type: 'final' },
      refused: { type: 'final' },
    },
  });
}
