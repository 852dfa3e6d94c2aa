/**
 * Trips (TravelPlanner): a traveller's plan of several days and cities, held piece by piece and then booked. Units are
 * the stays, the days, and the booking of it all. A part that the data could not resolve has no offer and no price: it
 * is neither held nor booked, and the trip is made without it, as the data's own cost of the trip is.
 */
import type { ReconcileResult } from 'belay-sidecar';
import { z } from 'zod';
import { type Called, planned, type Step } from '../agent.ts';
import { beside } from '../root.ts';
import { contentOf, DataError, type DataSet, Rows, records, type Task, type Tool, type World } from '../set.ts';

const Action = z.object({
  tool: z.string(),
  day: z.number(),
  args: Rows,
  resolved: z.boolean(),
  unit_cost: z.number().nullish(),
});

const Trip = z.object({
  id: z.string(),
  budget: z.number(),
  people: z.number(),
  gold_actions: z.array(Action),
  gold_cost: z.number(),
  tables: z.object({
    accommodations: z.record(z.string(), z.array(z.object({ name: z.string(), max_occ: z.number() }))),
  }),
});
type Trip = z.infer<typeof Trip>;

/** A piece of a trip: its number among the actions, and what it costs all travellers together. */
type Piece = z.infer<typeof Action> & { readonly piece: number; readonly thing: string; readonly cents: number };

const asks: Readonly<Record<string, string>> = {
  hold_room: 'the hotel finds a guest and a night',
  hold_flight: 'the airline finds a name on a flight',
  hold_taxi: 'the dispatch finds a ride in its list',
  hold_table: 'the restaurant looks into its book under the name and the hour',
  note_drive: "nobody: nobody else knows of a traveller's own car. Noted twice, it is noted",
  note_sight: 'nobody: a sight takes no bookings. Noted twice, it is noted',
  book_room: 'the hotel finds its confirmation number',
  book_flight: 'the airline finds its locator',
  book_taxi: 'the dispatch finds a ride in its list',
  book_table: 'the restaurant looks into its book under the name and the hour',
  pay_vendors: 'the statement of the bank has every payment',
  draw_budget: 'the statement of the bank has every payment',
};

const THINGS: Readonly<Record<string, string>> = {
  book_flight: 'flight',
  book_room: 'room',
  reserve_meal: 'table',
  select_poi: 'sight',
};
const VEHICLES: Readonly<Record<string, string>> = { Taxi: 'taxi', 'Self-driving': 'drive' };
/**
 * The number of travellers that share a price, by TravelPlanner's rules of cost; for a room, the number that it takes.
 */
const SHARED: Readonly<Record<string, number>> = { flight: 1, table: 1, sight: 1, taxi: 4, drive: 5 };

const inCents = (dollars: number) => Math.round(100 * dollars);

function piecesOf({ id, people, gold_actions, tables }: Trip): Piece[] {
  return gold_actions.flatMap((action, piece): Piece[] => {
    const { tool, args, resolved, unit_cost } = action;
    if (!resolved) return [];
    const thing = tool === 'book_ground' ? VEHICLES[String(args.mode)] : THINGS[tool];
    const room = tables.accommodations[String(args.city)]?.find(({ name }) => name === args.name);
    const shared = thing === 'room' ? room?.max_occ : SHARED[thing ?? ''];
    if (thing === undefined || shared === undefined)
      throw new DataError(`${id}: nobody here can carry the action ${piece} out, ${tool}`);
    return [{ ...action, piece, thing, cents: inCents((unit_cost ?? 0) * Math.ceil(people / shared)) }];
  });
}

