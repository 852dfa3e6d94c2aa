/**
 * The agent's database: people and when they are busy, times that are held, rooms and receipts, in one SQLite file. A change is made once for each key, in
 * one transaction with the note that says so: that note is what a reconciler asks for, and its before-image what an undo puts
 * back. Without a key every call is a change of its own.
 */
import { Keyed } from '../keyed.ts';
import { type Collected, type Request, TIMES } from './schedule.ts';

/** A time that is held for a slot, for all participants. */
export interface Hold {
  readonly meeting: string;
  readonly slot: string;
  readonly people: readonly string[];
  readonly title: string;
  readonly value: string;
}

const TABLES = `
  CREATE TABLE person (id TEXT PRIMARY KEY, email TEXT NOT NULL);
  CREATE TABLE busy (person TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (person, value));
  CREATE TABLE hold (person TEXT NOT NULL, meeting TEXT NOT NULL, slot TEXT NOT NULL, value TEXT NOT NULL,
    title TEXT NOT NULL, status TEXT NOT NULL, revision INTEGER NOT NULL);
  CREATE TABLE room (id TEXT PRIMARY KEY, seats INTEGER NOT NULL);
  CREATE TABLE booking (room TEXT NOT NULL, value TEXT NOT NULL, meeting TEXT NOT NULL, PRIMARY KEY (room, value));
  CREATE TABLE receipt (meeting TEXT PRIMARY KEY, room TEXT NOT NULL, people INTEGER NOT NULL);
`;

/** The people, and the times at which each is busy. */
const PEOPLE: readonly (readonly [id: string, busy: readonly string[]])[] = [
  ['ada', ['mon-09', 'tue-13', 'thu-10']],
  ['ben', ['mon-10', 'mon-11', 'wed-09', 'thu-14']],
  ['cleo', ['mon-12', 'tue-09', 'tue-10', 'fri-15']],
  ['noor', TIMES],
];

const ROOMS: readonly (readonly [id: string, seats: number, booked: readonly string[]])[] = [
  ['attic', 2, ['mon-12', 'mon-13']],
  ['library', 4, ['fri-16']],
];

/** A time that is held for one of them. */
interface Row {
  readonly person: string;
  readonly meeting: string;
  readonly slot: string;
  readonly value: string;
  readonly title: string;
  readonly status: string;
  readonly revision: number;
}

/** The effect of a call on the holds of a slot. */
interface Change {
  readonly meeting: string;
  readonly slot: string;
  readonly before: readonly Row[];
  readonly after: readonly Row[];
}

/** The database of a world. */
export class Calendar extends Keyed {
  /** Opens a file; an empty one is filled with the people and rooms that there are. */
  constructor(file: string) {
    super(file, (empty) => {
      empty.execute(TABLES);
      for (const [id, busy] of PEOPLE) {
        empty.run('INSERT INTO person VALUES (?, ?)', id, `${id}@people.invalid`);
        for (const value of busy) empty.run('INSERT INTO busy VALUES (?, ?)', id, value);
      }
      for (const [id, seats, booked] of ROOMS) {
        empty.run('INSERT INTO room VALUES (?, ?)', id, seats);
        for (const value of booked) empty.run("INSERT INTO booking VALUES (?, ?, '')", id, value);
      }
    });
  }

  /** The request with its people looked up; null where it names no person, or an unknown one. */
  collect({ meeting, title, mode, people }: Request): Collected | null {
    const known = people.flatMap((id) =>
      this.all<{ id: string; email: string }>('SELECT id, email FROM person WHERE id = ?', id),
    );
    return known.length === 0 || known.length < people.length ? null : { meeting, title, mode, people: known };
  }

  /** When a person is free, the earliest time first. */
  freeTimes(person: string): readonly string[] {
    const rows = this.all<{ value: string }>('SELECT value FROM busy WHERE person = ?', person);
    const busy = new Set(rows.map(({ value }) => value));
    return TIMES.filter((time) => !busy.has(time));
  }

