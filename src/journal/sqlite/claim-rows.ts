/** The rows of claims in a file. They are not trusted: every value is checked before it is used. */
import type Database from 'better-sqlite3';
import type { Statement } from 'better-sqlite3';
import { parseKey } from '../../model/key.ts';
import type { Had } from '../claim-board.ts';
import type { Claim, FreedClaims } from '../claims.ts';
import { corrupt } from './errors.ts';
import { claimPlace } from './file/cipher.ts';
import { preparing } from './file/statements.ts';
import type { Run } from './log/run.ts';
import type { Tables } from './log/tables.ts';

/** A grant: claims that a run was given together. */
export interface Grant {
  readonly epoch: number;
  readonly run: Run;
  readonly time: number;
  readonly claims: readonly Had[];
}

/** A call in line, under the lease that it was asked with. */
export interface Place {
  readonly id: string;
  readonly run: Run;
  readonly token: number;
  readonly time: number;
  readonly wanted: readonly Claim[];
}

/** The tables of one file. */
export class ClaimRows {
  readonly #tables: Tables;
  readonly #prepared: (sql: string) => Statement;
  /** The grants that were read before. A grant never changes, except for its released keys. */
  #known = new Map<number, Grant>();

  constructor(db: Database.Database, tables: Tables) {
    this.#prepared = preparing(db);
    this.#tables = tables;
  }

