/** The states in which one stop is resolved: it is searched for, a place is chosen, and that is refined until it stays. */
import { assign } from 'xstate';
import { there } from '../there.ts';
import { chosen, found, refined } from './answers.ts';
import { before, currentOf, isLast, learnt, nextStop, searchOf, tripOf, widened } from './itinerary.ts';
import { navigation } from './setup.ts';

/** A search that finds nothing goes farther, as far as it may. */
export const searching = navigation.createStateConfig({
  invoke: {
    src: 'search_poi',
    input: ({ context }) => {
      const { stop } = currentOf(context);
      const { query, within } = searchOf(context);
      return { trip: tripOf(context).trip, stop, ...before(context), query, within };
    },
    onDone: [
      {
        guard: ({ context, event }) => event.output.places.length === 0 && widened(searchOf(context)) !== null,
        target: 'SEARCHING_POI',
        reenter: true,
        actions: assign(({ context }) => {
          const search = searchOf(context);
          return learnt(context, { search: widened(search) ?? search });
        }),
      },
      {
        target: 'WAITING_POI_SELECTION',
        actions: assign(({ context, event }) => found(context, event.output)),
      },
    ],
  },
});

/** One of the places is taken, something else is searched for, or the stop is skipped: then nothing was resolved. */
export const selecting = navigation.createStateConfig({
  invoke: {
    src: 'choose_poi',
    input: ({ context }) => {
      const { stop, title, search, place } = currentOf(context);
      const known = { trip: tripOf(context).trip, stop, title, query: search.query, last: isLast(search) };
      return { ...known, found: there(context.found[stop], 'search'), instead: place ?? null };
    },
    onDone: [
      {
        guard: ({ event }) => event.output.says === 'take',
        target: 'WAITING_QUERY_REFINEMENT',
        actions: assign(({ context, event }) => chosen(context, event.output)),
      },
      {
        guard: ({ event }) => event.output.says === 'search',
        target: 'SEARCHING_POI',
        actions: assign(({ context, event }) => chosen(context, event.output)),
      },
      { target: 'STOP_READY', actions: assign(({ context, event }) => chosen(context, event.output)) },
    ],
  },
});

/** The place is settled, or the query is refined and the stop searched for again. */
export const refining = navigation.createStateConfig({
  invoke: {
    src: 'refine_stop',
    input: ({ context }) => {
      const { stop, place, search, refine } = currentOf(context);
      const { wish } = context;
      const wished = wish !== null && 'place' in wish && wish.stop === stop ? wish.place : null;
      const known = { trip: tripOf(context).trip, stop, place: there(place, 'place'), query: search.query };
      return { ...known, refine, wish: wished, last: isLast(search) };
    },
    onDone: [
      {
        guard: ({ event }) => event.output.says === 'search',
        target: 'SEARCHING_POI',
        actions: assign(({ context, event }) => refined(context, event.output)),
      },
      {
        guard: ({ context }) => nextStop({ ...context, ...learnt(context, { status: 'resolved' }) }) !== null,
        target: 'STOP_READY',
        actions: assign(({ context, event }) => refined(context, event.output)),
      },
      {
        guard: ({ context }) => tripOf(context).mode === 'preview',
        target: 'DONE',
        actions: assign(({ context, event }) => refined(context, event.output)),
      },
      { target: 'ROUTES_PLANNED', actions: assign(({ context, event }) => refined(context, event.output)) },
    ],
  },
});
