/**
 * The claims of the runs of a database. A call that meets no other claim is granted in one statement. Other calls are
 * judged in this process, from the rows that one statement read at one moment; the result is saved if `line` is
 * unchanged since. Only the clock of the database says which calls in line have a living process.
 */
import { createHash } from 'node:crypto';
import { type Key, parseKey } from '../../model/key.ts';
import type { PassedOn } from '../../model/passed-on.ts';
import { ClaimBoard, changesNothing, type Settled } from '../claim-board.ts';
import {
  type Claim,
  type ClaimAnswer,
  type ClaimCall,
  type ClaimDesk,
  type ClaimsListed,
  Freed,
  type FreedClaims,
} from '../claims.ts';
import { wrongRun } from '../rows.ts';
import { claimsListed, LIST } from './claim-list.ts';
import type { Database } from './database.ts';
import { corrupt } from './errors.ts';
import { held } from './leases.ts';
import { whole } from './tables.ts';
import type { Writer } from './writer.ts';

const TAKE = 'SELECT belay.claim_take($1, $2, $3, $4) AS answer';
const SETTLE = 'SELECT belay.claim_settle($1, $2, $3, $4, $5) AS kept';
const LEAVE = 'SELECT belay.claim_leave($1, $2)';
const RELEASE = 'SELECT belay.claim_release($1, $2, $3, $4)';
const LET_GO = 'SELECT belay.claim_let_go($1, $2, $3, $4, $5)';
const TAKE_BACK = 'SELECT key, run, epoch FROM belay.claim_take_back($1, $2, $3)';
const FREE = 'SELECT refusal, holder, remaining, keys FROM belay.claim_free($1, $2, $3, $4, $5)';
const FREED =
  'SELECT c.key FROM belay.claim c JOIN belay.run r ON r.id = c.run WHERE r.name = $1 AND c.freed ORDER BY c.key';
/**
 * Reads at one moment: the line, the claims that its calls and the asking calls meet, and the runs that are still
 * fenced.
 */
const SEEN = `WITH line AS (
    SELECT q.place, q.id, r.name, q.wanted FROM belay.claim_wait q
    JOIN belay.run r ON r.id = q.run AND r.token = q.token
    JOIN belay.worker k ON k.id = r.worker AND k.expires > clock_timestamp()
  ), wanted AS (
    SELECT w.* FROM (SELECT wanted FROM line UNION ALL SELECT $1::jsonb) s,
      jsonb_to_recordset(s.wanted) AS w (segs text[], prefix text, above text[], past text)
  ), met AS (
    SELECT DISTINCT c.run, c.key, c.shared, c.owner, c.epoch FROM wanted w JOIN belay.claim c
    ON (c.prefix = ANY (w.above) OR (c.prefix >= w.prefix AND (w.past IS NULL OR c.prefix < w.past)))
      AND belay.claim_meets(c.segs, w.segs) AND NOT c.released
  )
  SELECT o.line,
    (SELECT jsonb_agg(jsonb_build_object('run', r.name, 'key', m.key, 'shared', m.shared, 'from', m.owner) ORDER BY m.epoch, m.key)
      FROM met m JOIN belay.run r ON r.id = m.run) AS held,
    (SELECT jsonb_agg(jsonb_build_object('id', id, 'run', name, 'wanted', wanted) ORDER BY place) FROM line) AS waiting,
    (SELECT jsonb_agg(r.name) FROM unnest($2::bigint[], $3::bigint[], $4::uuid[]) AS f (id, token, nonce)
      JOIN belay.run r ON r.id = f.id AND r.token = f.token AND r.nonce = f.nonce) AS own
  FROM belay.claim_order o`;

/** The claims of one store. */
export class PostgresClaims implements ClaimDesk {
  readonly pollMs = 1_000;
  readonly #database: Database;
  readonly #writers: ReadonlySet<Writer>;
  readonly #refuseIfClosed: () => void;
  readonly #channel: string;
  readonly #freed = new Freed();
  /** The claims that this store knows of each run: a run loses no claim while its fence holds. */
  readonly #known = new WeakMap<Writer, Map<string, Claim>>();
  /** The calls that this store has put in line. */
  readonly #lined = new Set<string>();
  /** The statements under way that no run awaits. */
  readonly #leaving = new Set<Promise<void>>();
  #hears = false;

  constructor(database: Database, schema: string, writers: ReadonlySet<Writer>, refuseIfClosed: () => void) {
    this.#database = database;
    this.#writers = writers;
    this.#refuseIfClosed = refuseIfClosed;
    this.#channel = `belay_claims_${createHash('sha256').update(schema).digest('hex').slice(0, 16)}`;
  }

