/**
 * The messages that were posted to the runs of a file (J5). A post is one small transaction of its own, so that it is
 * durable on return, and takes its number inside it, so that posters in several processes make no gap. The table is not
 * trusted: every value is checked before it is used.
 */
import type Database from 'better-sqlite3';
import type { Statement } from 'better-sqlite3';
import type { Posted } from '../journal.ts';
import { checkRoom, postBytes } from '../posts.ts';
import { wrongRun } from '../rows.ts';
import { corrupt } from './errors.ts';
import { postPlace } from './file/cipher.ts';
import { immediately } from './file/transaction.ts';
import type { Run } from './log/run.ts';
import type { Tables } from './log/tables.ts';

export class Inbox {
  readonly #db: Database.Database;
  readonly #tables: Tables;
  readonly #last: Statement;
  readonly #add: Statement;
  readonly #after: Statement;
  readonly #version: Statement;
  /** What SQLite counts of the changes by other connections, as it was last seen, and how often it or the messages of this store were others since. */
  #seen: unknown = null;
  #changes = 0;
  /** The time of the process at that look, in milliseconds. */
  #looked = Number.NEGATIVE_INFINITY;
  /** The runs that had no message above a number, and at which count of changes. */
  readonly #quiet = new WeakMap<Run, { readonly after: number; readonly at: number }>();

  constructor(db: Database.Database, tables: Tables) {
    this.#db = db;
    this.#tables = tables;
    this.#last = db.prepare('SELECT max(number) AS last FROM inbox WHERE run = ?');
    this.#add = db.prepare('INSERT INTO inbox (run, number, time, body) VALUES (?, ?, ?, ?)');
    this.#after = db.prepare('SELECT number, time, body FROM inbox WHERE run = ? AND number > ? ORDER BY number');
    this.#version = db.prepare('PRAGMA data_version').pluck();
  }

  /** Adds a message, durably, and gives its number; `posted` is told inside its transaction. @throws JournalError as `JournalStore.post` says. */
  post(name: string, body: string, time: number, posted: (run: number) => void): number {
    const bytes = postBytes(body);
    return immediately(this.#db, () => {
      const run = this.#tables.run(name);
      if (run === null) throw wrongRun('run_unknown', name);
      const { last } = this.#last.get(run.id) as { last: unknown };
      const messages = last ?? 0;
      if (!isNumber(messages)) throw corrupt(this.#tables.path, name, 0, 'its last message has no number');
      checkRoom(name, messages);
      const number = messages + 1;
      this.#add.run(run.id, number, time, this.#tables.cipher.seal(postPlace(run.id, number), bytes));
      posted(run.id);
      this.#changes += 1;
      return number;
    });
  }

  /** The number of the last message of a run; 0 where there is none. */
  last(run: Run): number {
    const { last } = this.#last.get(run.id) as { last: unknown };
    return isNumber(last) ? last : 0;
  }

  /**
   * The messages of a run with a number above `after`, without a gap. Where the file has not changed since there were none, no message is looked for.
   * @param late the age in milliseconds that the last look at the file may have, which all runs share.
   */
  since(run: Run, after: number, late: number): Posted[] {
    const time = performance.now();
    if (late === 0 || time - this.#looked > late || time < this.#looked) {
      this.#looked = time;
      const version = this.#version.get();
      if (version !== this.#seen) this.#changes += 1;
      this.#seen = version;
    }
    const at = this.#changes;
    const quiet = this.#quiet.get(run);
    if (quiet?.at === at && quiet.after <= after) return [];
    const posted = this.after(run, after);
    if (posted.length === 0) this.#quiet.set(run, { after, at });
    return posted;
  }

  /** The messages of a run with a number above `after`, without a gap. */
  after(run: Run, after: number): Posted[] {
    let expected = Math.max(0, after);
    return this.#after.all(run.id, expected).map((row) => {
      const { number, time, body } = row as Record<keyof Posted, unknown>;
      expected += 1;
      const valid = number === expected && Number.isSafeInteger(time) && Buffer.isBuffer(body);
      if (!valid) throw corrupt(this.#tables.path, run.name, 0, `its message ${expected} is missing or has no form`);
      const opened = this.#tables.cipher.open(postPlace(run.id, expected), body);
      if (opened === null)
        throw corrupt(
          this.#tables.path,
          run.name,
          0,
          `its message ${expected} was not sealed under the key of the file`,
        );
      return { number: expected, time: time as number, body: opened.toString('utf8') };
    });
  }
}

function isNumber(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
