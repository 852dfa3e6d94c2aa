/**
 * The vehicles and the chargers: offers, reservations with their deposits, and the logs of trips. A firm offer may be
 * taken up any number of times; an open one is used up when it is taken, even if the reservation is cancelled.
 */
import type { Keyed } from '../keyed.ts';
import type { Records } from './records.ts';
import { minutesFrom } from './roads.ts';
import type { Log, Offer, Reservation } from './trip.ts';

const TABLES = `
  CREATE TABLE vehicle (id TEXT PRIMARY KEY, range INTEGER NOT NULL);
  CREATE TABLE charger (id TEXT PRIMARY KEY, node TEXT NOT NULL, firm INTEGER NOT NULL);
  CREATE TABLE reservation (id INTEGER PRIMARY KEY, charger TEXT NOT NULL, trip TEXT NOT NULL, standing TEXT NOT NULL);
  CREATE TABLE payment (trip TEXT NOT NULL, cents INTEGER NOT NULL);
  CREATE TABLE log (trip TEXT PRIMARY KEY, stops INTEGER NOT NULL, km INTEGER NOT NULL);
`;

/** The vehicles, and how many kilometres they go on one leg. */
const VEHICLES: readonly (readonly [id: string, range: number])[] = [
  ['moth', 25],
  ['wren', 60],
];

/** The chargers; 1 where what they offer is firm. */
const CHARGERS: readonly (readonly [id: string, node: string, firm: 0 | 1])[] = [
  ['castle-yard', 'castle', 0],
  ['junction-north', 'junction', 1],
  ['lake-side', 'lake', 0],
  ['station-yard', 'station', 0],
];

/** The deposit that is paid when a charger is reserved, and paid back when the reservation is cancelled. */
const DEPOSIT = 500;

/** The chargers of a world. */
export class Chargers {
  readonly #records: Records;

  constructor(records: Records) {
    this.#records = records;
  }

  /** Fills an empty database with the vehicles and chargers that there are. */
  static fill(records: Keyed): void {
    records.execute(TABLES);
    for (const row of VEHICLES) records.run('INSERT INTO vehicle VALUES (?, ?)', ...row);
    for (const row of CHARGERS) records.run('INSERT INTO charger VALUES (?, ?, ?)', ...row);
  }

  /** The range of a vehicle in kilometres; null where it is not known. */
  rangeOf(vehicle: string): number | null {
    const [row] = this.#records.all<{ range: number }>('SELECT range FROM vehicle WHERE id = ?', vehicle);
    return row?.range ?? null;
  }

  /** The offer of the charger nearest to a node. */
  offer(trip: string, node: string): Offer {
    const minutes = minutesFrom(node);
    const away = ({ node }: { node: string }) => minutes.get(node) ?? Number.POSITIVE_INFINITY;
    const all = this.#records.all<{ id: string; node: string; firm: number }>('SELECT * FROM charger ORDER BY id');
    const [nearest] = [...all].sort((a, b) => away(a) - away(b));
    if (nearest === undefined) throw new Error('there is no charger');
    const charger = nearest.id;
    return { charger, turn: this.#records.turn(partyOf(trip, charger)), firm: nearest.firm === 1 };
  }

  /** Takes an offer up, for a deposit. Taken up again without a key, it is taken up twice. */
  reserve(trip: string, { charger, turn, firm }: Offer, key: string | undefined): Reservation {
    return this.#records.once(key, () => {
      const told = this.#records.come(partyOf(trip, charger), turn);
      const standing = firm ? 'first' : told;
      const sql = 'INSERT INTO reservation (charger, trip, standing) VALUES (?, ?, ?)';
      const { id } = this.#records.run(sql, charger, trip, standing);
      this.#records.run('INSERT INTO payment VALUES (?, ?)', trip, DEPOSIT);
      return { output: { charger, standing }, note: { id, trip } };
    });
  }

  /** Cancels a reservation and pays the deposit back; nothing the second time. @throws where it is not there any more. */
  cancel(key: string, undoKey: string): void {
    this.#records.undo<{ id: number; trip: string }>(key, undoKey, ({ id, trip }) => {
      const { rows } = this.#records.run('DELETE FROM reservation WHERE id = ?', id);
      if (rows === 0) throw new Error(`reservation ${id} of ${trip} is not there any more`);
      this.#records.run('INSERT INTO payment VALUES (?, ?)', trip, -DEPOSIT);
    });
  }

  /** Files the log of a trip. Filed again, it is the same. */
  file({ trip, stops, km }: Log, key: string | undefined): Log {
    return this.#records.once(key, () => {
      this.#records.run('INSERT OR REPLACE INTO log VALUES (?, ?, ?)', trip, stops, km);
      return { output: { trip, stops, km }, note: null };
    });
  }

  /** Every row that trips have left, in order; of the payments what they come to. */
  rows(): Readonly<Record<'reservation' | 'account' | 'log', readonly object[]>> {
    return {
      reservation: this.#records.all('SELECT charger, trip, standing FROM reservation ORDER BY trip, charger, id'),
      account: this.#records.all('SELECT trip, SUM(cents) AS cents FROM payment GROUP BY trip HAVING SUM(cents) <> 0'),
      log: this.#records.all('SELECT * FROM log ORDER BY trip'),
    };
  }
}

/** In line at a charger stands a trip. */
function partyOf(trip: string, charger: string): string {
  return `${trip}/${charger}`;
}
