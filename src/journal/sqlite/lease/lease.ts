/**
 * One writer per run (J1): a lease with a fencing token. The token grows with every taking, and who takes a lease adds a row to the log, whose
 * number the next commit of a writer that slept past its expiry then meets: that one looks at its lease, and writes nothing more. The clock and the life of the process
 * decide who holds the lease; a clock that jumps can cost a holder its lease, never the journal its order.
 */
import { hostname } from 'node:os';
import type Database from 'better-sqlite3';
import type { Statement } from 'better-sqlite3';
import { JournalError } from '../../journal.ts';
import { type Holder, isGone, mayLive, ownerNonce, thisProcess } from '../../lease/holder.ts';
import { corrupt } from '../errors.ts';

/** A lease that this process took. */
export interface Lease {
  readonly token: number;
  /** Tells this taking from any other, also of the same process. */
  readonly nonce: string;
  /** The time before which no other process may take it, in milliseconds. */
  expires: number;
  /** True where it ran out for a process that may still live. */
  readonly isOvertaken: boolean;
}

interface LeaseRow {
  readonly token: number;
  readonly nonce: string;
  readonly host: string | null;
  readonly pid: number | null;
  readonly started: string | null;
  readonly expires: number;
}

const SELECT = 'SELECT token, nonce, host, pid, started, expires FROM lease WHERE run = ?';

/** The living holder of a run: null when it is free, expired or left behind by a process that is gone. */
export function livingHolder(
  db: Database.Database,
  path: string,
  run: number,
  now: number,
  here: Holder,
): (Holder & { readonly expires: number }) | null {
  return holderIn(db.prepare(SELECT).get(run), path, run, now, here);
}

function holderIn(
  found: unknown,
  path: string,
  run: number,
  now: number,
  here: Holder,
): (Holder & { readonly expires: number }) | null {
  const row = checked(found, path, run);
  if (row === null || row.host === null || row.pid === null || row.expires <= now) return null;
  const holder = { host: row.host, pid: row.pid, started: row.started, expires: row.expires };
  return isGone(holder, here) ? null : holder;
}

/** The leases of one open file. Everything but `isHeld`, `isHeldIn`, `isDue` and `version` must run inside an immediate transaction. */
export class Leases {
  readonly #db: Database.Database;
  readonly #path: string;
  readonly #here = thisProcess();
  readonly #now: () => number;
  readonly #duration: number;
  readonly #select: Statement;
  readonly #renew: Statement;
  readonly #changes: Statement;
  readonly #fence: () => void;
  #taken = 0;

  /** @param fence called inside the transaction that takes a lease: makes the next commit of any other process fail that does not look at them. */
  constructor(
    db: Database.Database,
    path: string,
    { now, leaseMs, fence }: { readonly now: () => number; readonly leaseMs: number; readonly fence: () => void },
  ) {
    this.#db = db;
    this.#path = path;
    this.#now = now;
    this.#duration = leaseMs;
    this.#fence = fence;
    this.#changes = db.prepare('PRAGMA data_version').pluck();
    this.#select = db.prepare(SELECT);
    this.#renew = db.prepare('UPDATE lease SET expires = ? WHERE run = ?');
  }

  /** A number that moves when another connection commits, and when this one takes a lease. While it stays, who had a lease has it. */
  version(): number {
    return this.#taken * 2 ** 32 + (this.#changes.get() as number);
  }

