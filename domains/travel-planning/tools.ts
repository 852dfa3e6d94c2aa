/** The agent's tools on a world, who can be asked about them, and what undoes them; by the names that the config uses. */
import type { ReconcileResult, Reconciler, Undo } from 'belay-sidecar';
import { tool } from 'belay-sidecar/xstate';
import { numberOf, textOf } from '../there.ts';
import type { Agency } from './agency.ts';
import type { ToolTypes } from './calls.ts';

/** A tool that does one thing to the world. */
function acting<TName extends keyof ToolTypes>(
  act: (input: ToolTypes[TName]['input'], key: string | undefined) => ToolTypes[TName]['output'],
) {
  return tool<ToolTypes[TName]['output'], ToolTypes[TName]['input']>(async ({ input, key, signal }) => {
    signal.throwIfAborted();
    return act(input, key);
  });
}

/** The tools. */
export function toolsOn(agency: Agency) {
  return {
    look_up: acting<'look_up'>(({ asked }) => agency.lookUp(asked)),
    search_trips: acting<'search_trips'>(({ city, from, standard }) => agency.search(city, from, standard)),
    pay_deposit: acting<'pay_deposit'>((deposit, key) => agency.payDeposit(deposit, key)),
    hold_room: acting<'hold_room'>((stay, key) => agency.holdRoom(stay, key)),
    hold_flight: acting<'hold_flight'>((seat, key) => agency.holdSeat(seat, key)),
    plan_meals: acting<'plan_meals'>((meals) => agency.dine(meals)),
    ask_guide: acting<'ask_guide'>(({ city }) => agency.guideOf(city)),
    hold_guide: acting<'hold_guide'>((outing, key) => agency.holdGuide(outing, key)),
    check_budget: acting<'check_budget'>(({ budget, ...costs }) => {
      const total = costs.flights + costs.rooms + costs.tables;
      return { ...costs, total, within: total <= budget };
    }),
    book_flights: acting<'book_flights'>((booking, key) => agency.book('flight', booking, key)),
    book_rooms: acting<'book_rooms'>((booking, key) => agency.book('room', booking, key)),
    book_tables: acting<'book_tables'>((tables, key) => agency.bookTables(tables, key)),
    pay_vendors: acting<'pay_vendors'>(({ trip, cents }, key) => void agency.move('vendors', trip, cents, key)),
    draw_budget: acting<'draw_budget'>(({ trip, cents }, key) => void agency.move('budget', trip, -cents, key)),
    send_itinerary: acting<'send_itinerary'>(({ trip, lines }, key) => agency.file(trip, lines, key)),
  };
}

/** The counterparties that can be asked whether a call happened. */
export function reconcilersOn(agency: Agency): Record<string, Reconciler> {
  // The database changes in the same moment as it is asked: what it does not know of will not happen later.
  const ask: Reconciler = ({ key }): ReconcileResult => {
    const found = agency.find(key);
    return found === null ? { is: 'not_applied' } : { is: 'applied', output: found.output };
  };
  return { find_hold: ask, find_booking: ask, find_payment: ask };
}

/** The undos of the calls. */
export function undoOn(agency: Agency): Record<string, Undo> {
  return {
    release: ({ key, undoKey }) => agency.release(key, undoKey),
    cancel_rooms: ({ args, undoKey }) => agency.cancelRooms(textOf(args, 'trip'), numberOf(args, 'cents'), undoKey),
  };
}