  /** Holds a time for all participants, tentatively. A second hold without a key holds it twice. */
  hold({ meeting, slot, people, title, value }: Hold, key: string | undefined): string {
    return this.#change(meeting, slot, key, () => {
      for (const person of people)
        this.run("INSERT INTO hold VALUES (?, ?, ?, ?, ?, 'tentative', 0)", person, meeting, slot, value, title);
      return value;
    });
  }

  /** Settles the time of a slot; the hold of each participant becomes its next revision. */
  settle({ meeting, slot, value }: Pick<Hold, 'meeting' | 'slot' | 'value'>, key: string | undefined): string {
    return this.#change(meeting, slot, key, () => {
      this.run(
        "UPDATE hold SET value = ?, status = 'settled', revision = revision + 1 WHERE meeting = ? AND slot = ?",
        value,
        meeting,
        slot,
      );
      return value;
    });
  }

  /** Puts back what was held for a slot before a change; nothing the second time. @throws where it was changed since. */
  putBack(key: string, undoKey: string): void {
    // A call that put the slot off has changed nothing.
    this.undo<Change>(key, undoKey, ({ meeting, slot, before, after }) => {
      if (JSON.stringify(this.#holds(meeting, slot)) !== JSON.stringify(after))
        throw new Error(`${slot} of ${meeting} was changed since`);
      this.run('DELETE FROM hold WHERE meeting = ? AND slot = ?', meeting, slot);
      for (const { person, value, title, status, revision } of before)
        this.run(
          'INSERT INTO hold VALUES (?, ?, ?, ?, ?, ?, ?)',
          person,
          meeting,
          slot,
          value,
          title,
          status,
          revision,
        );
    });
  }

  /** The smallest room with enough seats that is free at all of the times; `online` where there is none. */
  findRoom(seats: number, values: readonly string[]): string {
    const rooms = this.all<{ id: string }>('SELECT id FROM room WHERE seats >= ? ORDER BY seats, id', seats);
    const free = rooms.find(({ id }) =>
      values.every((value) => this.all('SELECT 1 FROM booking WHERE room = ? AND value = ?', id, value).length === 0),
    );
    return free?.id ?? 'online';
  }

  /** Files the receipt of a meeting and books its room. Filed again, it is the same. */
  file(meeting: string, room: string, values: readonly string[], key: string | undefined): void {
    this.once(key, () => {
      const people = this.all('SELECT DISTINCT person FROM hold WHERE meeting = ?', meeting).length;
      this.run('INSERT OR REPLACE INTO receipt VALUES (?, ?, ?)', meeting, room, people);
      if (room !== 'online')
        for (const value of values) this.run('INSERT OR REPLACE INTO booking VALUES (?, ?, ?)', room, value, meeting);
      return { output: null, note: null };
    });
  }

  /** Every row that meetings have left, in order. The notes of what was done are no part of it. */
  rows(): Readonly<Record<string, readonly object[]>> {
    return {
      hold: this.all('SELECT * FROM hold ORDER BY meeting, slot, person, value'),
      booking: this.all("SELECT * FROM booking WHERE meeting <> '' ORDER BY room, value"),
      receipt: this.all('SELECT * FROM receipt ORDER BY meeting'),
    };
  }

  #holds(meeting: string, slot: string): readonly Row[] {
    return this.all('SELECT * FROM hold WHERE meeting = ? AND slot = ? ORDER BY rowid', meeting, slot);
  }

  #change(meeting: string, slot: string, key: string | undefined, act: () => string): string {
    return this.once(key, () => {
      const before = this.#holds(meeting, slot);
      const output = act();
      if (!TIMES.includes(output)) throw new Error(`${output} is no time`);
      return { output, note: { meeting, slot, before, after: this.#holds(meeting, slot) } satisfies Change };
    });
  }
}
