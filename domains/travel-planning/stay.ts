/** The states of a city: each calls one tool for it, and keeps what that answers. */
import { assign } from 'xstate';
import { there } from '../there.ts';
import { planning, type ToolTypes, type Where } from './calls.ts';
import {
  arrival,
  before,
  cityAt,
  eaten,
  heldBefore,
  holding,
  known,
  learnt,
  type Memory,
  type Place,
  type Quote,
  unguided,
} from './trip.ts';

const quoteOf = (memory: Memory, place: Place): Quote => there(known(memory, place).quote, 'quote');
const arrives = (memory: Memory, place: Place) => there(arrival(memory, place), 'arrival');
/** Where a city lies, as its calls name it. */
export function where(memory: Memory, place: Place): Where {
  return { city: cityAt(memory, place).name, place, previous: before(place) ?? 'home' };
}

/** Where one comes from. */
function originOf(memory: Memory, place: Place): string {
  const previous = before(place);
  return previous === null ? memory.asked.home : cityAt(memory, previous).name;
}

/** Searches for a flight and a hotel. */
export const searching = (place: Place) =>
  planning.createStateConfig({
    invoke: {
      src: 'search_trips',
      input: ({ context }) => ({
        ...where(context, place),
        from: originOf(context, place),
        standard: context.standard,
      }),
      onDone: {
        target: 'WAITING_ARRIVAL',
        actions: assign(({ context, event }) => learnt(context, place, { quote: event.output })),
      },
    },
  });

/** Pays what the hotel wants before it holds a room. */
export const paying = (place: Place) =>
  planning.createStateConfig({
    invoke: {
      src: 'pay_deposit',
      input: ({ context }) => ({
        trip: context.asked.trip,
        ...where(context, place),
        hotel: quoteOf(context, place).hotel,
        ...arrives(context, place),
        cents: quoteOf(context, place).deposit,
      }),
      onDone: {
        target: 'HOLDING_ROOM',
        actions: assign(({ context, event }) => learnt(context, place, { deposit: event.output })),
      },
    },
  });

/** Holds a room, in place of the one of the round before. */
export const rooming = (place: Place, target: string) =>
  planning.createStateConfig({
    invoke: {
      src: 'hold_room',
      input: ({ context }) => {
        const { nights } = cityAt(context, place);
        const { hotel, night, takes } = quoteOf(context, place);
        const day = arrives(context, place).day + takes;
        const instead = heldBefore(context, place, 'room');
        return {
          ...where(context, place),
          trip: context.asked.trip,
          hotel,
          day,
          nights,
          cents: night * nights,
          instead,
        };
      },
      onDone: {
        target,
        actions: assign(({ context, event }) => learnt(context, place, holding(context, place, 'room', event.output))),
      },
    },
  });

/** Holds a seat, in place of the one of the round before. */
export const flying = (place: Place, target: string) =>
  planning.createStateConfig({
    invoke: {
      src: 'hold_flight',
      input: ({ context }) => {
        const { nights } = cityAt(context, place);
        const { flight, takes, fare: cents } = quoteOf(context, place);
        const instead = heldBefore(context, place, 'flight');
        return {
          ...where(context, place),
          trip: context.asked.trip,
          flight,
          takes,
          nights,
          cents,
          ...arrives(context, place),
          instead,
        };
      },
      onDone: {
        target,
        actions: assign(({ context, event: { output } }) => {
          const { locator, cents, departs } = output;
          return learnt(context, place, {
            ...holding(context, place, 'flight', { locator, cents }),
            departs: { day: departs, round: context.round },
          });
        }),
      },
    },
  });

/** Plans the meals, and goes on elsewhere where a guide is still to be held. */
export const eating = (place: Place, guiding: 'HOLDING_GUIDE' | 'PLANNED') =>
  planning.createStateConfig({
    invoke: {
      src: 'plan_meals',
      input: ({ context }) => ({
        ...where(context, place),
        nights: cityAt(context, place).nights,
        standard: context.standard,
        eaten: there(eaten(context, place), 'kitchen of yesterday'),
      }),
      onDone: [
        {
          guard: ({ context }) => unguided(context, place),
          target: guiding,
          actions: assign(({ context, event }) => ate(context, place, event.output)),
        },
        { target: 'PLANNED', actions: assign(({ context, event }) => ate(context, place, event.output)) },
      ],
    },
  });

function ate(memory: Memory, place: Place, meals: ToolTypes['plan_meals']['output']): Pick<Memory, 'cities'> {
  return learnt(memory, place, { meals: { ...meals, round: memory.round } });
}

/** Waits until it is known what was eaten in the city before. */
export const waitingForTables = (place: Place) =>
  planning.createStateConfig({
    always: { guard: ({ context }) => eaten(context, place) !== null, target: 'PLANNING_MEALS' },
  });
