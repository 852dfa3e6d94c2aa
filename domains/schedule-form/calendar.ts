/**
 * The agent's database: people, their calendars, rooms and receipts in one SQLite file. A change is made once for each key, in
 * one transaction with the note that says so: that note is what a reconciler asks for, and its before-image what an undo puts
 * back. Without a key every call is a change of its own.
 */
import Database from 'better-sqlite3';
import { type Collected, DAYS, HOURS, type Request, TIMES } from './schedule.ts';

/** A time that is held for a slot in everybody's calendar. */
export interface Hold {
  readonly meeting: string;
  readonly slot: string;
  readonly people: readonly string[];
  readonly title: string;
  readonly value: string;
  readonly status: 'tentative' | 'settled';
}

const TABLES = `
  CREATE TABLE person (id TEXT PRIMARY KEY, email TEXT NOT NULL);
  CREATE TABLE calendar (person TEXT NOT NULL, meeting TEXT NOT NULL, slot TEXT NOT NULL, value TEXT NOT NULL,
    title TEXT NOT NULL, status TEXT NOT NULL, PRIMARY KEY (person, meeting, slot));
  CREATE TABLE room (id TEXT PRIMARY KEY, seats INTEGER NOT NULL);
  CREATE TABLE booking (room TEXT NOT NULL, value TEXT NOT NULL, meeting TEXT NOT NULL, PRIMARY KEY (room, value));
  CREATE TABLE receipt (meeting TEXT PRIMARY KEY, room TEXT NOT NULL, people INTEGER NOT NULL);
  CREATE TABLE done (key TEXT PRIMARY KEY, output TEXT NOT NULL, before TEXT NOT NULL);
`;

/** Who there is, and when each of them is busy already. */
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

/** A row of a calendar. */
interface Row {
  readonly person: string;
  readonly meeting: string;
  readonly slot: string;
  readonly value: string;
  readonly title: string;
  readonly status: string;
}

/** The database of a world. */
export class Calendar {
  readonly #database: Database;