  async ask(calls: readonly ClaimCall[]): Promise<readonly ClaimAnswer[]> {
    this.#refuseIfClosed();
    await this.#database.identity();
    const [one] = calls;
    if (one !== undefined && calls.length === 1 && !this.#lined.has(one.id)) {
      const taken = await this.#taken(one);
      if (taken !== null) return [taken];
    }
    const { answers, granted, gone } = await this.#judged(calls);
    for (const [index, { id }] of calls.entries())
      if (answers[index]?.is === 'waits') this.#lined.add(id);
      else this.#lined.delete(id);
    if (this.#lined.size > 0) this.#listen();
    if (granted.length > 0 || gone.length > 0) this.#freed.tell();
    return answers;
  }

  async leave(calls: readonly ClaimCall[]): Promise<void> {
    this.#refuseIfClosed();
    const ids = calls.map(({ id }) => id);
    for (const id of ids) this.#lined.delete(id);
    const left = this.#database.ask('write', LEAVE, [ids, this.#channel]).then(() => this.#freed.tell());
    this.#leaving.add(left);
    await left.finally(() => this.#leaving.delete(left));
  }

  async release(run: string): Promise<void> {
    this.#refuseIfClosed();
    const writer = this.#writerOf(run);
    if (writer === null) return void (await this.#free(run, null, { by: null, why: null }));
    this.#known.delete(writer);
    await this.#database.ask('write', RELEASE, [writer.run.id, writer.token, writer.nonce, this.#channel]);
    this.#freed.tell();
  }

  async letGo(run: string, keys: readonly string[]): Promise<void> {
    this.#refuseIfClosed();
    const writer = this.#writerOf(run);
    if (writer === null) return;
    for (const key of keys) this.#known.get(writer)?.delete(key);
    await this.#database.ask('write', LET_GO, [writer.run.id, writer.token, writer.nonce, keys, this.#channel]);
    this.#freed.tell();
  }

  async takeBack(run: string): Promise<readonly PassedOn[]> {
    this.#refuseIfClosed();
    const writer = this.#writerOf(run);
    if (writer === null) return [];
    const rows = await this.#database.ask('write', TAKE_BACK, [writer.run.id, writer.token, writer.nonce]);
    return rows.map(({ key, run: to, epoch }) => ({ key: String(key), run: String(to), epoch: whole(epoch) ?? 0 }));
  }

  async free(
    run: string,
    head: number,
    by: string | null,
    why: string | null = null,
  ): Promise<readonly string[] | null> {
    return this.#free(run, head, { by, why });
  }

  async freed(run: string): Promise<readonly string[]> {
    this.#refuseIfClosed();
    const rows = await this.#database.ask('read', FREED, [run]);
    return rows.map(({ key }) => String(key));
  }

  async list(): Promise<ClaimsListed> {
    this.#refuseIfClosed();
    await this.#database.identity();
    const [row] = await this.#database.ask('read', LIST);
    return claimsListed(row ?? {}, this.#database.where);
  }

  /**
   * Claims a run's known keys again: a failover may have lost them.
   * @returns false if another run has one of them by now.
   */
  async again(writer: Writer): Promise<boolean> {
    const known = [...(this.#known.get(writer)?.values() ?? [])];
    if (known.length === 0) return true;
    const [row] = await this.#database.ask('write', TAKE, [writer.run.id, writer.token, writer.nonce, wantedOf(known)]);
    return row?.answer === 'held';
  }

  onFreed(listener: () => void): () => void {
    return this.#freed.onFreed(listener);
  }

  /** Waits for the statements under way. */
  async close(): Promise<void> {
    await Promise.allSettled([...this.#leaving]);
  }

  /** Grants a call that meets no other claim. @returns null if it meets one. */
  async #taken(call: ClaimCall): Promise<ClaimAnswer | null> {
    const writer = this.#writerOf(call.run);
    if (writer === null) return { is: 'lost' };
    const known = this.#known.get(writer) ?? new Map<string, Claim>();
    const has = ({ key, shared }: Claim) => known.get(key.text)?.shared === false || (shared && known.has(key.text));
    if (call.wanted.every(has)) return { is: 'held' };
    const values = [writer.run.id, writer.token, writer.nonce, wantedOf(call.wanted)];
    const [row] = await this.#database.ask('write', TAKE, values);
    if (row?.answer === 'lost') return { is: 'lost' };
    if (row?.answer !== 'held') return null;
    for (const claim of call.wanted) {
      const before = known.get(claim.key.text);
      known.set(claim.key.text, { ...before, ...claim, shared: claim.shared && before?.shared !== false });
    }
    this.#known.set(writer, known);
    return { is: 'held' };
  }

  async #judged(calls: readonly ClaimCall[]): Promise<Settled> {
    for (;;) {
      const { board, line, own } = await this.#seen(calls);
      const settled = board.settle(calls, (run) => own.has(run));
      if (changesNothing(settled)) return settled;
      const fenced = ({ run }: ClaimCall) => {
        const { run: kept, token, nonce } = this.#writerOf(run) as Writer;
        return { run: kept.id, token, nonce };
      };
      const granted = settled.granted.map(({ call, claims }) => ({ ...fenced(call), wanted: rowsOf(claims) }));
      const queued = settled.queued.map((call) => ({ ...fenced(call), id: call.id, wanted: rowsOf(call.wanted) }));
      const values = [line, JSON.stringify(granted), JSON.stringify(queued), settled.gone, this.#channel];
      const [row] = await this.#database.ask('write', SETTLE, values);
      if (row?.kept === true) return settled;
    }
  }

  async #seen(calls: readonly ClaimCall[]) {
    const writers = calls.flatMap(({ run }) => this.#writerOf(run) ?? []);
    const fences = [
      writers.map(({ run }) => run.id),
      writers.map(({ token }) => token),
      writers.map(({ nonce }) => nonce),
    ];
    const [row] = await this.#database.ask('read', SEEN, [wantedOf(calls.flatMap(({ wanted }) => wanted)), ...fences]);
    const line = whole(row?.line);
    if (line === null) throw corrupt(this.#database.where, '', 0, 'the order of its claims is gone');
    const board = new ClaimBoard();
    for (const { run, ...claim } of (row?.held ?? []) as StoredClaim[]) board.hold(run, [claimOf(claim)]);
    for (const { id, run, wanted } of (row?.waiting ?? []) as StoredCall[])
      board.wait({ id, run, wanted: wanted.map(claimOf) });
    // A run that was closed meanwhile has no fence to ask under.
    const open = new Set(((row?.own ?? []) as string[]).filter((run) => this.#writerOf(run) !== null));
    return { board, line, own: open };
  }

  async #free(
    run: string,
    head: number | null,
    { by, why }: Pick<FreedClaims, 'by' | 'why'>,
  ): Promise<readonly string[] | null> {
    this.#refuseIfClosed();
    await this.#database.identity();
    const [row] = await this.#database.ask('write', FREE, [run, head, by, why, this.#channel]);
    const { refusal, holder, remaining, keys } = row ?? {};
    if (refusal === 'run_unknown') throw wrongRun('run_unknown', run);
    if (refusal === 'lease_held') throw held(run, String(holder), whole(remaining) ?? 0);
    this.#freed.tell();
    return refusal === 'moved' ? null : (keys as string[]);
  }

  #writerOf(name: string): Writer | null {
    return [...this.#writers].find(({ run, state }) => run.name === name && state.kind !== 'failed') ?? null;
  }

  /** Listens for keys that other processes release. Behind a pooler no notice may come: then waiting calls poll. */
  #listen(): void {
    if (this.#hears) return;
    this.#hears = true;
    const lost = () => {
      this.#hears = false;
    };
    void this.#database.listen(this.#channel, () => this.#freed.tell(), lost);
  }
}

interface StoredClaim {
  readonly run: string;
  readonly key: string;
  readonly shared: boolean;
  readonly from?: string;
}

interface StoredCall {
  readonly id: string;
  readonly run: string;
  readonly wanted: readonly Omit<StoredClaim, 'run'>[];
}

function claimOf({ key, ...how }: Omit<StoredClaim, 'run'>): Claim {
  return { ...how, key: parseKey(key) };
}

function wantedOf(wanted: readonly Claim[]): string {
  return JSON.stringify(rowsOf(wanted));
}

function rowsOf(wanted: readonly Claim[]): object[] {
  return wanted.map(({ key, ...how }) => ({ key: key.text, ...how, segs: key.segments, ...ranges(key) }));
}

/**
 * The keys that may overlap with a key, by its path before the first star. `above`: that path and the paths above it;
 * the paths below it lie from `prefix` to before `past`.
 */
function ranges({ segments }: Key): { prefix: string; above: string[]; past: string | null } {
  const star = segments.indexOf('*');
  const path = star === -1 ? segments : segments.slice(0, star);
  const above = Array.from({ length: path.length + 1 }, (_, depth) =>
    path
      .slice(0, depth)
      .map((each) => `${each}/`)
      .join(''),
  );
  const prefix = above.at(-1) as string;
  // A slash ends each prefix, and "0" is the character behind it.
  return { prefix, above, past: prefix === '' ? null : `${prefix.slice(0, -1)}0` };
}
