/**
 * The agent as a state machine: a trip is collected, each stop is searched, chosen and refined, the legs between them are planned and
 * reviewed, and a charger is reserved before the route goes to the vehicle.
 */
import { assign } from 'xstate';
import { nextStop, placesOf, searchFor, tripOf } from './itinerary.ts';
import { filing, planning, publishing, quoting, reserving, reviewing } from './route-states.ts';
import { navigation } from './setup.ts';
import { refining, searching, selecting } from './stop-states.ts';

/** The machine, with tools that refuse until a world is provided (tools.ts). */
export const machine = navigation.createMachine({
  id: 'navigation',
  context: ({ input }) => ({
    asked: input,
    trip: null,
    agenda: [],
    stops: {},
    found: {},
    current: null,
    by: 'minutes',
    legs: {},
    review: null,
    wish: null,
    offer: null,
    reservation: null,
    publication: null,
    log: null,
  }),
  initial: 'COLLECTING_TRIP',
  states: {
    COLLECTING_TRIP: {
      invoke: {
        src: 'collect_trip',
        input: ({ context }) => ({ asked: context.asked }),
        onDone: [
          { guard: ({ event }) => event.output === null, target: 'CANCELLED' },
          { target: 'PLANNING_STOPS', actions: assign({ trip: ({ event }) => event.output }) },
        ],
      },
    },
    PLANNING_STOPS: {
      invoke: {
        src: 'plan_stops',
        input: ({ context }) => ({ asked: context.asked, trip: tripOf(context) }),
        onDone: {
          target: 'STOP_READY',
          actions: assign(({ event }) => ({
            agenda: event.output,
            stops: Object.fromEntries(
              event.output.map(({ stop, query }) => [stop, { search: searchFor(query, null) }]),
            ),
          })),
        },
      },
    },
    STOP_READY: {
      always: [
        {
          guard: ({ context }) => nextStop(context) !== null,
          target: 'SEARCHING_POI',
          actions: assign({ current: ({ context }) => nextStop(context) }),
        },
        { guard: ({ context }) => Object.keys(placesOf(context)).length === 0, target: 'CANCELLED' },
        { guard: ({ context }) => tripOf(context).mode === 'preview', target: 'DONE' },
        { target: 'ROUTES_PLANNED' },
      ],
    },
    SEARCHING_POI: searching,
    WAITING_POI_SELECTION: selecting,
    WAITING_QUERY_REFINEMENT: refining,
    ROUTES_PLANNED: planning,
    REVIEWING_ROUTE: reviewing,
    QUOTING_CHARGER: quoting,
    RESERVING_CHARGER: reserving,
    PUBLISHING_ROUTE: publishing,
    FILING_LOG: filing,
    DONE: { type: 'final' },
    CANCELLED: { type: 'final' },
  },
});