  /** Opens a file; an empty one is filled with the people and rooms that there are. */
  constructor(file: string) {
    this.#database = new Database(file, { timeout: 10_000 });
    this.#together(() => {
      if (this.#all("SELECT 1 FROM sqlite_master WHERE name = 'done'").length > 0) return;
      this.#database.exec(TABLES);
      for (const [id, busy] of PEOPLE) {
        this.#run('INSERT INTO person VALUES (?, ?)', id, `${id}@people.invalid`);
        for (const value of busy)
          this.#run("INSERT INTO calendar VALUES (?, '', ?, ?, 'busy', 'settled')", id, value, value);
      }
      for (const [id, seats, booked] of ROOMS) {
        this.#run('INSERT INTO room VALUES (?, ?)', id, seats);
        for (const value of booked) this.#run("INSERT INTO booking VALUES (?, ?, '')", id, value);
      }
    });
  }

  /** The request with its people looked up; null where nobody is asked for, or one of them is not known. */
  collect({ meeting, title, mode, people }: Request): Collected | null {
    const known = people.flatMap(
      (id) => this.#all('SELECT id, email FROM person WHERE id = ?', id) as { id: string; email: string }[],
    );
    return known.length === 0 || known.length < people.length ? null : { meeting, title, mode, people: known };
  }

  /** When a person is free, the earliest time first. What a slot itself holds does not count. */
  freeTimes(person: string, meeting: string, slot: string): readonly string[] {
    const rows = this.#all(
      'SELECT value FROM calendar WHERE person = ? AND NOT (meeting = ? AND slot = ?)',
      person,
      meeting,
      slot,
    ) as { value: string }[];
    const busy = new Set(rows.map(({ value }) => value));
    return TIMES.filter((time) => !busy.has(time));
  }

  /** Holds a time for a slot in everybody's calendar; it replaces what the slot held before. */
  hold(hold: Hold, key: string | undefined): string {
    const { meeting, slot, people, title, value, status } = hold;
    if (!isTime(value)) throw new Error(`${value} is no time`);
    return this.#once(key, () => {
      const before = this.#held(meeting, slot);
      this.#run('DELETE FROM calendar WHERE meeting = ? AND slot = ?', meeting, slot);
      for (const person of people)
        this.#run('INSERT INTO calendar VALUES (?, ?, ?, ?, ?, ?)', person, meeting, slot, value, title, status);
      return { output: value, before: { meeting, slot, rows: before } };
    });
  }

  /** Puts back what a slot held before a change; does nothing the second time. @throws where the slot was changed since. */
  putBack(key: string, undoKey: string): void {
    this.#once(undoKey, () => {
      const [note] = this.#all('SELECT output, before FROM done WHERE key = ?', key) as {
        output: string;
        before: string;
      }[];
      // A call that put the slot off has changed nothing.
      if (note === undefined) return { output: null, before: null };
      const { meeting, slot, rows } = JSON.parse(note.before) as {
        meeting: string;
        slot: string;
        rows: readonly Row[];
      };
      const now = this.#held(meeting, slot);
      if (now.some(({ value }) => value !== JSON.parse(note.output)))
        throw new Error(`${slot} of ${meeting} was moved since`);
      this.#run('DELETE FROM calendar WHERE meeting = ? AND slot = ?', meeting, slot);
      for (const { person, value, title, status } of rows)
        this.#run('INSERT INTO calendar VALUES (?, ?, ?, ?, ?, ?)', person, meeting, slot, value, title, status);
      return { output: null, before: null };
    });
  }

  /** The smallest room with enough seats that is free at all of the times; `online` where there is none. */
  findRoom(seats: number, values: readonly string[]): string {
    const rooms = this.#all('SELECT id FROM room WHERE seats >= ? ORDER BY seats, id', seats) as { id: string }[];
    const free = rooms.find(({ id }) =>
      values.every((value) => this.#all('SELECT 1 FROM booking WHERE room = ? AND value = ?', id, value).length === 0),
    );
    return free?.id ?? 'online';
  }

  /** Files the receipt of a meeting and books its room. Filed again, it is the same. */
  file(meeting: string, room: string, values: readonly string[], key: string | undefined): void {
    this.#once(key, () => {
      const people = this.#all('SELECT DISTINCT person FROM calendar WHERE meeting = ?', meeting).length;
      this.#run('INSERT OR REPLACE INTO receipt VALUES (?, ?, ?)', meeting, room, people);
      if (room !== 'online')
        for (const value of values) this.#run('INSERT OR REPLACE INTO booking VALUES (?, ?, ?)', room, value, meeting);
      return { output: null, before: null };
    });
  }

  /** Whether a change was made, and what it answered. */
  find(key: string): { readonly output: unknown } | null {
    const [note] = this.#all('SELECT output FROM done WHERE key = ?', key) as { output: string }[];
    return note === undefined ? null : { output: JSON.parse(note.output) };
  }

  /** Every row that says something about meetings, in order. The notes of what was done are no part of it. */
  rows(): Readonly<Record<string, readonly object[]>> {
    return {
      calendar: this.#all("SELECT * FROM calendar WHERE meeting <> '' ORDER BY meeting, slot, person") as object[],
      booking: this.#all("SELECT * FROM booking WHERE meeting <> '' ORDER BY room, value") as object[],
      receipt: this.#all('SELECT * FROM receipt ORDER BY meeting') as object[],
    };
  }

  close(): void {
    this.#database.close();
  }

  #held(meeting: string, slot: string): readonly Row[] {
    return this.#all('SELECT * FROM calendar WHERE meeting = ? AND slot = ? ORDER BY person', meeting, slot) as Row[];
  }

  #once<T>(key: string | undefined, act: () => { readonly output: T; readonly before: unknown }): T {
    return this.#together(() => {
      const known = key === undefined ? null : this.find(key);
      if (known !== null) return known.output as T;
      const { output, before } = act();
      if (key !== undefined)
        this.#run('INSERT INTO done VALUES (?, ?, ?)', key, JSON.stringify(output), JSON.stringify(before));
      return output;
    });
  }

  #together<T>(act: () => T): T {
    this.#database.exec('BEGIN IMMEDIATE');
    try {
      const result = act();
      this.#database.exec('COMMIT');
      return result;
    } catch (error) {
      this.#database.exec('ROLLBACK');
      throw error;
    }
  }

  #run(sql: string, ...values: unknown[]): void {
    this.#database.prepare(sql).run(...values);
  }

  #all(sql: string, ...values: unknown[]): unknown[] {
    return this.#database.prepare(sql).all(...values);
  }
}

function isTime(value: string): boolean {
  const [day, hour] = value.split('-');
  return DAYS.some((known) => known === day) && HOURS.some((known) => known === hour);
}