  /** True where a living process has a run. @param token under this token, where one is given. */
  isHeld(run: number, token?: number): boolean {
    if (this.#holder(run, this.#now()) === null) return false;
    return token === undefined || checked(this.#select.get(run), this.#path, run)?.token === token;
  }

  /** True where a living process has a run of which the table has this row. */
  isHeldIn(row: unknown, run: number): boolean {
    return holderIn(row, this.#path, run, this.#now(), this.#here) !== null;
  }

  /** True while a lease is still the run's newest. */
  isOwn(run: number, { token, nonce }: Lease): boolean {
    const row = checked(this.#select.get(run), this.#path, run);
    return row !== null && row.token === token && row.nonce === nonce;
  }

  /**
   * Takes the lease of a run.
   * @throws JournalError `lease_held` while another holder lives and has not let it expire.
   */
  take(run: number, name: string): Lease {
    const now = this.#now();
    const holder = this.#holder(run, now);
    if (holder !== null) throw held(name, holder, now);
    const before = checked(this.#select.get(run), this.#path, run);
    const isOvertaken = before !== null && isNamed(before) && mayLive(before, this.#here);
    const lease = { token: (before?.token ?? 0) + 1, nonce: ownerNonce(), expires: now + this.#duration, isOvertaken };
    this.#db
      .prepare(
        'INSERT OR REPLACE INTO lease (run, token, nonce, host, pid, started, expires) VALUES (?, ?, ?, ?, ?, ?, ?)',
      )
      .run(run, lease.token, lease.nonce, this.#here.host, this.#here.pid, this.#here.started, lease.expires);
    this.#taken += 1;
    this.#fence();
    return lease;
  }

  /**
   * Notes that a run was taken from a process that may still live, if this lease was.
   * @param head the seq of its last row.
   * @returns the seq of the last row that the run had when that happened last; 0 where it never did.
   */
  overtaken(run: { readonly id: number; readonly name: string }, { isOvertaken }: Lease, head: number): number {
    if (isOvertaken) this.#db.prepare('INSERT OR REPLACE INTO overtaken (run, head) VALUES (?, ?)').run(run.id, head);
    const row = this.#db.prepare('SELECT head FROM overtaken WHERE run = ?').get(run.id) as
      | { head: unknown }
      | undefined;
    const seq = row?.head ?? 0;
    if (!Number.isSafeInteger(seq) || (seq as number) < 0 || (seq as number) > head)
      throw corrupt(this.#path, run.name, 0, 'it was taken from a process at a row that it does not have');
    return seq as number;
  }

  #holder(run: number, now: number) {
    return holderIn(this.#select.get(run), this.#path, run, now, this.#here);
  }

  /** Returns true while the lease is ours; renews it once less than half of it is left, or a clock went back. */
  keep(run: number, lease: Lease): boolean {
    if (!this.isOwn(run, lease)) return false;
    if (this.isDue(lease)) {
      lease.expires = this.#now() + this.#duration;
      this.#renew.run(lease.expires, run);
    }
    return true;
  }

  isDue(lease: Lease): boolean {
    const left = lease.expires - this.#now();
    return left < this.#duration / 2 || left > this.#duration;
  }

  /** Releases the lease, if it is still ours. The token stays: the next one is higher. @returns true where it was. */
  release(run: number, lease: Lease): boolean {
    const { changes } = this.#db
      .prepare(
        'UPDATE lease SET host = NULL, pid = NULL, started = NULL, expires = 0 WHERE run = ? AND token = ? AND nonce = ?',
      )
      .run(run, lease.token, lease.nonce);
    return changes > 0;
  }
}

function isNamed(row: LeaseRow): row is LeaseRow & Holder {
  return row.host !== null && row.pid !== null;
}

function held(name: string, holder: Holder & { readonly expires: number }, now: number): JournalError {
  const host = holder.host.split(' ')[0] ?? hostname();
  const until = new Date(holder.expires).toISOString();
  const left = Math.ceil((holder.expires - now) / 1000);
  const who = `Run ${JSON.stringify(name)} is held by process ${holder.pid} on ${host} until ${until} (${left} s)`;
  return new JournalError('lease_held', `${who}. End that process, or wait until it lets the run go.`);
}

function checked(row: unknown, path: string, run: number): LeaseRow | null {
  if (row === undefined) return null;
  const { token, nonce, host, pid, started, expires } = row as Record<keyof LeaseRow, unknown>;
  const named = typeof host === 'string' && Number.isSafeInteger(pid) && (pid as number) > 0;
  const free = host === null && pid === null;
  const valid =
    Number.isSafeInteger(token) &&
    (token as number) > 0 &&
    typeof nonce === 'string' &&
    (started === null || typeof started === 'string') &&
    Number.isSafeInteger(expires) &&
    Math.abs(expires as number) <= 8.64e15 &&
    (named || free);
  if (!valid) throw corrupt(path, `number ${run}`, 0, 'its lease has no form');
  return row as LeaseRow;
}