  /** A text that differs once anything was granted, freed, queued or left. */
  state(): string {
    const sql =
      'SELECT (SELECT count(*) FROM claim) AS a, (SELECT count(*) FROM claim_wait) AS b, epoch, place FROM claim_order';
    return JSON.stringify(this.#prepared(sql).get());
  }

  /** The grants, oldest first. */
  grants(): readonly Grant[] {
    const sql =
      'SELECT c.epoch, c.run, r.name, c.time, c.released FROM claim c LEFT JOIN run r ON r.id = c.run ORDER BY c.epoch';
    const known = new Map<number, Grant>();
    const grants: Grant[] = [];
    for (const row of this.#prepared(sql).all()) {
      const { epoch, run, name, time, released } = row as Record<string, unknown>;
      const before = this.#known.get(epoch as number);
      const grant = before ?? {
        epoch: this.#whole(epoch),
        run: this.#run(run, name),
        time: this.#whole(time),
        claims: this.#claims(this.#run(run, name), this.#prepared('SELECT body FROM claim WHERE epoch = ?').get(epoch)),
      };
      known.set(grant.epoch, grant);
      grants.push(released === null ? grant : { ...grant, claims: this.#released(grant, released) });
    }
    this.#known = known;
    return grants;
  }

  /** The calls in line, in its order. */
  places(): readonly Place[] {
    const sql = `SELECT w.id, w.run, r.name, w.token, w.time, w.body FROM claim_wait w LEFT JOIN run r ON r.id = w.run ORDER BY w.place`;
    return this.#prepared(sql)
      .all()
      .map((row) => {
        const { id, run: number, name, token, time } = row as Record<string, unknown>;
        const run = this.#run(number, name);
        if (typeof id !== 'string') throw this.#corrupt(run.name);
        return { id, run, token: this.#whole(token), time: this.#whole(time), wanted: this.#claims(run, row) };
      });
  }

  /** The claims that persons have freed, oldest first. */
  freed(): readonly FreedClaims[] {
    const sql =
      'SELECT f.run, r.name, f.time, f.body FROM claim_freed f LEFT JOIN run r ON r.id = f.run ORDER BY f.number';
    return this.#prepared(sql)
      .all()
      .map((row) => {
        const { run: number, name, time } = row as Record<string, unknown>;
        const run = this.#run(number, name);
        const { by, why = null, keys } = this.#opened(run, row) as { by?: unknown; why?: unknown; keys?: unknown };
        if (
          !(by === null || typeof by === 'string') ||
          !(why === null || typeof why === 'string') ||
          !Array.isArray(keys) ||
          !keys.every((key) => typeof key === 'string')
        )
          throw this.#corrupt(run.name);
        return { run: run.name, by, why, keys, time: this.#whole(time) };
      });
  }

  /** Notes which keys of a grant are released, and whom they were passed on to. */
  mark({ epoch, claims }: Grant): void {
    const of = claims.map(({ released, freed, passed }) => {
      if (released !== true) return null;
      return freed === true ? { ...passed, freed } : (passed ?? true);
    });
    const text = of.every((each) => each === null) ? null : JSON.stringify(of);
    this.#prepared('UPDATE claim SET released = ? WHERE epoch = ?').run(text, epoch);
    this.#prepared('UPDATE claim_order SET place = place + 1').run();
  }

  /** @returns the number of the grant. */
  grant(run: Run, time: number, claims: readonly Claim[]): number {
    this.#prepared('UPDATE claim_order SET epoch = epoch + 1').run();
    this.#prepared('INSERT INTO claim (epoch, run, time, body) SELECT epoch, ?, ?, ? FROM claim_order').run(
      run.id,
      time,
      this.#sealed(run, listed(claims)),
    );
    return this.#whole((this.#prepared('SELECT epoch FROM claim_order').get() as { epoch: unknown }).epoch);
  }

  #released({ claims, run }: Grant, text: unknown): readonly Had[] {
    const of = typeof text === 'string' ? (JSON.parse(text) as unknown) : null;
    if (!Array.isArray(of) || of.length !== claims.length) throw this.#corrupt(run.name);
    return claims.map((claim, index) => {
      const how = of[index] as true | null | { run?: string; epoch?: number; freed?: true };
      if (how === null) return claim;
      if (how === true) return { ...claim, released: true };
      const { run: to, epoch = 0, freed } = how;
      return {
        ...claim,
        released: true,
        ...(freed && { freed }),
        ...(to !== undefined && { passed: { run: to, epoch } }),
      };
    });
  }

  /** Puts a call at the end of the line. Those that an earlier process of its run has left go. */
  stand({ id, run, token, time, wanted }: Place): void {
    this.#prepared('DELETE FROM claim_wait WHERE run = ? AND token <> ?').run(run.id, token);
    this.#prepared('UPDATE claim_order SET place = place + 1').run();
    const sql =
      'INSERT INTO claim_wait (place, id, run, token, time, body) SELECT place, ?, ?, ?, ?, ? FROM claim_order';
    this.#prepared(sql).run(id, run.id, token, time, this.#sealed(run, listed(wanted)));
  }

  /** Takes a call out of the line. @returns true where it stood in it. */
  leave(id: string): boolean {
    return this.#prepared('DELETE FROM claim_wait WHERE id = ?').run(id).changes > 0;
  }

  /** Removes what a run has, and its calls in line that were not asked under a lease. */
  clear(run: Run, token: number): void {
    this.#prepared('DELETE FROM claim WHERE run = ?').run(run.id);
    this.leaveAll(run, token);
  }

  /** Removes the calls in line of a run that were not asked under a lease. */
  leaveAll(run: Run, token: number): void {
    this.#prepared('DELETE FROM claim_wait WHERE run = ? AND token <> ?').run(run.id, token);
  }

  free(run: Run, time: number, said: Pick<FreedClaims, 'by' | 'why' | 'keys'>): void {
    const body = this.#sealed(run, said);
    this.#prepared('INSERT INTO claim_freed (run, time, body) VALUES (?, ?, ?)').run(run.id, time, body);
  }

  #claims(run: Run, row: unknown): readonly Claim[] {
    const list = this.#opened(run, row);
    if (!Array.isArray(list)) throw this.#corrupt(run.name);
    return list.map((each: { key?: unknown; shared?: unknown; from?: unknown } | null) => {
      const { key, shared, from } = each ?? {};
      const isNamed = from === undefined || typeof from === 'string';
      if (typeof key !== 'string' || typeof shared !== 'boolean' || !isNamed) throw this.#corrupt(run.name);
      try {
        return { key: parseKey(key), shared, ...(from !== undefined && { from }) };
      } catch {
        throw this.#corrupt(run.name);
      }
    });
  }

  #opened(run: Run, row: unknown): unknown {
    const { body } = (row ?? {}) as { body?: unknown };
    const opened = Buffer.isBuffer(body) ? this.#tables.cipher.open(claimPlace(run.id), body) : null;
    if (opened === null) throw this.#corrupt(run.name);
    try {
      return JSON.parse(opened.toString('utf8'));
    } catch {
      throw this.#corrupt(run.name);
    }
  }

  #sealed(run: Run, value: unknown): Buffer {
    return this.#tables.cipher.seal(claimPlace(run.id), Buffer.from(JSON.stringify(value), 'utf8'));
  }

  #run(id: unknown, name: unknown): Run {
    if (typeof name !== 'string') throw this.#corrupt(`number ${id}`);
    return { id: this.#whole(id), name };
  }

  #whole(value: unknown): number {
    if (!Number.isSafeInteger(value)) throw this.#corrupt('');
    return value as number;
  }

  #corrupt(run: string) {
    return corrupt(this.#tables.path, run, 0, 'one of its claims has no form');
  }
}

function listed(claims: readonly Claim[]): unknown {
  return claims.map(({ key, ...how }) => ({ key: key.text, ...how }));
}
