/** An offer that a customer accepts, has changed, or calls off; it is called off by itself after an hour. */
import { assign, setup } from 'xstate';
import { loadConfig } from '../../../src/index.ts';
import { tool } from '../../../src/xstate/index.ts';

/** The text of the config. */
export const PAGE = `
belay: 1
agent: offer
tools:
  price: { reads: [wish], writes: [price], effect: none, timeout: 10s }
  deliver: { reads: [price], writes: [delivered, 'depot:goods'], effect: irreversible, reconcile: findDelivery, timeout: 10s }
skeletons:
  Delivery:
    entity: '"it"'
    states: [delivering]
    entry: [delivering]
    outputs: [delivered]
    exit: [{ id: delivered, at: delivering -> done, when: memory.delivered != null }]
    rollback: { anchors: [delivered], resume: delivering }
`;

/** The config, as reviewed. */
export const { config } = loadConfig(PAGE, { file: 'offer.yaml' });

/** The events of the customer. */
export type Said = { type: 'accept' } | { type: 'callOff' } | { type: 'change'; wish: string };

/** The machine. Its first state refuses an offer that costs nothing, by the recorded price. */
export const offer = setup({
  types: {
    context: {} as { wish: string; price: number | null; delivered: string | null },
    events: {} as Said,
  },
  actors: {
    price: tool<number, string>(async ({ input }) => input.length),
    deliver: tool<string, string>(async ({ input }) => `delivered ${input}`),
  },
}).createMachine({
  id: 'offer',
  context: { wish: 'tea', price: null, delivered: null },
  initial: 'pricing',
  states: {
    pricing: {
      invoke: {
        src: 'price',
        input: ({ context }) => context.wish,
        onDone: [
          { guard: ({ event }) => !(event.output > 0), target: 'calledOff' },
          { target: 'offered', actions: assign({ price: ({ event }) => event.output }) },
        ],
      },
    },
    offered: {
      on: {
        accept: 'delivering',
        callOff: 'calledOff',
        change: { target: 'pricing', actions: assign({ wish: ({ event }) => event.wish }) },
      },
      after: { 3600000: 'calledOff' },
    },
    delivering: {
      invoke: {
        src: 'deliver',
        input: ({ context }) => context.wish,
        onDone: { target: 'done', actions: assign({ delivered: ({ event }) => event.output }) },
      },
    },
    calledOff: { type: 'final' },
    done: { type: 'final' },
  },
});
