/**
 * The refund agent: it asks two services at once, values and restocks the items one after the other (a machine of their own), has a
 * person approve the sum, pays it back, and writes to the customer. Its tools act on nothing: a recording world stands in.
 */
import { fileURLToPath } from 'node:url';
import { assign, setup } from 'xstate';
import { tool } from '../../../src/xstate/tool.ts';

type Item = { value?: number; shelf?: string };
type Memory = {
  order: string;
  items: Record<string, Item>;
  current: string;
  fraud: boolean | null;
  policy: number | null;
  sum: number | null;
  payment: string | null;
  letter: string | null;
};
type Named = { item: string };

export const config = fileURLToPath(new URL('refund.yaml', import.meta.url));

const PRICES: Record<string, number> = { lamp: 40, chair: 90 };

const restock = setup({
  types: {
    input: {} as Named & { value: number },
    context: {} as Named & { value: number; shelf: string; label: string },
    output: {} as string,
  },
  actors: {
    reserveShelf: tool<string, Named & { value: number }>(async ({ input }) => `shelf for ${input.item}`),
    printLabel: tool<string, Named & { shelf: string }>(async ({ input }) => `label: ${input.item}, ${input.shelf}`),
  },
}).createMachine({
  id: 'restock',
  context: ({ input }) => ({ ...input, shelf: '', label: '' }),
  initial: 'reserving',
  output: ({ context }) => context.shelf,
  states: {
    reserving: {
      invoke: {
        src: 'reserveShelf',
        input: ({ context: { item, value } }) => ({ item, value }),
        onDone: { target: 'labelling', actions: assign({ shelf: ({ event }) => event.output }) },
      },
    },
    labelling: {
      invoke: {
        src: 'printLabel',
        input: ({ context: { item, shelf } }) => ({ item, shelf }),
        onDone: { target: 'labelled', actions: assign({ label: ({ event }) => event.output }) },
      },
    },
    labelled: { type: 'final' },
  },
});

const open = ({ items }: Memory) => Object.keys(items).find((id) => items[id]?.shelf === undefined);
const learnt = ({ items, current }: Memory, more: Item) => ({
  items: { ...items, [current]: { ...items[current], ...more } },
});

export const machine = setup({
  types: { context: {} as Memory, input: {} as { order: string; items: string[] } },
  actors: {
    checkFraud: tool<boolean, { order: string }>(async () => false),
    checkPolicy: tool<number, { order: string }>(async () => 200),
    valueItem: tool<number, Named>(async ({ input }) => PRICES[input.item] ?? 10),
    payBack: tool<string, { order: string; cents: number }>(async ({ input }) => `paid ${input.cents}`),
    writeLetter: tool<string, { order: string; payment: string }>(async ({ input }) => `letter: ${input.payment}`),
    restock,
  },
}).createMachine({
  id: 'refund',
  context: ({ input }) => ({
    order: input?.order ?? 'o1',
    items: Object.fromEntries((input?.items ?? ['lamp', 'chair']).map((id) => [id, {}])),
    current: '',
    fraud: null,
    policy: null,
    sum: null,
    payment: null,
    letter: null,
  }),
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
                onDone: { target: 'asked', actions: assign({ fraud: ({ event }) => event.output }) },
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
                onDone: { target: 'asked', actions: assign({ policy: ({ event }) => event.output }) },
              },
            },
            asked: { type: 'final' },
          },
        },
      },
      onDone: 'next',
    },
    next: {
      always: [
        { guard: ({ context }) => context.fraud === true, target: 'refused' },
        {
          guard: ({ context }) => open(context) !== undefined,
          target: 'valuing',
          actions: assign({ current: ({ context }) => open(context) ?? '' }),
        },
        {
          target: 'paying',
          actions: assign({
            sum: ({ context }) =>
              Math.min(
                context.policy ?? 0,
                Object.values(context.items).reduce((sum, { value = 0 }) => sum + value, 0),
              ),
          }),
        },
      ],
    },
    valuing: {
      invoke: {
        src: 'valueItem',
        input: ({ context }) => ({ item: context.current }),
        onDone: {
          target: 'restocking',
          actions: assign(({ context, event }) => learnt(context, { value: event.output })),
        },
      },
    },
    restocking: {
      invoke: {
        src: 'restock',
        input: ({ context }) => ({ item: context.current, value: context.items[context.current]?.value ?? 0 }),
        onDone: { target: 'next', actions: assign(({ context, event }) => learnt(context, { shelf: event.output })) },
      },
    },
    paying: {
      invoke: {
        src: 'payBack',
        input: ({ context }) => ({ order: context.order, cents: context.sum ?? 0 }),
        onDone: { target: 'writing', actions: assign({ payment: ({ event }) => event.output }) },
      },
    },
    writing: {
      invoke: {
        src: 'writeLetter',
        input: ({ context }) => ({ order: context.order, payment: context.payment ?? '' }),
        onDone: { target: 'done', actions: assign({ letter: ({ event }) => event.output }) },
      },
    },
    done: { type: 'final' },
    refused: { type: 'final' },
  },
});
