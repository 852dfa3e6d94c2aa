/**
 * The deliveries of the sources. A delivery is a CSV file whose first line holds the number of rows that follow and the
 * position of the source. The usual ones hold one order whose amount is no number; a test asks for the other faults of
 * a source by name.
 */
import type { Oddity, Table } from './batch.ts';

/** A delivery as it is written down. */
export interface Delivery {
  readonly upTo: number;
  readonly announced: number;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

const COLUMNS: Record<Table, readonly string[]> = {
  customers: ['id', 'name', 'email', 'country'],
  orders: ['id', 'customer', 'amount', 'status'],
  payments: ['id', 'order', 'amount', 'method'],
};

const FIRST: Record<Table, readonly (readonly string[])[]> = {
  customers: [
    ['c1', 'Ada', 'ADA@shop.invalid', 'DE'],
    ['c2', 'Ben', 'ben@shop.invalid', 'FR'],
    ['c3', 'Cleo', 'cleo@shop.invalid', 'DE'],
    ['c4', 'Noor', 'Noor@shop.invalid', 'PT'],
  ],
  orders: [
    ['o1', 'c1', '40.00', 'P'],
    ['o2', 'c2', '12.50', 'S'],
    ['o3', 'c3', 'n/a', 'P'],
    ['o4', 'c1', '99.95', 'S'],
    ['o5', 'c4', '7.20', 'P'],
    ['o6', 'c3', '15.00', 'S'],
  ],
  payments: [
    ['p1', 'o1', '40.00', 'C'],
    ['p2', 'o2', '12.50', 'T'],
    ['p3', 'o4', '50.00', 'C'],
    ['p4', 'o4', '49.95', 'T'],
  ],
};

/** The later rows: a new one, and a changed one. */
const LATE: Record<Table, readonly (readonly string[])[]> = {
  customers: [
    ['c5', 'Omar', 'omar@shop.invalid', 'FR'],
    ['c4', 'Noor', 'noor@new.invalid', 'PT'],
  ],
  orders: [
    ['o7', 'c2', '31.00', 'P'],
    ['o1', 'c1', '40.00', 'S'],
  ],
  payments: [
    ['p5', 'o6', '15.00', 'C'],
    ['p2', 'o2', '12.50', 'C'],
  ],
};

/** A row with which nothing is wrong by itself, and that a constraint of the database does not take. */
const CLASHING: Record<Table, readonly string[]> = {
  customers: ['c9', 'Adam', 'ada@shop.invalid', 'DE'], // UNIQUE: somebody else has the address
  orders: ['o9', 'c8', '20.00', 'P'], // FOREIGN KEY: there is no such customer
  payments: ['p9', 'o1', '0.00', 'C'], // CHECK: nobody pays nothing
};

/** The text in place of a value that does not fit its column. */
const SPOILED: Record<Table, readonly string[]> = {
  customers: ['', 'n/a'],
  orders: ['n/a', 'P'],
  payments: ['n/a', 'C'],
};

/** The deliveries of a source, the oldest first. */
export function deliveriesOf(table: Table, oddities: readonly Oddity[]): readonly Delivery[] {
  const is = (oddity: Oddity) => oddities.includes(oddity);
  if (is('absent')) return [];
  const columns = COLUMNS[table];
  const usual = FIRST[table].filter((row) => !is('clean') || !row.includes('n/a'));
  const all = is('clashing') ? [...usual, CLASHING[table]] : usual;
  const rows = is('spoiled') ? all.map((row) => [...row.slice(0, 2), ...SPOILED[table]]) : all;
  const first = { upTo: 100, announced: is('overstated') ? rows.length + 1 : rows.length, columns, rows };
  const late = { upTo: 200, announced: LATE[table].length, columns, rows: LATE[table] };
  return is('late') ? [first, late] : [first];
}
