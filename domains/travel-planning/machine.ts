/**
 * The agent as a state machine: three cities are planned at the same time, each in a region of its own. Then the whole is held
 * against the budget, planned once more where it is too dear, booked, paid and sent. Its tools are provided with a world (tools.ts).
 */
import { assign } from 'xstate';
import { there } from '../there.ts';
import { type Booking, type Item, type Line, planning, type Tables } from './calls.ts';
import { city, lastCity } from './city.ts';
import { type Check, type City, cityAt, heldNow, known, type Memory, PLACES } from './trip.ts';

const total = (costs: readonly { readonly cents: number }[]): number =>
  costs.reduce((sum, { cents }) => sum + cents, 0);

/** The holds of one kind, city by city. */
function held(memory: Memory, what: 'flight' | 'room'): Item[] {
  return PLACES.map((place) => ({ city: cityAt(memory, place).name, ...there(heldNow(memory, place, what), what) }));
}

function booking(memory: Memory, what: 'flight' | 'room'): Booking {
  const items = held(memory, what);
  return { trip: memory.asked.trip, items, cents: total(items) };
}

function tables(memory: Memory): Tables {
  const each = PLACES.map((place) => {
    const { restaurant, cents } = there(known(memory, place).meals, 'table');
    return { city: cityAt(memory, place).name, restaurant, cents };
  });
  return { trip: memory.asked.trip, tables: each, cents: total(each) };
}

/** The cost of the cities, a guide counted with the tables: both are paid on the spot. */
function costs(memory: Memory): Pick<Check, 'flights' | 'rooms' | 'tables'> {
  const guides = PLACES.flatMap((place) => known(memory, place).outing ?? []);
  return {
    flights: total(held(memory, 'flight')),
    rooms: total(held(memory, 'room')),
    tables: tables(memory).cents + total(guides),
  };
}

function lines(memory: Memory): Line[] {
  return PLACES.map((place) => {
    const { name, nights } = cityAt(memory, place);
    const { quote, departs, meals } = known(memory, place);
    const { locator } = there(heldNow(memory, place, 'flight'), 'flight');
    return {
      city: name,
      day: there(departs, 'departure').day - nights,
      flight: locator,
      hotel: quote?.hotel ?? '',
      restaurant: there(meals, 'table').restaurant,
    };
  });
}

/** A city of which nothing is known yet. */
const UNKNOWN: City = { room: {}, flight: {} };

/** The machine, with tools that refuse until a world is provided. */
export const machine = planning.createMachine({
  id: 'travel-planning',
  context: ({ input }) => ({
    asked: input,
    trip: null,
    standard: 'comfort',
    round: 1,
    cities: { first: UNKNOWN, second: UNKNOWN, third: UNKNOWN },
    check: null,
    tickets: null,
    rooms: null,
    tables: null,
    payment: null,
    drawn: null,
    itinerary: null,
  }),
  initial: 'LOOKING_UP',
  states: {
    LOOKING_UP: {
      invoke: {
        src: 'look_up',
        input: ({ context }) => ({ asked: context.asked }),
        onDone: [
          { guard: ({ event }) => event.output === null, target: 'CANCELLED' },
          { target: 'CITIES', actions: assign({ trip: ({ event }) => event.output }) },
        ],
      },
    },
    CITIES: {
      type: 'parallel',
      states: { first: city('first'), second: city('second'), third: lastCity('third') },
      onDone: 'CHECKING_BUDGET',
    },
    CHECKING_BUDGET: {
      invoke: {
        src: 'check_budget',
        input: ({ context }) => ({ budget: context.asked.budget, ...costs(context) }),
        onDone: [
          {
            guard: ({ event }) => event.output.within,
            target: 'BOOKING_FLIGHTS',
            actions: assign({ check: ({ event }) => event.output }),
          },
          {
            guard: ({ context }) => context.standard === 'comfort',
            target: 'CITIES',
            actions: assign(({ context, event }) => ({
              check: event.output,
              standard: 'plain' as const,
              round: context.round + 1,
            })),
          },
          { target: 'CANCELLED', actions: assign({ check: ({ event }) => event.output }) },
        ],
      },
    },
    BOOKING_FLIGHTS: {
      invoke: {
        src: 'book_flights',
        input: ({ context }) => booking(context, 'flight'),
        onDone: { target: 'BOOKING_ROOMS', actions: assign({ tickets: ({ event }) => event.output }) },
      },
    },
    BOOKING_ROOMS: {
      invoke: {
        src: 'book_rooms',
        input: ({ context }) => booking(context, 'room'),
        onDone: { target: 'BOOKING_TABLES', actions: assign({ rooms: ({ event }) => event.output }) },
      },
    },
    BOOKING_TABLES: {
      invoke: {
        src: 'book_tables',
        input: ({ context }) => tables(context),
        onDone: { target: 'PAYING', actions: assign({ tables: ({ event }) => event.output }) },
      },
    },
    PAYING: {
      invoke: {
        src: 'pay_vendors',
        input: ({ context }) => {
          const { flights, rooms, tables } = costs(context);
          return { trip: context.asked.trip, cents: flights + rooms + tables };
        },
        onDone: {
          target: 'DRAWING',
          actions: assign({ payment: ({ context }) => there(context.check, 'check').total }),
        },
      },
    },
    DRAWING: {
      invoke: {
        src: 'draw_budget',
        input: ({ context }) => ({ trip: context.asked.trip, cents: there(context.check, 'check').total }),
        onDone: { target: 'SENDING', actions: assign({ drawn: ({ context }) => there(context.check, 'check').total }) },
      },
    },
    SENDING: {
      invoke: {
        src: 'send_itinerary',
        input: ({ context }) => ({ trip: context.asked.trip, lines: lines(context) }),
        onDone: { target: 'DONE', actions: assign({ itinerary: ({ event }) => event.output }) },
      },
    },
    DONE: { type: 'final' },
    CANCELLED: { type: 'final' },
  },
});
