/**
 * A support agent: a model says what a customer wants, the order is looked up, a person approves what is worth more than 20 euros, the
 * money is paid back, the customer gets an answer, and the ticket is closed once the customer is content. Where the person says no, the
 * customer is told so.
 */
import { tool } from 'belay-sidecar/xstate';
import { assign, setup } from 'xstate';

type Wish = { wants: 'refund' | 'answer'; order: string };
type Order = { order: string; cents: number; late: boolean };
type Memory = {
  ticket: string;
  text: string;
  wish: Wish | null;
  order: Order | null;
  refund: string | null;
  refused: boolean;
  answer: string | null;
  closed: string | null;
};

const wording = ({ refund, refused }: Memory) => {
  if (refused) return 'We are sorry: we cannot pay this back.';
  return refund === null ? 'Your order is on its way.' : `We have paid it back: ${refund}.`;
};

/** Stands for the mail server and the bank: a real one answers a second call of the same key with its first receipt. */
const send = (_key: string | undefined, receipt: string): string => receipt;

export const machine = setup({
  types: {
    context: {} as Memory,
    input: {} as { ticket: string; text: string } | undefined,
    events: {} as { type: 'content' },
  },
  actors: {
    classify: tool<Wish, { text: string }>(async ({ input: { text } }) => {
      return { wants: text.includes('money') ? 'refund' : 'answer', order: /o\d+/.exec(text)?.[0] ?? 'o1' };
    }),
    findOrder: tool<Order, { order: string }>(async ({ input: { order } }) => ({ order, cents: 4_900, late: true })),
    payBack: tool<string, { order: string; cents: number }>(async ({ input, key }) =>
      send(key, `${input.cents} for ${input.order}`),
    ),
    sendAnswer: tool<string, { ticket: string; text: string }>(async ({ input, key }) =>
      send(key, `sent: ${input.text}`),
    ),
    closeTicket: tool<string, { ticket: string }>(async ({ input }) => `closed ${input.ticket}`),
  },
}).createMachine({
  id: 'support',
  context: ({ input }) => ({
    ticket: input?.ticket ?? 't1',
    text: input?.text ?? 'o7 is late, I want my money back',
    ...{ wish: null, order: null, refund: null, refused: false, answer: null, closed: null },
  }),
  initial: 'reading',
  states: {
    reading: {
      invoke: {
        src: 'classify',
        input: ({ context: { text } }) => ({ text }),
        onDone: { target: 'lookingUp', actions: assign({ wish: ({ event }) => event.output }) },
      },
    },
    lookingUp: {
      invoke: {
        src: 'findOrder',
        input: ({ context }) => ({ order: context.wish?.order ?? '' }),
        onDone: [
          {
            guard: ({ context, event }) => context.wish?.wants === 'refund' && event.output.late,
            target: 'refunding',
            actions: assign({ order: ({ event }) => event.output }),
          },
          { target: 'answering', actions: assign({ order: ({ event }) => event.output }) },
        ],
      },
    },
    refunding: {
      invoke: {
        src: 'payBack',
        input: ({ context: { order } }) => ({ order: order?.order ?? '', cents: order?.cents ?? 0 }),
        onDone: { target: 'answering', actions: assign({ refund: ({ event }) => event.output }) },
        onError: {
          guard: ({ event }) => event.error instanceof Error && event.error.name === 'Denied',
          target: 'answering',
          actions: assign({ refused: true }),
        },
      },
    },
    answering: {
      invoke: {
        src: 'sendAnswer',
        input: ({ context }) => ({ ticket: context.ticket, text: wording(context) }),
        onDone: { target: 'waiting', actions: assign({ answer: ({ event }) => event.output }) },
      },
    },
    waiting: { on: { content: 'closing' } },
    closing: {
      invoke: {
        src: 'closeTicket',
        input: ({ context: { ticket } }) => ({ ticket }),
        onDone: { target: 'closed', actions: assign({ closed: ({ event }) => event.output }) },
      },
    },
    closed: { type: 'final' },
  },
});
