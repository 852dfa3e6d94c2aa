/**
 * The agent's world: flights, hotels, restaurants and guides, what is held and booked with them, and the money, in one SQLite file.
 * A change is made once for each key, in one transaction with the note that says so: that note is what a reconciler asks for, and
 * what an undo goes by. Without a key every call is a change of its own: a seat that is held twice is held twice.
 */
import { Keyed } from '../keyed.ts';
import type { Booking, Line, Seat, Stay, Tables, ToolTypes } from './calls.ts';
import { fill } from './offers.ts';
import { rowsIn } from './rows.ts';
import type { Held, Quote, Request, Standard, Trip } from './trip.ts';

/** A thing that is held: a seat, a room or a guide. */
interface Hold {
  readonly kind: 'flight' | 'room' | 'guide';
  readonly trip: string;
  readonly city: string;
  readonly what: string;
  readonly day: number;
  readonly nights: number;
  readonly cents: number;
  /** The locator of the hold that this one goes on from, and of the one that is given up for it. */
  readonly after: number | null;
  readonly instead: number | null;
}

/** The database of a world. */
export class Agency extends Keyed {
  /** Opens a file; an empty one is filled with what there is. */
  constructor(file: string) {
    super(file, fill);
  }

  /** The trip where its traveller and its cities are known; null where one of them is not. */
  lookUp({ trip, traveller, cities }: Request): Trip | null {
    const isKnown = this.all('SELECT 1 FROM traveller WHERE id = ?', traveller).length === 1;
    const missing = cities.filter(({ name }) => this.all('SELECT 1 FROM hotel WHERE city = ?', name).length === 0);
    return isKnown && missing.length === 0 ? { trip, traveller } : null;
  }

  /** The cheapest flight with a free seat and the hotel of a standard. */
  search(city: string, from: string, standard: Standard): Quote {
    const [flight] = this.all<Pick<Quote, 'flight' | 'takes' | 'fare'>>(
      `SELECT id AS flight, takes, cents AS fare FROM flight WHERE city = ? AND standard = ?
       AND seats > (SELECT count(*) FROM hold WHERE what = flight.id AND status <> 'given up') ORDER BY cents, id`,
      city,
      standard,
    );
    const [hotel] = this.all<Pick<Quote, 'hotel' | 'night' | 'deposit'>>(
      'SELECT id AS hotel, cents AS night, deposit FROM hotel WHERE city = ? AND standard = ?',
      city,
      standard,
    );
    if (flight === undefined || hotel === undefined) throw new Error(`there is no way from ${from} to ${city}`);
    return { ...flight, ...hotel };
  }

  /** Holds a room. Held again without a key, a second one is held. */
  holdRoom({ trip, city, hotel: what, day, nights, cents, instead }: Stay, key: string | undefined): Held {
    const hold: Hold = { kind: 'room', trip, city, what, day, nights, cents, after: null, instead };
    return this.#hold(hold, key, (held) => held);
  }

  /** Holds a seat, and says when one leaves the city again. */
  holdSeat(seat: Seat, key: string | undefined): ToolTypes['hold_flight']['output'] {
    const { trip, city, flight: what, nights, cents, after, instead } = seat;
    const day = seat.day + seat.takes;
    const hold: Hold = { kind: 'flight', trip, city, what, day, nights, cents, after, instead };
    return this.#hold(hold, key, (held) => ({ ...held, departs: day + nights }));
  }

  /** Holds the guide of a city for a day. */
  holdGuide({ trip, city, day, cents }: ToolTypes['hold_guide']['input'], key: string | undefined): Held {
    const hold: Hold = { kind: 'guide', trip, city, what: city, day, nights: 0, cents, after: null, instead: null };
    return this.#hold(hold, key, (held) => held);
  }

