/**
 * The rows of the service and of those who look after it, in one SQLite file: what is locked, how much quota there is, when the
 * certificate runs out, and what was done, told and recorded. A change is made once for each key, in one transaction with
 * the note that says so; without a key every call is a change of its own.
 */
import { Keyed } from '../keyed.ts';
import { there } from '../there.ts';
import type { Change, Hypothesis, Incident, Notice, Repair, Request } from './incident.ts';

/** The size of a service's quota, and the lifetime of a certificate. */
const SIZE = 100;
const DAYS = 90;

const TABLES = `
  CREATE TABLE lock (name TEXT NOT NULL, holder TEXT NOT NULL);
  CREATE TABLE quota (used INTEGER NOT NULL, size INTEGER NOT NULL);
  CREATE TABLE certificate (days INTEGER NOT NULL);
  CREATE TABLE work (cause TEXT NOT NULL, now TEXT NOT NULL);
  CREATE TABLE notice (customer TEXT NOT NULL, text TEXT NOT NULL);
  CREATE TABLE incident (service TEXT PRIMARY KEY, causes TEXT NOT NULL);
`;

/** The way of a repair that is not made in rows. `before` is what its undo needs. */
export interface Elsewhere {
  make(): { readonly now: string; readonly before: unknown };
  undo(before: unknown): void;
}

/** The result of a repair: the row of its work order, and what its undo needs. */
interface Note extends Change {
  readonly work: number;
  readonly before: unknown;
}

/** The rows of a world. */
export class Records extends Keyed {
  /** Opens a file; an empty one is set up as it is asked for, and `first` is done before that can be seen. */
  constructor(file: string, request: Request, first: () => void) {
    super(file, (empty) => {
      first();
      empty.execute(TABLES);
      breakWhatIsAsked(empty, request);
    });
  }

  /** The holder of the lock on the orders; null where it is free. */
  holder(): string | null {
    const [row] = this.all<{ holder: string }>("SELECT holder FROM lock WHERE name = 'orders'");
    return row?.holder ?? null;
  }

  quota(): { readonly used: number; readonly size: number } {
    return there(this.all<{ used: number; size: number }>('SELECT used, size FROM quota')[0], 'quota');
  }

  /** For how many days the certificate is good; null where there is none. */
  daysLeft(): number | null {
    const [row] = this.all<{ days: number }>('SELECT days FROM certificate');
    return row?.days ?? null;
  }

  /** Makes a repair, and writes a work order. Made again without a key, it is made twice. */
  repair({ cause, by }: Repair, elsewhere: Partial<Record<Hypothesis, Elsewhere>>, key: string | undefined): Change {
    return this.once(key, () => {
      const { now, before } = elsewhere[cause]?.make() ?? this.#repairRows(cause, by ?? 0);
      const { id: work } = this.run('INSERT INTO work VALUES (?, ?)', cause, now);
      return { output: { cause, now }, note: { cause, now, before, work } satisfies Note };
    });
  }

  /** A repair that is made in rows; `before` is the row, or the amount by which the quota was raised. */
  #repairRows(cause: Hypothesis, by: number): { readonly now: string; readonly before: unknown } {
    switch (cause) {
      case 'lock': {
        const before = this.holder();
        this.run("DELETE FROM lock WHERE name = 'orders'");
        return { now: 'free', before };
      }
      case 'certificate': {
        const before = this.daysLeft();
        this.run('UPDATE certificate SET days = ?', DAYS);
        return { now: `${DAYS} days`, before };
      }
      case 'quota':
        this.run('UPDATE quota SET size = size + ?', by);
        return { now: String(this.quota().size), before: by };
      default:
        throw new Error(`${cause} is in no row`);
    }
  }

  /** Takes a repair back, once. Quota that others have added since stays. @throws where that is not possible any more. */
  takeBack(key: string, undoKey: string, elsewhere: Partial<Record<Hypothesis, Elsewhere>>): void {
    this.once(undoKey, () => {
      const note = this.#noteOf(key);
      if (note === null) return { output: null, note: null };
      const moved = this.moved(key);
      if (moved !== null) throw new Error(moved);
      const { cause, before, work } = note;
      if (cause === 'lock' && before !== null) this.run("INSERT INTO lock VALUES ('orders', ?)", before);
      if (cause === 'certificate') this.run('UPDATE certificate SET days = ?', before);
      if (cause === 'quota') this.run('UPDATE quota SET size = size - ?', before);
      elsewhere[cause]?.undo(before);
      this.run('DELETE FROM work WHERE rowid = ?', work);
      return { output: null, note: null };
    });
  }

  /** The reason why a repair cannot be undone any more; null where it can. */
  moved(key: string): string | null {
    const cause = this.#noteOf(key)?.cause;
    if (cause === 'lock' && this.holder() !== null) return `the orders are locked by ${this.holder()} since`;
    if (cause === 'certificate' && this.daysLeft() !== DAYS) return 'the certificate was changed since';
    return null;
  }

  /** Tells the customers. Told again without a key, they are told twice. */
  tell(notice: Notice, key: string | undefined): Notice {
    return this.once(key, () => {
      for (const customer of notice.to) this.run('INSERT INTO notice VALUES (?, ?)', customer, notice.text);
      return { output: notice, note: null };
    });
  }

  /** Records an incident. Recorded again, it is the same. */
  record(incident: Incident): Incident {
    this.run('INSERT OR REPLACE INTO incident VALUES (?, ?)', incident.service, incident.causes.join(', '));
    return incident;
  }

  /** Every row, in order. The notes of what was done are no part of it. */
  rows(): Readonly<Record<string, readonly object[]>> {
    const tables = ['lock', 'quota', 'certificate', 'work', 'notice', 'incident'];
    return Object.fromEntries(
      tables.map((table) => [table, this.all<object>(`SELECT * FROM ${table} ORDER BY rowid`)]),
    );
  }

  #noteOf(key: string): Note | null {
    return this.find<unknown, Note>(key)?.note ?? null;
  }
}

function breakWhatIsAsked(empty: Keyed, { faults, used }: Request): void {
  const is = (fault: Request['faults'][number]) => faults.includes(fault);
  if (is('lock')) empty.run("INSERT INTO lock VALUES ('orders', 'nightly-7')");
  empty.run('INSERT INTO quota VALUES (?, ?)', is('quota') ? used : 60, SIZE);
  if (!is('keystore')) empty.run('INSERT INTO certificate VALUES (?)', is('certificate') ? 0 : DAYS);
}
