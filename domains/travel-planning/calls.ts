/**
 * The inputs and the answers of the agent's tools. They are provided with a world (tools.ts); without one they refuse.
 */
import { setup } from 'xstate';
import { unconnected } from '../opening.ts';
import { typed } from '../there.ts';
import type { Check, Held, Meals, Memory, Place, Quote, Request, Standard, Trip } from './trip.ts';

/** Where in the trip a city lies, and what lies before it: by these names its keys are told apart. */
export interface Where {
  readonly city: string;
  readonly place: Place;
  readonly previous: Place | 'home';
}

/** Something that was held for a city. */
export interface Item {
  readonly city: string;
  readonly locator: number;
  readonly cents: number;
}

/** A booking with one kind of vendor, for the whole trip. */
export interface Booking {
  readonly trip: string;
  readonly items: readonly Item[];
  readonly cents: number;
}

/** Where one eats, city by city, and what that costs in all. */
export interface Tables {
  readonly trip: string;
  readonly tables: readonly { readonly city: string; readonly restaurant: string; readonly cents: number }[];
  readonly cents: number;
}

/** A stay that is held, in place of the one that was held before it. */
export interface Stay extends Where {
  readonly trip: string;
  readonly hotel: string;
  readonly day: number;
  readonly nights: number;
  readonly cents: number;
  readonly instead: number | null;
}

/** A seat that is held on a flight after another one, in place of the one that was held before it. */
export interface Seat extends Where {
  readonly trip: string;
  readonly flight: string;
  readonly day: number;
  readonly takes: number;
  readonly nights: number;
  readonly cents: number;
  /** The locator of the flight before it: the two are one journey. */
  readonly after: number | null;
  readonly instead: number | null;
}

/** A line of the itinerary. */
export interface Line {
  readonly city: string;
  readonly day: number;
  readonly flight: number;
  readonly hotel: string;
  readonly restaurant: string;
}

/** The input and the answer of each tool. */
export interface ToolTypes {
  look_up: { input: { asked: Request }; output: Trip | null };
  search_trips: { input: Where & { from: string; standard: Standard }; output: Quote };
  pay_deposit: {
    input: Where & { trip: string; hotel: string; day: number; after: number | null; cents: number };
    output: number;
  };
  hold_room: { input: Stay; output: Held };
  hold_flight: { input: Seat; output: Held & { readonly departs: number } };
  plan_meals: {
    input: Where & { nights: number; standard: Standard; eaten: string };
    output: Omit<Meals, 'round'>;
  };
  ask_guide: { input: Where; output: number };
  hold_guide: { input: Where & { trip: string; day: number; cents: number }; output: Held };
  check_budget: { input: { budget: number; flights: number; rooms: number; tables: number }; output: Check };
  book_flights: { input: Booking; output: number };
  book_rooms: { input: Booking; output: number };
  book_tables: { input: Tables; output: number };
  pay_vendors: { input: { trip: string; cents: number }; output: undefined };
  draw_budget: { input: { trip: string; cents: number }; output: undefined };
  send_itinerary: { input: { trip: string; lines: readonly Line[] }; output: string };
}

/** The setup of the machine's states. */
export const planning = setup({
  types: typed<Memory, Request>(),
  actors: {
    look_up: unconnected<ToolTypes['look_up']>(),
    search_trips: unconnected<ToolTypes['search_trips']>(),
    pay_deposit: unconnected<ToolTypes['pay_deposit']>(),
    hold_room: unconnected<ToolTypes['hold_room']>(),
    hold_flight: unconnected<ToolTypes['hold_flight']>(),
    plan_meals: unconnected<ToolTypes['plan_meals']>(),
    ask_guide: unconnected<ToolTypes['ask_guide']>(),
    hold_guide: unconnected<ToolTypes['hold_guide']>(),
    check_budget: unconnected<ToolTypes['check_budget']>(),
    book_flights: unconnected<ToolTypes['book_flights']>(),
    book_rooms: unconnected<ToolTypes['book_rooms']>(),
    book_tables: unconnected<ToolTypes['book_tables']>(),
    pay_vendors: unconnected<ToolTypes['pay_vendors']>(),
    draw_budget: unconnected<ToolTypes['draw_budget']>(),
    send_itinerary: unconnected<ToolTypes['send_itinerary']>(),
  },
});
