/** The content of a new world: its tables, its travellers, flights, hotels, restaurants and guides. */
import type { Keyed } from '../keyed.ts';

const TABLES = `
  CREATE TABLE traveller (id TEXT PRIMARY KEY);
  CREATE TABLE flight (id TEXT PRIMARY KEY, city TEXT NOT NULL, standard TEXT NOT NULL, takes INTEGER NOT NULL,
    cents INTEGER NOT NULL, seats INTEGER NOT NULL);
  CREATE TABLE hotel (id TEXT PRIMARY KEY, city TEXT NOT NULL, standard TEXT NOT NULL, cents INTEGER NOT NULL, deposit INTEGER NOT NULL);
  CREATE TABLE restaurant (id TEXT PRIMARY KEY, city TEXT NOT NULL, standard TEXT NOT NULL, cuisine TEXT NOT NULL, cents INTEGER NOT NULL);
  CREATE TABLE guide (city TEXT PRIMARY KEY, cents INTEGER NOT NULL);
  CREATE TABLE hold (locator INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, trip TEXT NOT NULL, city TEXT NOT NULL,
    what TEXT NOT NULL, day INTEGER NOT NULL, nights INTEGER NOT NULL, cents INTEGER NOT NULL, after INTEGER, status TEXT NOT NULL);
  CREATE TABLE deposit (trip TEXT NOT NULL, city TEXT NOT NULL, hotel TEXT NOT NULL, day INTEGER NOT NULL, after INTEGER,
    cents INTEGER NOT NULL);
  CREATE TABLE booking (kind TEXT NOT NULL, trip TEXT NOT NULL, city TEXT NOT NULL, what TEXT NOT NULL, cents INTEGER NOT NULL,
    status TEXT NOT NULL);
  CREATE TABLE fee (trip TEXT NOT NULL, why TEXT NOT NULL, cents INTEGER NOT NULL);
  CREATE TABLE ledger (account TEXT NOT NULL, trip TEXT NOT NULL, cents INTEGER NOT NULL);
  CREATE TABLE itinerary (trip TEXT NOT NULL, city TEXT NOT NULL, day INTEGER NOT NULL, flight INTEGER NOT NULL,
    hotel TEXT NOT NULL, restaurant TEXT NOT NULL, PRIMARY KEY (trip, city));
`;

const TRAVELLERS = ['ada', 'ben'];

type Standards<T> = { readonly comfort: T; readonly plain: T };

/** A city: its flights (days, cents, seats), hotels (cents, deposit), restaurants (kitchen, cents) and its guide. */
interface Offers {
  readonly flights: Standards<readonly (readonly [takes: number, cents: number, seats: number])[]>;
  readonly hotels: Standards<readonly [cents: number, deposit: number]>;
  readonly tables: Standards<readonly (readonly [cuisine: string, cents: number])[]>;
  readonly guide: number | null;
}

const CITIES: Readonly<Record<string, Offers>> = {
  lisbon: {
    flights: { comfort: [[0, 42000, 4]], plain: [[0, 18000, 9]] },
    hotels: { comfort: [21000, 0], plain: [9000, 0] },
    tables: {
      comfort: [
        ['fish', 9000],
        ['goan', 7000],
      ],
      plain: [
        ['fish', 3000],
        ['soup', 2000],
      ],
    },
    guide: 12000,
  },
  porto: {
    flights: {
      comfort: [
        [0, 15000, 2],
        [0, 16000, 9],
      ],
      plain: [[1, 6000, 9]],
    },
    hotels: { comfort: [18000, 0], plain: [8000, 0] },
    tables: {
      comfort: [
        ['fish', 8000],
        ['roast', 7500],
      ],
      plain: [
        ['fish', 2500],
        ['roast', 2400],
      ],
    },
    guide: 9000,
  },
  madrid: {
    flights: { comfort: [[1, 23000, 4]], plain: [[1, 11000, 9]] },
    // The only hotel that wants a deposit.
    hotels: { comfort: [26000, 10000], plain: [10000, 0] },
    tables: {
      comfort: [
        ['roast', 9500],
        ['basque', 9000],
      ],
      plain: [
        ['roast', 2800],
        ['soup', 2200],
      ],
    },
    guide: 15000,
  },
  oslo: {
    flights: { comfort: [[1, 51000, 4]], plain: [[1, 30000, 9]] },
    hotels: { comfort: [30000, 0], plain: [16000, 0] },
    tables: {
      comfort: [
        ['fish', 14000],
        ['game', 13000],
      ],
      plain: [
        ['fish', 6000],
        ['soup', 5000],
      ],
    },
    guide: null,
  },
};

/** Makes the tables of a new world and fills them. */
export function fill(empty: Keyed): void {
  const insert =
    (sql: string) =>
    (...values: unknown[]) =>
      void empty.run(sql, ...values);
  empty.execute(TABLES);
  const traveller = insert('INSERT INTO traveller VALUES (?)');
  const flight = insert('INSERT INTO flight VALUES (?, ?, ?, ?, ?, ?)');
  const hotel = insert('INSERT INTO hotel VALUES (?, ?, ?, ?, ?)');
  const restaurant = insert('INSERT INTO restaurant VALUES (?, ?, ?, ?, ?)');
  const guide = insert('INSERT INTO guide VALUES (?, ?)');
  for (const id of TRAVELLERS) traveller(id);
  for (const [city, { flights, hotels, tables, guide: day }] of Object.entries(CITIES)) {
    for (const standard of ['comfort', 'plain'] as const) {
      for (const [nth, [takes, cents, seats]] of flights[standard].entries())
        flight(`${city}-${standard}-${nth}`, city, standard, takes, cents, seats);
      hotel(`${city}-${standard}`, city, standard, ...hotels[standard]);
      for (const [cuisine, cents] of tables[standard])
        restaurant(`${city}-${standard}-${cuisine}`, city, standard, cuisine, cents);
    }
    if (day !== null) guide(city, day);
  }
}
