/**
 * The claims of the runs of a file. Every change is one short transaction under the write lock of the file, and what changes nothing takes no
 * lock. A call counts in line while a living process has its run under the lease that it was asked with.
 */
import type Database from 'better-sqlite3';
import type { PassedOn } from '../../model/passed-on.ts';
import { ClaimBoard, changesNothing, type Had, type Passing, reclaimed, type Settled } from '../claim-board.ts';
import {
  type ClaimAnswer,
  type ClaimCall,
  type ClaimDesk,
  type ClaimsListed,
  Freed,
  type FreedClaims,
} from '../claims.ts';
import { wrongRun } from '../rows.ts';
import { ClaimRows, type Place } from './claim-rows.ts';
import { atOnce, immediately } from './file/transaction.ts';
import type { Leases } from './lease/lease.ts';
import type { Tables } from './log/tables.ts';
import type { Writer } from './log/writer.ts';

/** After so many milliseconds, processes that are gone are looked for though nothing has changed. */
const ANEW = 1_000;

/** The services that claims need of the store. */
interface Host {
  readonly db: Database.Database;
  readonly tables: Tables;
  readonly leases: Leases;
  readonly now: () => number;
  /** The runs that this store has open. */
  readonly writers: ReadonlySet<Writer>;
  /** Makes a call to the file: turns errors of SQLite into the journal's own. */
  watched<T>(call: () => T, doing: 'read' | 'write'): T;
}

/** The claims of one file. */
export class SqliteClaims implements ClaimDesk {
  readonly pollMs = 25;
  readonly #host: Host;
  readonly #rows: ClaimRows;
  readonly #freed = new Freed();
  /** The last question that changed nothing: asked again, it is answered the same while nothing else has changed. */
  #last: { ids: string; state: string; at: number; answers: readonly ClaimAnswer[] } | null = null;

  constructor(host: Host) {
    this.#host = host;
    this.#rows = new ClaimRows(host.db, host.tables);
  }