  /** Lets go of what a call has held, and takes back what it gave up for it; nothing the second time. @throws where it is booked. */
  release(key: string, undoKey: string): void {
    this.#change(undoKey, () => {
      const found = this.find<unknown, { locator: number; instead: number | null }>(key);
      if (found === null) return null;
      const { locator, instead } = found.note;
      const [hold] = this.all<{ status: string }>('SELECT status FROM hold WHERE locator = ?', locator);
      if (hold?.status !== 'held') throw new Error(`what was held as ${locator} is ${hold?.status ?? 'not there'}`);
      this.run('DELETE FROM hold WHERE locator = ?', locator);
      this.run("UPDATE hold SET status = 'held' WHERE locator = ?", instead);
      return null;
    });
  }

  /**
   * Pays a hotel, so that it expects the traveller with the seat before. It keeps no notes that a reconciler could ask
   * for, and pays nothing back.
   */
  payDeposit(
    { trip, city, hotel, day, after, cents }: ToolTypes['pay_deposit']['input'],
    key: string | undefined,
  ): number {
    return this.#change(key, () => {
      this.run('INSERT INTO deposit VALUES (?, ?, ?, ?, ?, ?)', trip, city, hotel, day, after, cents);
      return cents;
    });
  }

  /** The best table of a standard whose kitchen is not that of yesterday. */
  dine({ city, nights, standard, eaten }: ToolTypes['plan_meals']['input']): ToolTypes['plan_meals']['output'] {
    const [table] = this.all<ToolTypes['plan_meals']['output']>(
      'SELECT id AS restaurant, cuisine, cents FROM restaurant WHERE city = ? AND standard = ? AND cuisine <> ? ORDER BY cents DESC',
      city,
      standard,
      eaten,
    );
    if (table === undefined) throw new Error(`there is nothing to eat in ${city}`);
    return { ...table, cents: table.cents * nights };
  }

  /** The daily fee of the guide of a city. */
  guideOf(city: string): number {
    const [guide] = this.all<{ cents: number }>('SELECT cents FROM guide WHERE city = ?', city);
    if (guide === undefined) throw new Error(`nobody guides in ${city}`);
    return guide.cents;
  }

  /** Books what is held, of one kind, for the whole trip. What is held no more is dealt with as it comes, at the same price. */
  book(kind: 'flight' | 'room', { trip, items }: Booking, key: string | undefined): number {
    return this.#change(key, () => {
      for (const { city, locator, cents } of items) {
        const { rows } = this.run("UPDATE hold SET status = 'booked' WHERE locator = ?", locator);
        const from = rows === 0 ? 'nothing' : 'a hold';
        this.run("INSERT INTO booking VALUES (?, ?, ?, ?, ?, 'booked')", kind, trip, city, from, cents);
      }
      return items.length;
    });
  }

  /** Books tables. The restaurants cannot be asked what they have booked. */
  bookTables({ trip, tables }: Tables, key: string | undefined): number {
    return this.#change(key, () => {
      for (const { city, restaurant, cents } of tables)
        this.run("INSERT INTO booking VALUES ('table', ?, ?, ?, ?, 'booked')", trip, city, restaurant, cents);
      return tables.length;
    });
  }

  /** Cancels the rooms that a call has booked, at a tenth of their price; nothing the second time. */
  cancelRooms(trip: string, cents: number, undoKey: string): void {
    this.#change(undoKey, () => {
      this.run("UPDATE booking SET status = 'cancelled' WHERE kind = 'room' AND trip = ? AND status = 'booked'", trip);
      this.run("UPDATE hold SET status = 'held' WHERE kind = 'room' AND trip = ? AND status = 'booked'", trip);
      this.run("INSERT INTO fee VALUES (?, 'rooms were cancelled', ?)", trip, Math.round(cents / 10));
      return null;
    });
  }

  /** Moves money from or to an account. */
  move(account: 'budget' | 'vendors', trip: string, cents: number, key: string | undefined): void {
    this.#change(key, () => {
      this.run('INSERT INTO ledger VALUES (?, ?, ?)', account, trip, cents);
      return null;
    });
  }

  /** Files the itinerary of a trip. Filed again, it is the same. */
  file(trip: string, lines: readonly Line[], key: string | undefined): string {
    return this.#change(key, () => {
      for (const { city, day, flight, hotel, restaurant } of lines)
        this.run(
          'INSERT OR REPLACE INTO itinerary VALUES (?, ?, ?, ?, ?, ?)',
          trip,
          city,
          day,
          flight,
          hotel,
          restaurant,
        );
      return `the itinerary of ${trip}`;
    });
  }

  /** Every row that trips have left, in order. */
  rows(): Readonly<Record<string, readonly object[]>> {
    return rowsIn((sql) => this.all(sql));
  }

  #hold<T extends Held>(hold: Hold, key: string | undefined, answer: (held: Held) => T): T {
    const { kind, trip, city, what, day, nights, cents, after, instead } = hold;
    const act = () => {
      this.run("UPDATE hold SET status = 'given up' WHERE locator = ?", instead);
      const { id } = this.run(
        "INSERT INTO hold VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, 'held')",
        ...[kind, trip, city, what, day, nights, cents, after],
      );
      return answer({ locator: id, cents });
    };
    return this.#change(key, act, ({ locator }) => ({ locator, instead }));
  }

  /** A change whose undo needs no further facts, or whose note holds them. */
  #change<T>(key: string | undefined, act: () => T, noteOf: (output: T) => object | null = () => null): T {
    return this.once(key, () => {
      const output = act();
      return { output, note: noteOf(output) };
    });
  }
}
