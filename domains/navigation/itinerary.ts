/** Questions about the context: the next stop, the place of its search, and the legs that still need a plan. */
import { there } from '../there.ts';
import type { Item, Leg, Memory, Search, Stop, Trip } from './trip.ts';

/** The first and the largest radius of a search, in minutes. */
const NEAR = 15;
const FAR = 60;

/** The limit of further searches for one stop. */
const ROUNDS = 2;

/** A leg to be planned, by the names of the places that it leads from and to. */
export interface Ends {
  readonly leg: string;
  readonly from: string;
  readonly to: string;
}

export const tripOf = ({ trip }: Memory): Trip => there(trip, 'trip');

/** The current stop on the agenda, and what is known of it. */
export function currentOf(memory: Memory): Item & Stop {
  const item = there(
    memory.agenda.find(({ stop }) => stop === memory.current),
    'stop',
  );
  return { ...item, ...there(memory.stops[item.stop], 'stop') };
}

/** The next stop of the agenda that is neither resolved nor skipped. */
export function nextStop({ agenda, stops }: Memory): string | null {
  return agenda.find(({ stop }) => stops[stop]?.status === undefined)?.stop ?? null;
}

/** A search that begins: close by. */
export function searchFor(query: string, wished: string | null, round = 0): Search {
  return { query, within: NEAR, round, wished };
}

/** The search for the current stop: what the reviewer wishes, where that was not searched for yet. */
export function searchOf(memory: Memory): Search {
  const { search } = currentOf(memory);
  const { wish } = memory;
  if (wish === null || !('query' in wish) || wish.stop !== memory.current) return search;
  return wish.query === search.wished ? search : searchFor(wish.query, wish.query);
}

/** The same search farther away; null where it goes as far as it may. */
export function widened(search: Search): Search | null {
  return search.within >= FAR ? null : { ...search, within: search.within * 2 };
}

/** True if no further search is allowed. */
export function isLast({ round }: Search): boolean {
  return round >= ROUNDS;
}

/** The stop before the current one, or `none`, and where the current one is searched from. */
export function before(memory: Memory): { readonly previous: string; readonly near: string } {
  const { agenda, stops, current } = memory;
  const previous = agenda[agenda.findIndex(({ stop }) => stop === current) - 1]?.stop;
  if (previous === undefined) return { previous: 'none', near: tripOf(memory).from };
  return { previous, near: stops[previous]?.place ?? tripOf(memory).from };
}

/** The memory with something more known of the current stop. */
export function learnt(memory: Memory, more: Partial<Stop>): Pick<Memory, 'stops'> {
  const stop = there(memory.current, 'stop');
  return { stops: { ...memory.stops, [stop]: { ...there(memory.stops[stop], 'stop'), ...more } } };
}

/** Where the stops are that are resolved, by their names, in the order of the agenda. */
export function placesOf({ agenda, stops }: Memory): Record<string, string> {
  return Object.fromEntries(
    agenda.flatMap(({ stop }) => {
      const { place, status } = there(stops[stop], 'stop');
      return status === 'resolved' && typeof place === 'string' ? [[stop, place]] : [];
    }),
  );
}

/** The searches that the reviewer wished for, by the names of the stops. */
export function wishedOf({ stops }: Memory): Record<string, string | null> {
  return Object.fromEntries(Object.entries(stops).map(([stop, { search }]) => [stop, search.wished]));
}

/** The name of the line that is to be planned: where its stops are, and by what. */
export function lineOf(memory: Memory): string {
  return [memory.by, ...Object.values(placesOf(memory))].join(' ');
}

/** The legs of the trip, in their order. */
function endsOf(memory: Memory): readonly Ends[] {
  const { from, to } = tripOf(memory);
  const points = [...Object.entries(placesOf(memory)), ['arrival', to] as const];
  return points.map(([leg, place], index) => ({ leg, from: points[index - 1]?.[1] ?? from, to: place }));
}

/** The legs of the line that are not planned yet. */
export function unplanned(memory: Memory): readonly Ends[] {
  return endsOf(memory).filter(({ leg }) => memory.legs[lineOf(memory)]?.[leg] === undefined);
}

/** The leg to plan next: where all are planned, since the stops are again where they were, the last one once more. */
export function nextLeg(memory: Memory): Ends {
  return there(unplanned(memory)[0] ?? endsOf(memory).at(-1), 'leg');
}

/** The legs of the trip as they are planned. */
export function routeOf(memory: Memory): readonly (Leg & { readonly leg: string })[] {
  return endsOf(memory).flatMap(({ leg }) => {
    const known = memory.legs[lineOf(memory)]?.[leg];
    return known === undefined ? [] : [{ leg, ...known }];
  });
}

/** Every node of the route, where one leg ends and the next one begins only once. */
export function nodesOf(memory: Memory): readonly string[] {
  return routeOf(memory).flatMap(({ nodes }, index) => (index === 0 ? nodes : nodes.slice(1)));
}
