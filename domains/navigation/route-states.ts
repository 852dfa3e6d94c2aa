/** The states in which the route is finalized: its legs are planned and reviewed, a charger is reserved, and the vehicle is told. */
import { assign } from 'xstate';
import { there } from '../there.ts';
import { heard, withLeg } from './answers.ts';
import { lineOf, nextLeg, nodesOf, placesOf, routeOf, tripOf, unplanned, wishedOf } from './itinerary.ts';
import { navigation } from './setup.ts';

/** One leg after the other; where one has no way, there is no trip. */
export const planning = navigation.createStateConfig({
  invoke: {
    src: 'plan_leg',
    input: ({ context }) => ({
      ...nextLeg(context),
      by: context.by,
      line: lineOf(context),
      range: tripOf(context).range,
    }),
    onDone: [
      { guard: ({ event }) => event.output === null, target: 'CANCELLED' },
      {
        guard: ({ context }) => unplanned(context).length > 1,
        target: 'ROUTES_PLANNED',
        reenter: true,
        actions: assign(({ context, event }) => withLeg(context, nextLeg(context).leg, event.output)),
      },
      {
        target: 'REVIEWING_ROUTE',
        actions: assign(({ context, event }) => withLeg(context, nextLeg(context).leg, event.output)),
      },
    ],
  },
});

/** The reviewer accepts, withdraws, has a stop opened again (to move it, or to search anew), or has other legs planned. */
export const reviewing = navigation.createStateConfig({
  invoke: {
    src: 'review_route',
    input: ({ context }) => ({
      line: lineOf(context),
      asked: context.asked,
      places: placesOf(context),
      wished: wishedOf(context),
      by: context.by,
      legs: routeOf(context).map(({ leg, minutes, km }) => ({ leg, minutes, km })),
    }),
    onDone: [
      {
        guard: ({ event: { output } }) => output.says === 'change' && 'place' in output.wish,
        target: 'WAITING_QUERY_REFINEMENT',
        actions: assign(({ event }) => heard(event.output)),
      },
      {
        guard: ({ event: { output } }) => output.says === 'change' && 'query' in output.wish,
        target: 'SEARCHING_POI',
        actions: assign(({ event }) => heard(event.output)),
      },
      {
        guard: ({ event }) => event.output.says === 'change',
        target: 'ROUTES_PLANNED',
        actions: assign(({ event }) => heard(event.output)),
      },
      { guard: ({ event }) => event.output.says === 'withdraw', target: 'CANCELLED' },
      { target: 'QUOTING_CHARGER', actions: assign(({ event }) => heard(event.output)) },
    ],
  },
});

export const quoting = navigation.createStateConfig({
  invoke: {
    src: 'quote_charger',
    input: ({ context }) => ({ line: lineOf(context), trip: tripOf(context).trip, nodes: nodesOf(context) }),
    onDone: { target: 'RESERVING_CHARGER', actions: assign({ offer: ({ event }) => event.output }) },
  },
});

export const reserving = navigation.createStateConfig({
  invoke: {
    src: 'reserve_charger',
    input: ({ context }) => ({ trip: tripOf(context).trip, offer: there(context.offer, 'offer') }),
    onDone: { target: 'PUBLISHING_ROUTE', actions: assign({ reservation: ({ event }) => event.output }) },
  },
});

export const publishing = navigation.createStateConfig({
  invoke: {
    src: 'publish_route',
    input: ({ context }) => ({
      line: lineOf(context),
      trip: tripOf(context).trip,
      vehicle: tripOf(context).vehicle,
      nodes: nodesOf(context),
      places: Object.values(placesOf(context)),
      reservation: there(context.reservation, 'reservation'),
    }),
    onDone: { target: 'FILING_LOG', actions: assign({ publication: ({ event }) => event.output }) },
  },
});

export const filing = navigation.createStateConfig({
  invoke: {
    src: 'file_log',
    input: ({ context }) => ({
      line: lineOf(context),
      trip: tripOf(context).trip,
      stops: Object.keys(placesOf(context)).length,
      km: routeOf(context).reduce((sum, { km }) => sum + km, 0),
      message: there(context.publication, 'publication').message,
    }),
    onDone: { target: 'DONE', actions: assign({ log: ({ event }) => event.output }) },
  },
});
