/**
 * The places of the district, and those that are held for the stops of a trip. A hold names the turn at which its
 * holder saw the place free: a turn passes with every hold, also with one that is given back, and a holder that saw an
 * older turn waits in line.
 */
import type { Keyed } from '../keyed.ts';
import type { Records } from './records.ts';
import { minutesFrom, NODES } from './roads.ts';
import type { Candidate, Found } from './trip.ts';

/** A place that is held for a stop instead of another one; null for none. */
export interface Hold {
  readonly trip: string;
  readonly stop: string;
  readonly place: string | null;
  readonly instead: string | null;
  /** The turn at which the place was found. */
  readonly turn: number;
}

const TABLES = `
  CREATE TABLE place (id TEXT PRIMARY KEY, node TEXT NOT NULL, features TEXT NOT NULL);
  CREATE TABLE hold (trip TEXT NOT NULL, stop TEXT NOT NULL, place TEXT NOT NULL, standing TEXT NOT NULL,
    status TEXT NOT NULL, revision INTEGER NOT NULL);
`;

/** A place: its name, its position, its category and its features. */
const PLACES: readonly (readonly [id: string, node: string, features: string])[] = [
  ['abbey-garden', 'abbey', 'view quiet'],
  ['blue-anchor', 'harbour', 'food fish'],
  ['bridge-view', 'bridge', 'view'],
  ['green-table', 'market', 'food vegan'],
  ['lake-terrace', 'lake', 'cafe terrace'],
  ['lighthouse', 'lighthouse', 'view sea'],
  ['mill-inn', 'mill', 'food fish terrace'],
  ['orchard-cafe', 'orchard', 'cafe vegan quiet'],
  ['quarry-lookout', 'quarry', 'view'],
  ['sea-museum', 'island', 'museum'],
  ['vine-cellar', 'vineyard', 'food vegan'],
];

/** A hold as it stands. */
interface Row {
  readonly place: string;
  readonly standing: string;
  readonly status: string;
  readonly revision: number;
}

/** The effect of a call on the holds of a stop. */
interface Change {
  readonly trip: string;
  readonly stop: string;
  readonly before: readonly Row[];
  readonly after: readonly Row[];
}

/** The places of a world. */
export class Atlas {
  readonly #records: Records;

  constructor(records: Records) {
    this.#records = records;
  }

  /** Fills an empty database with the places that there are. */
  static fill(records: Keyed): void {
    records.execute(TABLES);
    for (const row of PLACES) records.run('INSERT INTO place VALUES (?, ?, ?)', ...row);
  }

  /** The places of a category and with all features, the nearest first; those that no road leads to are none. */
  search(trip: string, stop: string, query: string, near: string, within: number): Found {
    const wanted = query.split(' ');
    const minutes = minutesFrom(this.nodeOf(near));
    const all = this.#records.all<{ id: string; node: string; features: string }>('SELECT * FROM place');
    const places = all.flatMap(({ id, node, features }): Candidate[] => {
      const away = minutes.get(node) ?? Number.POSITIVE_INFINITY;
      const fits = wanted.every((feature) => features.split(' ').includes(feature));
      return fits && away <= within ? [{ place: id, minutes: away }] : [];
    });
    const order = (a: Candidate, b: Candidate) => a.minutes - b.minutes || (a.place < b.place ? -1 : 1);
    return { places: places.sort(order), turn: this.#records.turn(partyOf(trip, stop)) };
  }

  /** Where a place is; a node is where it is. @throws where there is no such place */
  nodeOf(place: string): string {
    const [row] = this.#records.all<{ node: string }>('SELECT node FROM place WHERE id = ?', place);
    const node = row?.node ?? place;
    if (!NODES.includes(node)) throw new Error(`there is no place ${place}`);
    return node;
  }

  /** Holds a place instead of another one, tentatively. Held again without a key, it is held twice. */
  hold<TOutput>({ trip, stop, place, instead, turn }: Hold, output: TOutput, key: string | undefined): TOutput {
    return this.#change(trip, stop, output, key, () => {
      if (instead !== null)
        this.#records.run('DELETE FROM hold WHERE trip = ? AND stop = ? AND place = ?', trip, stop, instead);
      if (place === null) return;
      const standing = this.#records.come(partyOf(trip, stop), turn);
      this.nodeOf(place);
      this.#records.run("INSERT INTO hold VALUES (?, ?, ?, ?, 'tentative', 0)", trip, stop, place, standing);
    });
  }

  /** Settles where a stop is, as its hold's next revision; null leaves it as it is. */
  settle<TOutput>(trip: string, stop: string, place: string | null, output: TOutput, key: string | undefined): TOutput {
    return this.#change(trip, stop, output, key, () => {
      if (place === null) return;
      this.nodeOf(place);
      const sql = "UPDATE hold SET place = ?, status = 'settled', revision = revision + 1 WHERE trip = ? AND stop = ?";
      this.#records.run(sql, place, trip, stop);
    });
  }

  /** Puts back what was held for a stop before a call; nothing the second time. @throws where it was changed since. */
  putBack(key: string, undoKey: string): void {
    this.#records.undo<Change>(key, undoKey, ({ trip, stop, before, after }) => {
      if (JSON.stringify(this.#holds(trip, stop)) !== JSON.stringify(after))
        throw new Error(`${stop} of ${trip} was changed since`);
      this.#records.run('DELETE FROM hold WHERE trip = ? AND stop = ?', trip, stop);
      for (const { place, standing, status, revision } of before)
        this.#records.run('INSERT INTO hold VALUES (?, ?, ?, ?, ?, ?)', trip, stop, place, standing, status, revision);
    });
  }

  /** Every hold, in order. */
  rows(): readonly object[] {
    return this.#records.all('SELECT * FROM hold ORDER BY trip, stop, place, revision, standing');
  }

  #holds(trip: string, stop: string): readonly Row[] {
    const sql = 'SELECT place, standing, status, revision FROM hold WHERE trip = ? AND stop = ? ORDER BY rowid';
    return this.#records.all<Row>(sql, trip, stop);
  }

  #change<TOutput>(trip: string, stop: string, output: TOutput, key: string | undefined, act: () => void): TOutput {
    return this.#records.once(key, () => {
      const before = this.#holds(trip, stop);
      act();
      return { output, note: { trip, stop, before, after: this.#holds(trip, stop) } satisfies Change };
    });
  }
}

/** In line at a place stands the stop of a trip. */
function partyOf(trip: string, stop: string): string {
  return `${trip}/${stop}`;
}
