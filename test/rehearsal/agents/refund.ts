/**
 * The refund agent: it asks two services at once, values and restocks the items one after the other (a machine of their own), has a
 * person approve the sum, pays it back, and writes to the customer. Its tools act on a recording world, and so do its shelves.
 */
import { fileURLToPath } from 'node:url';
import { assign, setup } from 'xstate';
import type { RecordingWorld } from '../../../src/testing/index.ts';
import { tool } from '../../../src/xstate/tool.ts';

type Item = { value?: number; shelf?: string };
type Memory = {
  order: string;
  items: Record<string, Item>;
  current: string;
  fraud: number | null;
  risk: number;
  policy: number | null;
  sum: number | null;
  payment: string | null;
  letter: string | null;
};
type Named = { item: string };
type Valued = Named & { value: number };

export const config = fileURLToPath(new URL('refund.yaml', import.meta.url));

const PRICES: Record<string, number> = { lamp: 40, chair: 90 };

/** Things of value go to the safe shelves, others to the open ones; each takes the next free place. */
function place(world: RecordingWorld, value: number): string {
  const kind = value > 40 ? 'safe' : 'open';
  const taken = world.actsOf('reserveShelf').filter(({ output }) => String(output).startsWith(kind));
  return `${kind} ${taken.length + 1}`;
}

function restockOn(world: RecordingWorld) {
  return setup({
    types: { input: {} as Valued, context: {} as Valued & { shelf: string; label: string }, output: {} as string },
    actors: {
      reserveShelf: tool<string, Valued>(async ({ input }) => place(world, input.value)),
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
}

const openIn = (items: Memory['items']) => Object.keys(items).find((id) => items[id]?.shelf === undefined);
const learnt = ({ items, current }: Memory, more: Item) => ({ ...items, [current]: { ...items[current], ...more } });
const sumOf = (items: Memory['items']) => Object.values(items).reduce((sum, { value = 0 }) => sum + value, 0);

const begun = (input: { order?: string; items?: string[] } | undefined): Memory => ({
  order: input?.order ?? 'o1',
  items: Object.fromEntries((input?.items ?? ['lamp', 'chair']).map((id) => [id, {}])),
  current: '',
  ...{ fraud: null, risk: 0, policy: null, sum: null, payment: null, letter: null },
});

/** The machine, on the world in which its shelves are. */
export function refundOn(world: RecordingWorld) {
  return setup({
    types: { context: {} as Memory, input: {} as { order: string; items: string[] } },
    actors: {
      checkFraud: tool<number, { order: string }>(async () => 3),
      checkPolicy: tool<number, { order: string }>(async () => 200),
      valueItem: tool<number, Named>(async ({ input }) => PRICES[input.item] ?? 10),
      payBack: tool<string, { order: string; cents: number }>(async ({ input }) => `paid ${input.cents}`),
      writeLetter: tool<string, { order: string; payment: string }>(async ({ input }) => `letter: ${input.payment}`),
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
              target: 'valuing',
              actions: assign(({ context, event }) => {
                const items = learnt(context, { shelf: event.output });
                return { items, current: openIn(items) ?? '' };
              }),
            },
            {
              target: 'paying',
              actions: assign(({ context, event }) => {
                const items = learnt(context, { shelf: event.output });
                return { items, sum: Math.min(context.policy ?? 0, sumOf(items)) };
              }),
            },
          ],
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
}
