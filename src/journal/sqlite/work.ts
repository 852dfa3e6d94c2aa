/**
 * The runs of a file that are left for workers. Code that takes the lease of a run, posts to it or gives it back
 * updates this table inside the same transaction. The table is not trusted: every value is checked before use.
 */
import type Database from 'better-sqlite3';
import type { Statement } from 'better-sqlite3';
import { checkRunName, inputBytes, otherRequest, wrongRun } from '../rows.ts';
import {
  differs,
  isOfOther,
  isUnderOther,
  type LeftRun,
  type OthersAsked,
  type Rest,
  type StartRequest,
  type WorkAsked,
  type WorkDigests,
  type WorkOrder,
  type WorkQueue,
  whyLeft,
} from '../work.ts';
import { corrupt } from './errors.ts';
import { inputPlace } from './file/cipher.ts';
import { preparing } from './file/statements.ts';
import { atOnce, immediately } from './file/transaction.ts';
import type { Leases } from './lease/lease.ts';
import type { Run } from './log/run.ts';
import type { Tables } from './log/tables.ts';

/** The number of rows that are looked at together. */
const PAGE = 256;
/** The most runs that are told which a worker does not take. */
const LEFT = 1_000;

const SELECT = `SELECT w.run, r.name, w.agent, w.queue, w.input, w.machine, w.config, w.due, w.taken, w.ended, w.note, w.threw, w.output
  FROM work w JOIN run r ON r.id = w.run`;

const HOLDING = 'AND EXISTS (SELECT 1 FROM claim c WHERE c.run = w.run)';

/** The table of one file. */
export class Work implements WorkQueue {
  readonly #db: Database.Database;
  readonly #tables: Tables;
  readonly #leases: Leases;
  readonly #now: () => number;
  readonly #begin: (name: string) => Run;
  readonly #prepared: (sql: string) => Statement;

  /** @param begin adds a run, inside a transaction. */
  constructor(db: Database.Database, tables: Tables, leases: Leases, now: () => number, begin: (name: string) => Run) {
    this.#db = db;
    this.#prepared = preparing(db);
    this.#tables = tables;
    this.#leases = leases;
    this.#now = now;
    this.#begin = begin;
  }

