/**
 * One writer per run (J1): a heartbeat for the worker, which is this store, and a fence of token and nonce for each run. The
 * nonce is needed beside the token, because a server that lost commits in a failover can grant a token twice. Whether a worker
 * lives is decided by the clock of the database alone.
 */
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { JournalError, type OpenMode } from '../journal.ts';
import { type Holder, isGoneAnywhere, thisProcess } from '../lease/holder.ts';
import { wrongRun } from '../rows.ts';
import type { Rest } from '../work.ts';
import type { Database } from './database.ts';
import { corrupt, type Doing } from './errors.ts';
import { type Run, whole } from './tables.ts';

/** A fence that was taken. The writer of a run is the worker with the newest one. */
export interface Fence {
  readonly run: Run;
  readonly token: number;
  readonly nonce: string;
  /** @see Journal.overtaken */
  readonly overtaken: number;
}

const BEAT = 'SELECT belay.beat($1, $2, $3)';
const TAKE =
  'SELECT refusal, holder, remaining, o_id, o_token, o_overtaken, o_from, o_before FROM belay.take($1, $2, $3, $4, $5)';
const GONE = 'UPDATE belay.run SET overtaken = $4 WHERE id = $1 AND token = $2 AND nonce = $3';
const RELEASE = 'SELECT belay.rest($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)';
const HELD = `SELECT r.id, r.posts FROM belay.run r
  JOIN unnest($1::bigint[], $2::bigint[], $3::uuid[]) AS f (id, token, nonce)
  ON r.id = f.id AND r.token = f.token AND r.nonce = f.nonce`;
/** Workers that are long gone, and have no run, are forgotten. */
const FORGET = `DELETE FROM belay.worker w WHERE w.expires < clock_timestamp() - interval '1 day'
  AND NOT EXISTS (SELECT FROM belay.run r WHERE r.worker = w.id)`;
const LEAVE = 'DELETE FROM belay.worker WHERE id = $1 AND NOT EXISTS (SELECT FROM belay.run WHERE worker = $1)';

export class Leases {
  readonly #database: Database;
  readonly #worker = randomUUID();
  readonly #name: string;
  readonly #here = thisProcess();
  readonly #duration: number;
  #beaten = Number.NEGATIVE_INFINITY;
  #beatenAt = Number.NEGATIVE_INFINITY;

  constructor(database: Database, name: string | undefined, duration: number) {
    this.#database = database;
    this.#name = name ?? `${hostname()} pid ${process.pid}`;
    this.#duration = duration;
  }

  /** True where the worker has to be heard of again, by the time since it was. */
  get isDue(): boolean {
    return performance.now() - this.#beaten > this.#duration / 4;
  }

  /**
   * True where half of the time is over after which others may take its runs. Both clocks are asked: one stands still while a machine sleeps, the other
   * can be set.
   */
  get isOld(): boolean {
    const half = this.#duration / 2;
    const gone = Date.now() - this.#beatenAt;
    return performance.now() - this.#beaten > half || gone > half || gone < 0;
  }

  /** Says that this worker lives. */
  async beat(): Promise<void> {
    const from = performance.now();
    const at = Date.now();
    await this.#database.ask('write', BEAT, [this.#worker, this.#name, this.#duration]);
    this.#beaten = from;
    this.#beatenAt = at;
  }

  /** Takes a run. @throws JournalError `run_unknown`, `run_exists`, `lease_held`. */
  async take(name: string, mode: OpenMode): Promise<Fence> {
    if (this.#beaten === Number.NEGATIVE_INFINITY) await this.#database.ask('write', FORGET);
    await this.beat();
    const nonce = randomUUID();
    const process = JSON.stringify(this.#here);
    const [row] = await this.#database.ask('write', TAKE, [name, mode, this.#worker, nonce, process]);
    const { refusal, holder, remaining, o_id, o_token, o_overtaken, o_from, o_before } = row ?? {};
    if (refusal === 'run_unknown' || refusal === 'run_exists') throw wrongRun(refusal, name);
    if (refusal === 'lease_held') throw held(name, String(holder), whole(remaining) ?? 0);
    const [id, token, overtaken] = [whole(o_id), whole(o_token), whole(o_overtaken)];
    if (id === null || token === null || overtaken === null)
      throw corrupt(this.#database.where, name, 0, 'its row has no form');
    const taken = { run: { id, name }, token, nonce };
    const before = whole(o_before);
    if (before === null || !this.#isGone(o_from)) return { ...taken, overtaken };
    await this.#database.ask('write', GONE, [id, token, nonce, before]);
    return { ...taken, overtaken: before };
  }

  /** True where a process that stood in the row of a worker is known to be gone. */
  #isGone(process: unknown): boolean {
    const holder = holderIn(process);
    return holder !== null && isGoneAnywhere(holder, this.#here);
  }

  /**
   * The numbers of messages of those runs that are still under their fence, by the run's id.
   * @param doing `write` waits for a server that is away, as an append does.
   */
  async held(fences: readonly Fence[], doing: Doing = 'read'): Promise<ReadonlyMap<number, number>> {
    const values = [
      fences.map(({ run }) => run.id),
      fences.map(({ token }) => token),
      fences.map(({ nonce }) => nonce),
    ];
    const rows = await this.#database.ask(doing, HELD, values);
    return new Map(rows.map(({ id, posts }) => [Number(id), whole(posts) ?? 0]));
  }

  /** Gives a run back; sent again it changes nothing. @param rest when it can go on, where that is known. */
  async release({ run, token, nonce }: Fence, rest?: Rest): Promise<void> {
    const { due = null, heard = 0, ended = false, digests = null, threw = null, output = null } = rest ?? {};
    const told: unknown[] = [rest !== undefined, due, heard, ended, digests?.machine ?? null, digests?.config ?? null];
    told.push(output === null ? null : Buffer.from(output, 'utf8'), threw?.map((each) => JSON.stringify(each)) ?? null);
    await this.#database.ask('write', RELEASE, [run.id, token, nonce, ...told]);
  }

  /** Takes the worker off the list. */
  async leave(): Promise<void> {
    if (this.#beaten !== Number.NEGATIVE_INFINITY) await this.#database.once(LEAVE, [this.#worker]);
  }
}

/** A process as its worker has named it; null where it has not, or in no such form. */
function holderIn(process: unknown): Holder | null {
  if (typeof process !== 'string') return null;
  try {
    const { host, pid, started } = (JSON.parse(process) ?? {}) as Partial<Record<keyof Holder, unknown>>;
    const isStart = started === null || typeof started === 'string';
    const isNamed = typeof host === 'string' && Number.isSafeInteger(pid) && (pid as number) > 0;
    return isNamed && isStart ? { host, pid: pid as number, started } : null;
  } catch {
    return null;
  }
}

/** The error of a run that another worker has. */
export function held(name: string, holder: string, remaining: number): JournalError {
  const seconds = Math.max(1, Math.ceil(remaining / 1_000));
  const what = `Run ${JSON.stringify(name)} is held by ${holder}`;
  return new JournalError(
    'lease_held',
    `${what}. End it there, or wait: it is free ${seconds} s after that worker was last heard of.`,
  );
}
