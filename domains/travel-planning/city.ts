/**
 * The region of one city: it searches, waits until it is known when one arrives, holds a room and a seat, and plans the meals.
 * Cities wait for each other where they have to, and for nothing else. In the last one a guide may be asked meanwhile.
 */
import { assign } from 'xstate';
import { there } from '../there.ts';
import { planning } from './calls.ts';
import { eating, flying, paying, rooming, searching, waitingForTables, where } from './stay.ts';
import { arrival, known, learnt, type Memory, type Place } from './trip.ts';

/** True if the hotel wants a deposit that it has not been paid. */
const owes = (memory: Memory, place: Place): boolean =>
  (known(memory, place).quote?.deposit ?? 0) > 0 && known(memory, place).deposit === undefined;
/** True if a guide is wanted and not held yet, and none was asked in this round. */
const asks = (memory: Memory, place: Place): boolean => {
  const { guide, outing } = known(memory, place);
  return memory.asked.outing && outing === undefined && guide?.round !== memory.round;
};
/** The answer about a guide. */
const told = (memory: Memory, place: Place, cents: number | null) =>
  learnt(memory, place, { guide: { cents, round: memory.round } });
/** True if the time of arrival is known. */
const comes = (memory: Memory, place: Place): boolean => arrival(memory, place) !== null;

/** The region of a city in which one thing happens after the other. */
export function city(place: 'first' | 'second') {
  return planning.createStateConfig({
    initial: 'SEARCHING',
    states: {
      SEARCHING: searching(place),
      WAITING_ARRIVAL: {
        always: [
          { guard: ({ context }) => comes(context, place) && owes(context, place), target: 'PAYING_DEPOSIT' },
          { guard: ({ context }) => comes(context, place), target: 'HOLDING_ROOM' },
        ],
      },
      PAYING_DEPOSIT: paying(place),
      HOLDING_ROOM: rooming(place, 'HOLDING_FLIGHT'),
      HOLDING_FLIGHT: flying(place, 'WAITING_TABLES'),
      WAITING_TABLES: waitingForTables(place),
      PLANNING_MEALS: eating(place, 'PLANNED'),
      PLANNED: { type: 'final' },
    },
  });
}

/** The region of the last city. While the stay is arranged a guide is asked, where one is wanted; once all is planned, the guide is held. */
export function lastCity(place: 'third') {
  return planning.createStateConfig({
    initial: 'SEARCHING',
    states: {
      SEARCHING: searching(place),
      WAITING_ARRIVAL: {
        always: [
          {
            guard: ({ context }) => comes(context, place) && owes(context, place) && asks(context, place),
            target: ['ARRANGING.stay.PAYING_DEPOSIT', 'ARRANGING.outing.ASKING_GUIDE'],
          },
          {
            guard: ({ context }) => comes(context, place) && owes(context, place),
            target: 'ARRANGING.stay.PAYING_DEPOSIT',
          },
          {
            guard: ({ context }) => comes(context, place) && asks(context, place),
            target: 'ARRANGING.outing.ASKING_GUIDE',
          },
          { guard: ({ context }) => comes(context, place), target: 'ARRANGING' },
        ],
      },
      ARRANGING: {
        type: 'parallel',
        states: {
          stay: {
            initial: 'HOLDING_ROOM',
            states: {
              PAYING_DEPOSIT: paying(place),
              HOLDING_ROOM: rooming(place, 'WAITING_GUIDE'),
              WAITING_GUIDE: { always: { guard: ({ context }) => !asks(context, place), target: 'HOLDING_FLIGHT' } },
              HOLDING_FLIGHT: flying(place, 'HELD'),
              HELD: { always: '#waiting-tables' },
            },
          },
          outing: {
            initial: 'NONE',
            states: {
              NONE: {},
              ASKING_GUIDE: {
                invoke: {
                  src: 'ask_guide',
                  input: ({ context }) => where(context, place),
                  onDone: {
                    target: 'ASKED',
                    actions: assign(({ context, event }) => told(context, place, event.output)),
                  },
                  // Who does not answer is not waited for: the trip goes on without a guide.
                  onError: {
                    target: 'ASKED',
                    actions: assign(({ context }) => told(context, place, null)),
                  },
                },
              },
              ASKED: {},
            },
          },
        },
      },
      WAITING_TABLES: { id: 'waiting-tables', ...waitingForTables(place) },
      PLANNING_MEALS: eating(place, 'HOLDING_GUIDE'),
      HOLDING_GUIDE: {
        invoke: {
          src: 'hold_guide',
          input: ({ context }) => ({
            ...where(context, place),
            trip: context.asked.trip,
            day: there(known(context, place).departs, 'departure').day - 1,
            cents: there(known(context, place).guide?.cents, 'guide'),
          }),
          onDone: {
            target: 'PLANNED',
            actions: assign(({ context, event }) => learnt(context, place, { outing: event.output })),
          },
        },
      },
      PLANNED: { type: 'final' },
    },
  });
}