  ask(calls: readonly ClaimCall[]): readonly ClaimAnswer[] {
    const { watched, db } = this.#host;
    const ids = calls.map(({ id }) => id).join();
    const state = watched(() => this.#rows.state(), 'read');
    const last = this.#last;
    if (last?.ids === ids && last.state === state && performance.now() - last.at < ANEW) return last.answers;
    const seen = watched(() => atOnce(db, () => this.#settled(calls)), 'read');
    if (changesNothing(seen)) {
      this.#last = { ids, state, at: performance.now(), answers: seen.answers };
      return seen.answers;
    }
    const { answers, granted, gone } = watched(() => immediately(db, () => this.#kept(calls)), 'write');
    // What is given may close a circle, and who is gone makes room in the line.
    if (granted.length > 0 || gone.length > 0) this.#freed.tell();
    return answers;
  }

  leave(calls: readonly ClaimCall[]): void {
    const act = () => immediately(this.#host.db, () => calls.filter(({ id }) => this.#rows.leave(id)).length);
    if (this.#host.watched(act, 'write') > 0) this.#freed.tell();
  }

  release(name: string): void {
    const { db, leases, watched } = this.#host;
    const act = () => {
      const own = this.#ownOf(name);
      if (own === null) this.#free(name, null, { by: null, why: null });
      // A process that has lost the run frees nothing of the one that has it.
      else if (leases.isOwn(own.run.id, own.lease)) this.#rows.clear(own.run, own.lease.token);
    };
    watched(() => immediately(db, act), 'write');
    this.#freed.tell();
  }

  letGo(name: string, keys: readonly string[]): void {
    const changed = this.#marked(name, (board) => board.mark(name, board.mayLetGo(name, keys), true));
    if (changed) this.#freed.tell();
  }

  takeBack(name: string): readonly PassedOn[] {
    let passed: readonly PassedOn[] = [];
    this.#marked(name, (board) => {
      passed = reclaimed(board, name);
    });
    return passed;
  }

  /** Changes what a run has released, in a transaction. @returns false where another process has the run. */
  #marked(name: string, change: (board: ClaimBoard) => void): boolean {
    const { db, leases, watched } = this.#host;
    const act = () => {
      const own = this.#ownOf(name);
      if (own === null || !leases.isOwn(own.run.id, own.lease)) return false;
      const { board } = boarded(this.#rows, this.#host);
      change(board);
      const now = new Set(board.released(name).map(({ key }) => key));
      for (const grant of this.#rows.grants().filter(({ run }) => run.id === own.run.id)) {
        const claims = grant.claims.map(
          ({ released: _, freed, ...claim }): Had =>
            now.has(claim.key.text) ? { ...claim, released: true, ...(freed && { freed }) } : claim,
        );
        const isSame = claims.every((claim, index) => claim.released === grant.claims[index]?.released);
        if (!isSame) this.#rows.mark({ ...grant, claims });
      }
      return true;
    };
    return watched(() => immediately(db, act), 'write');
  }

  freed(name: string): readonly string[] {
    const freed = () => boarded(this.#rows, this.#host).board.freed(name);
    return this.#host.watched(() => atOnce(this.#host.db, freed), 'read');
  }

  free(name: string, head: number, by: string | null, why: string | null = null): readonly string[] | null {
    const freed = () => immediately(this.#host.db, () => this.#free(name, head, { by, why }));
    const keys = this.#host.watched(freed, 'write');
    this.#freed.tell();
    return keys;
  }

  list(): ClaimsListed {
    return this.#host.watched(() => atOnce(this.#host.db, () => listed(this.#rows, this.#host)), 'read');
  }

  onFreed(listener: () => void): () => void {
    return this.#freed.onFreed(listener);
  }

  /** Answers calls inside a transaction, and changes nothing. */
  #settled(calls: readonly ClaimCall[]): Settled {
    const { board } = boarded(this.#rows, this.#host);
    return board.settle(calls, (name) => {
      const own = this.#ownOf(name);
      return own !== null && this.#host.leases.isOwn(own.run.id, own.lease);
    });
  }

  /** Answers calls inside a transaction that writes. */
  #kept(calls: readonly ClaimCall[]): Settled {
    const settled = this.#settled(calls);
    const time = this.#host.now();
    for (const { call, claims, passed } of settled.granted) {
      const epoch = this.#rows.grant((this.#ownOf(call.run) as Writer).run, time, claims);
      this.#pass(passed, { run: call.run, epoch });
    }
    for (const { id, run: name, wanted } of settled.queued) {
      const { run, lease } = this.#ownOf(name) as Writer;
      this.#rows.leave(id);
      this.#rows.stand({ id, run, token: lease.token, time, wanted });
    }
    for (const id of settled.gone) this.#rows.leave(id);
    return settled;
  }

  /** Inside a transaction: notes who was given released keys. */
  #pass(passed: readonly Passing[], to: { readonly run: string; readonly epoch: number }): void {
    if (passed.length === 0) return;
    const isPassed = (run: string, { key, released, passed: before }: Had) =>
      released === true && before === undefined && passed.some((each) => each.from === run && each.key === key.text);
    for (const grant of this.#rows.grants()) {
      const claims = grant.claims.map((claim) => (isPassed(grant.run.name, claim) ? { ...claim, passed: to } : claim));
      if (claims.some((claim, index) => claim !== grant.claims[index])) this.#rows.mark({ ...grant, claims });
    }
  }

  /** Inside a transaction: what no living process has. @param head null for a run that is over, whatever its end is. */
  #free(name: string, head: number | null, said: Pick<FreedClaims, 'by' | 'why'>): readonly string[] | null {
    const { tables, leases, now } = this.#host;
    const run = tables.run(name);
    if (run === null) throw wrongRun('run_unknown', name);
    // A process that comes back finds another lease than its own.
    const lease = leases.take(run.id, name);
    // And who takes the run next is told that it may still live.
    const { last } = tables.log.endOf(run);
    leases.overtaken(run, lease, last);
    if (head !== null && last !== head) {
      leases.release(run.id, lease);
      return null;
    }
    const own = this.#rows.grants().filter((grant) => grant.run.id === run.id);
    const kept = own.flatMap(({ claims }) => claims.filter(({ freed }) => freed !== true));
    const keys = [...new Set(kept.map(({ key }) => key.text))];
    if (head === null) this.#rows.clear(run, lease.token);
    else {
      this.#rows.leaveAll(run, lease.token);
      for (const grant of own)
        this.#rows.mark({
          ...grant,
          claims: grant.claims.map((claim) => ({ ...claim, released: true, freed: true })),
        });
      if (keys.length > 0) this.#rows.free(run, now(), { ...said, keys });
    }
    leases.release(run.id, lease);
    return keys;
  }

  #ownOf(name: string): Writer | null {
    return [...this.#host.writers].find(({ run }) => run.name === name) ?? null;
  }
}

type Listing = Pick<Host, 'leases'>;

/** The claims and the calls in line, as a file has them. */
function boarded(rows: ClaimRows, { leases }: Listing): { board: ClaimBoard; places: readonly Place[] } {
  const board = new ClaimBoard();
  for (const { run, claims } of rows.grants()) board.hold(run.name, claims);
  const places = rows.places().filter(({ run, token }) => leases.isHeld(run.id, token));
  for (const { id, run, wanted } of places) board.wait({ id, run: run.name, wanted });
  return { board, places };
}

/** The claims of a file, inside a transaction. */
export function listed(rows: ClaimRows, listing: Listing): ClaimsListed {
  const { board, places } = boarded(rows, listing);
  const held = new Map<string, ClaimsListed['held'][number]>();
  for (const { run, epoch, time, claims } of rows.grants())
    for (const { key, passed, freed, ...how } of claims)
      if (freed !== true)
        held.set(`${run.id} ${key.text}`, {
          run: run.name,
          key: key.text,
          ...how,
          ...(passed && { passed: passed.run }),
          epoch,
          since: time,
        });
  const waiting = board.line.map((call, index) => {
    const wanted = call.wanted.map(({ key, shared }) => ({ key: key.text, shared }));
    return { run: call.run, wanted, since: places[index]?.time ?? 0, waitsFor: board.waitsFor(call) };
  });
  return { held: [...held.values()].sort((a, b) => a.epoch - b.epoch), waiting, freed: rows.freed() };
}