/** First the nights of each stay are held, then what each day needs; then what is held is booked, and money moves. */
function planOf(trip: Trip): Step[] {
  const pieces = piecesOf(trip);
  const nights = pieces.filter(({ thing }) => thing === 'room');
  const hold = ({ day, args, piece, thing, cents }: Piece): Step => {
    const [kind, unit] = thing === 'room' ? ['city', String(args.city)] : ['day', `day ${day}`];
    const tool = asks[`hold_${thing}`] ? `hold_${thing}` : `note_${thing}`;
    return { kind, unit, tool, with: { ...args, day, part: unit, piece, cents } };
  };
  const booking = { kind: 'booking', unit: 'trip', uses: '*' };
  const book = (tool: string, more: Step['with']): Step => ({ ...booking, tool, with: more });
  return [
    ...nights.map(hold),
    ...pieces.filter((piece) => !nights.includes(piece)).map(hold),
    ...pieces
      .map(({ thing, piece, cents }) => book(`book_${thing}`, { piece, cents }))
      .filter(({ tool }) => asks[tool]),
    book('pay_vendors', { cents: pieces.reduce((sum, { cents }) => sum + cents, 0) }),
    book('draw_budget', { cents: inCents(trip.gold_cost) }),
  ];
}

/** The input of a tool that holds, books or pays. */
type Hold = { readonly part?: string; readonly piece?: number | string; readonly cents: number };

/** All counterparties. None of them recognises a call: whatever is held, booked or paid once more is there once more. */
function open({ budget }: Trip): World {
  const rows: Record<string, number> = {};
  const sum = (kind: RegExp) => Object.entries(rows).reduce((all, [row, n]) => (kind.test(row) ? all + n : all), 0);
  const look = ({ kind, part }: Called & { readonly kind: string; readonly part: string }) => {
    if (kind !== 'booking') return Object.keys(rows).filter((row) => row.includes(`/${part}/`));
    const held = sum(/^(hold|note)/);
    return { held, within: held <= inCents(budget), booked: sum(/^book/), paid: sum(/^pay/) };
  };
  const toolOf = (name: string): Tool => {
    const row = ({ part = 'trip', piece = 'all' }: Hold, nth: number) => {
      return `${name}/${part}/${piece}/${nth}`;
    };
    const act = (args: Hold) => {
      let nth = 1;
      while (rows[row(args, nth)] !== undefined && !name.startsWith('note')) nth += 1;
      rows[row(args, nth)] = args.cents;
      return row(args, nth);
    };
    const unit = (args: Called) => args.unit;
    if (name.startsWith('note')) return { act, change: { unit } };
    const shows = (args: Hold): ReconcileResult =>
      rows[row(args, 1)] === undefined ? { is: 'not_applied' } : { is: 'applied', output: row(args, 1) };
    return { act, change: { unit, shows, undo: (_, output) => void delete rows[String(output)] } };
  };
  const known = Object.keys(asks).map((name) => [name, toolOf(name)] as const);
  return { tools: { look: { act: look }, verify: { act: look }, ...Object.fromEntries(known) }, rows: () => rows };
}

const Trips = z.object({ tasks: z.array(Trip) });

export const trips: DataSet = {
  name: 'trips',
  about: 'trips of several days and cities: rooms, journeys and tables, held first and then booked within a budget',
  config: beside('sets/trips.yaml'),
  machine: planned('trips', {
    city: ['hold_room'],
    day: ['hold_flight', 'hold_taxi', 'hold_table', 'note_drive', 'note_sight'],
    booking: ['book_room', 'book_flight', 'book_taxi', 'book_table', 'pay_vendors', 'draw_budget'],
  }),
  snapshots: ['city.LOOKING', 'day.LOOKING', 'booking.LOOKING'],
  asks,
  files: {
    trips: {
      type: 'object',
      required: ['tasks'],
      properties: { tasks: records(['id', 'budget', 'people', 'gold_actions', 'gold_cost', 'tables']) },
    },
  },
  tasks: ({ trips: files = [] }) =>
    files
      .flatMap((each) => contentOf(Trips, each).tasks)
      .map((trip): Task => {
        const cents = inCents(trip.gold_cost);
        const expected = { 'pay_vendors/trip/all/1': cents, 'draw_budget/trip/all/1': cents };
        return { id: trip.id, input: () => ({ plan: planOf(trip) }), open: () => open(trip), expected };
      }),
};
