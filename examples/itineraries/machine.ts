/**
 * A travel agent that tries three itineraries at once: each holds its seats and its room, and the cheapest of those that arrive in time is
 * bought. The holds of the others are given back before the money leaves.
 */
import { tool } from 'belay-sidecar/xstate';
import { assign, setup } from 'xstate';

/** The ways to travel. */
const WAYS = ['train', 'ferry', 'plane'] as const;
type Way = (typeof WAYS)[number];
type Hold = { ref: string; cents: number };
/** What an itinerary comes to. */
type Itinerary = { way: Way; seats: string; room: string; cents: number; arrives: number; by: number };
type Branch = { way: Way; by: number; tries: number; arrives: number; seats: Hold | null; room: Hold | null };
type Memory = { traveller: string; by: number | null; way: Way | null; plan: Itinerary | null; ticket: string | null };
type Chosen = { type: '@belay.chosen'; branch: string; output: Itinerary } | { type: '@belay.none' };

/** The timetables of the example: the hour of arrival, and the prices of seats and room. */
const TABLE: Readonly<Record<Way, { arrives: number; seats: number; room: number }>> = {
  train: { arrives: 17, seats: 9_000, room: 8_000 },
  ferry: { arrives: 23, seats: 4_000, room: 6_000 },
  plane: { arrives: 12, seats: 19_000, room: 8_000 },
};

/** A hold that is known not to be there is asked for again, at most twice; then the branch has failed. */
const again = (target: 'holdingSeats' | 'holdingRoom') =>
  ({
    guard: 'mayTry',
    target,
    reenter: true,
    actions: 'tried',
  }) as const;

const itinerary = setup({
  types: { context: {} as Branch, input: {} as { way: Way; by: number } },
  actors: {
    timetable: tool<number, { way: Way }>(async ({ input }) => TABLE[input.way].arrives),
    holdSeats: tool<Hold, { way: Way }>(async ({ input, key }) => ({
      ref: `seats ${input.way}${key === undefined ? '' : ', held'}`,
      cents: TABLE[input.way].seats,
    })),
    holdRoom: tool<Hold, { way: Way }>(async ({ input, key }) => ({
      ref: `room ${input.way}${key === undefined ? '' : ', held'}`,
      cents: TABLE[input.way].room,
    })),
  },
  guards: { mayTry: ({ context }) => context.tries < 2 },
  actions: { tried: assign({ tries: ({ context }) => context.tries + 1 }) },
}).createMachine({
  id: 'itinerary',
  context: ({ input }) => ({ ...input, tries: 0, arrives: 0, seats: null, room: null }),
  initial: 'looking',
  states: {
    looking: {
      invoke: {
        src: 'timetable',
        input: ({ context: { way } }) => ({ way }),
        onDone: { target: 'holdingSeats', actions: assign({ arrives: ({ event }) => event.output }) },
      },
    },
    holdingSeats: {
      invoke: {
        src: 'holdSeats',
        input: ({ context: { way } }) => ({ way }),
        onDone: { target: 'holdingRoom', actions: assign({ seats: ({ event }) => event.output }) },
        onError: again('holdingSeats'),
      },
    },
    holdingRoom: {
      invoke: {
        src: 'holdRoom',
        input: ({ context: { way } }) => ({ way }),
        onDone: { target: 'held', actions: assign({ room: ({ event }) => event.output }) },
        onError: again('holdingRoom'),
      },
    },
    held: { type: 'final' },
  },
  output: ({ context: { way, by, arrives, seats, room } }) => ({
    way,
    by,
    arrives,
    seats: seats?.ref ?? '',
    room: room?.ref ?? '',
    cents: (seats?.cents ?? 0) + (room?.cents ?? 0),
  }),
});

export const machine = setup({
  types: { context: {} as Memory, input: {} as { traveller: string } | undefined, events: {} as Chosen },
  actors: {
    itinerary,
    calendar: tool<number, { traveller: string }>(async ({ input }) => (input.traveller === 'ada' ? 20 : 24)),
    buy: tool<string, { way: string; cents: number }>(async ({ input, key }) => {
      return `ticket by ${input.way}${key === undefined ? '' : ', bought once'}`;
    }),
  },
}).createMachine({
  id: 'itineraries',
  context: ({ input }) => ({ traveller: input?.traveller ?? 'ada', by: null, way: null, plan: null, ticket: null }),
  initial: 'reading',
  states: {
    reading: {
      invoke: {
        src: 'calendar',
        input: ({ context: { traveller } }) => ({ traveller }),
        onDone: { target: 'read', actions: assign({ by: ({ event }) => event.output }) },
      },
    },
    read: { always: 'trying' },
    trying: {
      invoke: [
        { src: 'itinerary', id: 'train', input: ({ context: { by } }) => ({ way: 'train', by: by ?? 24 }) },
        { src: 'itinerary', id: 'ferry', input: ({ context: { by } }) => ({ way: 'ferry', by: by ?? 24 }) },
        { src: 'itinerary', id: 'plane', input: ({ context: { by } }) => ({ way: 'plane', by: by ?? 24 }) },
      ],
      on: {
        '@belay.chosen': {
          target: 'buying',
          actions: assign({ way: ({ event }) => event.output.way, plan: ({ event }) => event.output }),
        },
        '@belay.none': 'stays',
      },
    },
    buying: {
      invoke: {
        src: 'buy',
        input: ({ context: { plan } }) => ({ way: plan?.way ?? '', cents: plan?.cents ?? 0 }),
        onDone: { target: 'bought', actions: assign({ ticket: ({ event }) => event.output }) },
      },
    },
    bought: { type: 'final' },
    stays: { type: 'final' },
  },
});