  start(request: StartRequest): boolean {
    checkRunName(request.run);
    const { run: name, agent, queue } = request;
    const input = inputBytes(request);
    return immediately(this.#db, () => {
      const found = this.#tables.run(name);
      const there = found === null ? null : this.#orderOf(found);
      if (found !== null && there === null) throw otherRequest(name, 'that was not left for workers');
      const other = there === null ? null : differs(there, request);
      if (other !== null) throw otherRequest(name, other);
      if (there !== null) return false;
      this.#leave(this.#begin(name), { agent, queue, input });
      return true;
    });
  }

  handOver(request: StartRequest, digests: WorkDigests): boolean {
    const input = inputBytes(request);
    return immediately(this.#db, () => {
      const run = this.#named(request.run);
      if (this.#orderOf(run) !== null) return false;
      this.#leave(run, { ...request, input }, digests);
      return true;
    });
  }

  #leave(
    { id }: Run,
    { agent, queue, input }: Pick<StartRequest, 'agent' | 'queue'> & { readonly input: Buffer },
    digests?: WorkDigests,
  ): void {
    const sealed = this.#tables.cipher.seal(inputPlace(id), input);
    const all = [id, agent, queue, sealed, this.#now(), digests?.machine ?? null, digests?.config ?? null];
    this.#prepared(
      'INSERT INTO work (run, agent, queue, input, due, taken, machine, config) VALUES (?, ?, ?, ?, ?, 0, ?, ?)',
    ).run(...all);
  }

  order(run: string): WorkOrder | null {
    return atOnce(this.#db, () => {
      const found = this.#tables.run(run);
      return found === null ? null : this.#orderOf(found);
    });
  }

  ready({ queue, carries, limit, holding = false }: WorkAsked): readonly WorkOrder[] {
    const told = (order: WorkOrder) => (!order.held && whyLeft(order, carries) === null ? order : null);
    const only = holding ? HOLDING : '';
    const due = this.#due(queue, limit, told, only);
    if (carries.every(({ version }) => version === null)) return due;
    const isOther = (order: WorkOrder) => (isUnderOther(order, carries) ? told(order) : null);
    return [...due, ...this.#threw(queue, limit - due.length, isOther, only)];
  }

  left({ queue, carries }: WorkAsked): readonly LeftRun[] {
    return this.#due(queue, LEFT, (order) => {
      const why = order.held ? null : whyLeft(order, carries);
      return why === null ? null : { order, why };
    });
  }

  others({ queue, carries, limit, after }: OthersAsked): readonly WorkOrder[] {
    const told = (order: WorkOrder) => (!order.held && isOfOther(order, carries) ? order : null);
    return this.#found(limit, told, (offset) =>
      this.#prepared(
        `${SELECT} WHERE w.queue = ? AND w.ended IS NULL AND w.machine IS NOT NULL AND r.name > ? ORDER BY r.name LIMIT ${PAGE} OFFSET ?`,
      ).all(queue, after ?? '', offset),
    );
  }

  bind(name: string, { machine, config }: WorkDigests): boolean {
    return immediately(this.#db, () => {
      const run = this.#named(name);
      this.#prepared('UPDATE work SET machine = ?, config = ? WHERE run = ? AND machine IS NULL').run(
        machine,
        config,
        run.id,
      );
      const digests = this.#orderOf(run)?.digests ?? null;
      return digests?.machine === machine && digests.config === config;
    });
  }

  ended(queue: string, milliseconds: number, limit: number): readonly string[] {
    const sql =
      'SELECT r.name FROM work w JOIN run r ON r.id = w.run WHERE w.queue = ? AND w.ended <= ? ORDER BY w.ended LIMIT ?';
    const rows = this.#prepared(sql).all(queue, this.#now() - milliseconds, limit);
    return rows.map((row) => String((row as { name: unknown }).name));
  }

  delay(name: string, milliseconds: number, note: string): void {
    immediately(this.#db, () => {
      const due = this.#now() + milliseconds;
      this.#prepared('UPDATE work SET due = ?, taken = 0, note = ? WHERE run = ? AND ended IS NULL').run(
        due,
        note,
        this.#named(name).id,
      );
    });
  }

  /** Inside the transaction that takes a lease: until it is given back, the run counts as due. */
  taken(run: number): void {
    this.#prepared(
      'UPDATE work SET taken = taken + 1, due = min(coalesce(due, ?), ?) WHERE run = ? AND ended IS NULL',
    ).run(this.#now(), this.#now(), run);
  }

  /** Inside the transaction that adds a message. */
  posted(run: number): void {
    this.#prepared('UPDATE work SET due = min(coalesce(due, ?), ?) WHERE run = ? AND ended IS NULL').run(
      this.#now(),
      this.#now(),
      run,
    );
  }

  /** Inside the transaction that gives a lease back. @param messages the number that the run has. */
  given(run: number, rest: Rest | undefined, messages: number): void {
    this.#prepared('UPDATE work SET taken = 0 WHERE run = ?').run(run);
    if (rest === undefined) return;
    const now = this.#now();
    const next = messages > rest.heard ? 0 : rest.due;
    const due = rest.ended || next === null ? null : now + next;
    this.#prepared(
      'UPDATE work SET due = ?, ended = coalesce(ended, ?), machine = ?, config = ?, output = coalesce(?, output), threw = ?, note = NULL WHERE run = ?',
    ).run(
      due,
      rest.ended ? now : null,
      rest.digests.machine,
      rest.digests.config,
      this.#sealed(run, rest.output),
      rest.threw === null ? null : JSON.stringify(rest.threw),
      run,
    );
  }

  /** The due runs of a queue, in the order in which they became due, as many as `told` tells something of. */
  #due<T>(queue: string, limit: number, told: (order: WorkOrder) => T | null, only = ''): T[] {
    return this.#found(limit, told, (offset) =>
      this.#prepared(
        `${SELECT} WHERE w.queue = ? AND w.due <= ? ${only} ORDER BY w.due, w.run LIMIT ${PAGE} OFFSET ?`,
      ).all(queue, this.#now(), offset),
    );
  }

  /** The runs of a queue that are parked over a throw and not due. */
  #threw<T>(queue: string, limit: number, told: (order: WorkOrder) => T | null, only: string): T[] {
    return this.#found(limit, told, (offset) =>
      this.#prepared(
        `${SELECT} WHERE w.queue = ? AND w.threw IS NOT NULL AND coalesce(w.due > ?, true) ${only} ORDER BY w.run LIMIT ${PAGE} OFFSET ?`,
      ).all(queue, this.#now(), offset),
    );
  }

  #found<T>(limit: number, told: (order: WorkOrder) => T | null, page: (offset: number) => unknown[]): T[] {
    const found: T[] = [];
    return atOnce(this.#db, () => {
      for (let offset = 0; found.length < limit; offset += PAGE) {
        const rows = page(offset);
        for (const row of rows) {
          const one = found.length < limit ? told(this.#order(row)) : null;
          if (one !== null) found.push(one);
        }
        if (rows.length < PAGE) break;
      }
      return found;
    });
  }

  #named(name: string): Run {
    const run = this.#tables.run(name);
    if (run === null) throw wrongRun('run_unknown', name);
    return run;
  }

  #orderOf(run: Run): WorkOrder | null {
    const row = this.#prepared(`${SELECT} WHERE w.run = ?`).get(run.id);
    return row === undefined ? null : this.#order(row);
  }

  #order(row: unknown): WorkOrder {
    const { run, name, agent, queue, input, machine, config, due, taken, ended, note, threw, output } = row as Record<
      string,
      unknown
    >;
    const isText = (value: unknown) => value === null || typeof value === 'string';
    const isTime = (value: unknown) => value === null || Number.isSafeInteger(value);
    const valid =
      Number.isSafeInteger(run) &&
      typeof name === 'string' &&
      typeof agent === 'string' &&
      typeof queue === 'string' &&
      Buffer.isBuffer(input) &&
      (output === null || Buffer.isBuffer(output)) &&
      [machine, config, note].every(isText) &&
      [due, ended].every(isTime) &&
      Number.isSafeInteger(taken);
    const versions = versionsIn(threw);
    if (!valid || versions === undefined) throw corrupt(this.#tables.path, String(name), 0, 'its request has no form');
    return {
      run: name as string,
      agent: agent as string,
      queue: queue as string,
      input: this.#opened(String(name), run as number, input as Buffer),
      digests: machine === null || config === null ? null : { machine: machine as string, config: config as string },
      due: due === null ? null : Math.max(0, (due as number) - this.#now()),
      taken: taken as number,
      ended: ended as number | null,
      note: note as string | null,
      threw: versions,
      held: this.#leases.isHeld(run as number),
      output: output === null ? null : this.#opened(String(name), run as number, output as Buffer),
    };
  }

  #opened(name: string, run: number, sealed: Buffer): string {
    const opened = this.#tables.cipher.open(inputPlace(run), sealed);
    if (opened !== null) return opened.toString('utf8');
    throw corrupt(this.#tables.path, name, 0, 'its request was not sealed under the key of the file');
  }

  #sealed(run: number, text: string | null): Buffer | null {
    return text === null ? null : this.#tables.cipher.seal(inputPlace(run), Buffer.from(text, 'utf8'));
  }
}

/** The versions of a list as it is kept; undefined where it has no form. */
function versionsIn(kept: unknown): readonly string[] | null | undefined {
  if (kept === null) return null;
  try {
    const list: unknown = JSON.parse(String(kept));
    return Array.isArray(list) && list.every((each) => typeof each === 'string') ? list : undefined;
  } catch {
    return undefined;
  }
}
