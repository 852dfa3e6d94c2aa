/** The words of the agent: what is asked of it, and what it remembers. Days are numbers, money is in cents. */
import { there } from '../there.ts';

/** The regions in which the cities are planned, in the order in which they are visited. */
export const PLACES = ['first', 'second', 'third'] as const;

/** One of them. */
export type Place = (typeof PLACES)[number];

/** The means of travel. */
export type Standard = 'comfort' | 'plain';

/** A request to the agent. */
export interface Request {
  /** The name of the trip; one trip has one itinerary. */
  readonly trip: string;
  readonly traveller: string;
  /** Where the trip begins. */
  readonly home: string;
  /** The day on which it begins. */
  readonly start: number;
  /** The limit of the total cost. */
  readonly budget: number;
  /** The cities, three of them, in the order in which they are visited. */
  readonly cities: readonly { readonly name: string; readonly nights: number }[];
  /** True if a guide is wanted in the last city. */
  readonly outing: boolean;
}

/** A request whose traveller and cities are known; null where one of them is not. */
export interface Trip {
  readonly trip: string;
  readonly traveller: string;
}

/** The offers of a city: a flight to it and a hotel in it. */
export interface Quote {
  readonly flight: string;
  /** The duration of the flight in days. */
  readonly takes: number;
  readonly fare: number;
  readonly hotel: string;
  readonly night: number;
  /** The deposit that the hotel wants before it holds a room, and does not pay back; 0 for none. */
  readonly deposit: number;
}

/** A seat, a room or a guide that is held, by the locator of its provider: no other hold ever has the same. */
export interface Held {
  readonly locator: number;
  readonly cents: number;
}

/** When one leaves a city again, and in which round of the planning that was found. */
interface Leaving {
  readonly day: number;
  readonly round: number;
}

/** Where one eats in a city. */
export interface Meals {
  readonly restaurant: string;
  readonly cuisine: string;
  readonly cents: number;
  readonly round: number;
}

/** A city as far as it is known. */
export interface City {
  readonly quote?: Quote;
  /** The deposit that was paid for a room. */
  readonly deposit?: number;
  /** The holds, by the round in which each was made: a new plan overwrites no earlier hold. */
  readonly room: Readonly<Record<number, Held>>;
  readonly flight: Readonly<Record<number, Held>>;
  readonly departs?: Leaving;
  readonly meals?: Meals;
  /** The fee of a guide, null where there is none, and the round in which that was asked. */
  readonly guide?: { readonly cents: number | null; readonly round: number };
  readonly outing?: Held;
}

/** The total cost of the trip, and whether it is within the budget. */
export interface Check {
  readonly flights: number;
  readonly rooms: number;
  readonly tables: number;
  readonly total: number;
  readonly within: boolean;
}

/** The agent's memory. */
export interface Memory {
  readonly asked: Request;
  readonly trip: Trip | null;
  readonly standard: Standard;
  /** The number of plans for the cities: one more where the first plan was too expensive. */
  readonly round: number;
  /** The cities by their places, so that each region names exactly what it reads and writes. */
  readonly cities: Readonly<Record<Place, City>>;
  readonly check: Check | null;
  readonly tickets: number | null;
  readonly rooms: number | null;
  readonly tables: number | null;
  readonly payment: number | null;
  readonly drawn: number | null;
  readonly itinerary: string | null;
}

/** The city of a place. */
export function cityAt({ asked }: Memory, place: Place): Request['cities'][number] {
  return there(asked.cities[PLACES.indexOf(place)], 'city');
}

/** The known facts about the city of a place. */
export function known(memory: Memory, place: Place): City {
  return memory.cities[place];
}

/** The hold in a place in this round. */
export function heldNow(memory: Memory, place: Place, what: 'flight' | 'room'): Held | undefined {
  return known(memory, place)[what][memory.round];
}

/** The locator of what was held in the round before, which is given up; null where nothing was. */
export function heldBefore(memory: Memory, place: Place, what: 'flight' | 'room'): number | null {
  return known(memory, place)[what][memory.round - 1]?.locator ?? null;
}

/** A city with something held in this round. */
export function holding(memory: Memory, place: Place, what: 'flight' | 'room', held: Held): City {
  const city = known(memory, place);
  return { ...city, [what]: { ...city[what], [memory.round]: held } };
}

/** The place that is visited before; null for the first. */
export function before(place: Place): Place | null {
  return PLACES[PLACES.indexOf(place) - 1] ?? null;
}

/** When one comes to a place, and what one comes with; null while that is not known in this round. */
export function arrival(memory: Memory, place: Place): { day: number; after: number | null } | null {
  const previous = before(place);
  if (previous === null) return { day: memory.asked.start, after: null };
  const { departs } = known(memory, previous);
  const flight = heldNow(memory, previous, 'flight');
  if (departs === undefined || flight === undefined || departs.round !== memory.round) return null;
  return { day: departs.day, after: flight.locator };
}

/** The meal in the city before, which is not repeated; null while it is not known in this round. */
export function eaten(memory: Memory, place: Place): string | null {
  const previous = before(place);
  if (previous === null) return 'nothing';
  const { meals } = known(memory, previous);
  return meals === undefined || meals.round !== memory.round ? null : meals.cuisine;
}

/** The memory with something more known of the city of a place. */
export function learnt(memory: Memory, place: Place, more: Partial<City>): Pick<Memory, 'cities'> {
  return { cities: { ...memory.cities, [place]: { ...memory.cities[place], ...more } } };
}

/** True if there is a guide, and none is held yet. */
export function unguided(memory: Memory, place: Place): boolean {
  const { guide, outing } = known(memory, place);
  return typeof guide?.cents === 'number' && outing === undefined;
}
