/**
 * The store in PostgreSQL: journals of many machines in one schema of a database. Every statement is a transaction of
 * its own, and connections are made when the first is asked.
 */

import { randomUUID } from 'node:crypto';
import { type Alarm, PROCESS } from '../../clock/clock.ts';
import {
  CODE,
  FLAG,
  having,
  listOf,
  NUMBER,
  OBJECT,
  optional,
  refuseOther,
  shape,
  TEXT,
} from '../../model/argument.ts';
import {
  type Base,
  type Journal,
  JournalError,
  type JournalStore,
  type OpenMode,
  type Posted,
  type RunSummary,
  type RunsFilter,
  type SeenRun,
  type StoredRow,
} from '../journal.ts';
import { checkRoom, isEventMessage, POSTS_LIMIT, postBytes } from '../posts.ts';
import { checkLimit, checkRunName, isRunName, wrongRun } from '../rows.ts';
import { postgresPlace } from './address.ts';
import { Bases } from './bases/bases.ts';
import { PostgresClaims } from './claims.ts';
import { Commits, confirmed, lost } from './commits.ts';
import { Database, type PostgresPool } from './database.ts';
import { deleteRun } from './deleting.ts';
import { type Host, PostgresJournal } from './journal.ts';
import { Leases } from './leases.ts';
import { PostgresNotices } from './notices.ts';
import { PostgresPools } from './pools.ts';
import { posted } from './posting.ts';
import { PostgresSandboxes } from './sandboxes.ts';
import { MIGRATIONS, type Migration } from './schema.ts';
import { Tables } from './tables.ts';
import { PostgresWork } from './work.ts';
import { fail, type Writer, writerOf } from './writer.ts';

export type { PostgresPool };

/** Options of a store in PostgreSQL; the defaults suit normal use. Times are in milliseconds. */
export interface PostgresOptions {
  /**
   * `postgres://USER:PASSWORD@HOST:PORT/DATABASE?schema=SCHEMA`; what it leaves out, the variables PGHOST, PGUSER and
   * so on say.
   */
  readonly address?: string;
  /** The schema of its tables; the one in the address, else `belay`. */
  readonly schema?: string;
  /** A pool of `pg` that the program has already; the store does not close it. */
  readonly pool?: PostgresPool;
  /** The most connections of the store's own pool; 4. */
  readonly connections?: number;
  /**
   * False to refuse a schema without tables, or with tables of an older format, instead of making or migrating them.
   */
  readonly migrate?: boolean;
  /** The name of this worker in the messages to waiting runs; by default the host and the process. */
  readonly name?: string;
  /** The time after which others may take the runs of a worker that is not heard of; 30,000. */
  readonly leaseMs?: number;
  /** The time between two looks for messages; 1,000. */
  readonly pollMs?: number;
  /** The longest time that appended rows wait which no caller waits for; 50. */
  readonly delayMs?: number;
  /** The time for a connection; 5,000. */
  readonly connectMs?: number;
  /** The time for an answer, after which a statement is sent again; 15,000. */
  readonly queryMs?: number;
  /** The time for which what writes is sent again while its answer stays out; 60,000. */
  readonly patienceMs?: number;
  /** The wall clock of rows and messages, in milliseconds. Leases go by the clock of the database. */
  readonly now?: () => number;
  /** For tests: the formats that exist. */
  readonly migrations?: readonly Migration[];
}

/**
 * A store in a PostgreSQL database, for runs on many machines. Needs the package `pg`.
 * @throws JournalError `journal_cannot_read` for an address that has no form, and where address and options name two
 * schemas.
 * @example
 * import { postgresStore } from 'belay-sidecar/postgres';
 *
 * const store = postgresStore('postgres://belay@127.0.0.1:1/nowhere');
 * await assert.rejects(async () => store.runs(), { code: 'journal_cannot_read' }); // no server listens there
 * await store.close();
 */
export function postgresStore(given: string | PostgresOptions = {}): JournalStore {
  const options = typeof given === 'string' ? { address: given } : given;
  refuseOther('postgresStore', { options: [options, POSTGRES_OPTIONS] });
  return new PostgresStore(options);
}

/** The options, as they are held against what is given. */
const POSTGRES_OPTIONS = shape<PostgresOptions>('an address, or an object', {
  address: optional(TEXT),
  schema: optional(TEXT),
  pool: optional(having('a pool of pg', 'query')),
  connections: optional(NUMBER),
  migrate: optional(FLAG),
  name: optional(TEXT),
  leaseMs: optional(NUMBER),
  pollMs: optional(NUMBER),
  delayMs: optional(NUMBER),
  connectMs: optional(NUMBER),
  queryMs: optional(NUMBER),
  patienceMs: optional(NUMBER),
  now: optional(CODE),
  migrations: optional(listOf(OBJECT)),
});

class PostgresStore implements JournalStore {
  readonly work: PostgresWork;
  readonly claims: PostgresClaims;
  readonly notices: PostgresNotices;
  readonly pools: PostgresPools;
  readonly sandboxes: PostgresSandboxes;
  readonly #database: Database;
  readonly #tables: Tables;
  readonly #leases: Leases;
  readonly #host: Host;
  readonly #now: () => number;
  readonly #writers = new Set<Writer>();
  readonly #watch: Alarm;
  #isWatching = false;
  #opening = 0;
  #closed = false;

  constructor(options: PostgresOptions) {
    const { leaseMs = 30_000, pollMs = 1_000, now = Date.now } = options;
    const { delayMs = 50, patienceMs = 60_000, connectMs = 5_000, queryMs = 15_000 } = options;
    const { pool, connections = 4, migrate = true, migrations = MIGRATIONS } = options;
    const { address, schema } = postgresPlace(options.address, options.schema);
    this.#now = now;
    const way = { address, schema, pool, connections, connectMs, queryMs, patienceMs, migrate, migrations };
    this.#database = new Database(way);
    this.#tables = new Tables(this.#database);
    const refuse = () => this.#refuseIfClosed();
    this.work = new PostgresWork(this.#database, refuse);
    this.claims = new PostgresClaims(this.#database, schema, this.#writers, refuse);
    this.notices = new PostgresNotices(this.#database, refuse);
    this.pools = new PostgresPools(this.#database, refuse);
    this.sandboxes = new PostgresSandboxes(this.#database, refuse);
    this.#leases = new Leases(this.#database, options.name, leaseMs);
    const onPosts = (writer: Writer, messages: number) => {
      if (messages > writer.posts.length) void this.#hear([writer]).catch(() => {});
    };
    const claim = (writer: Writer) => this.claims.again(writer);
    const bases = new Bases(this.#database);
    const onDurable = (writer: Writer) => bases.offer(writer);
    const commits = new Commits(this.#database, {
      delayMs,
      patienceMs,
      onPosts,
      onDurable,
      onPools: () => this.pools.changed(),
      claim,
    });
    const confirm = (writer: Writer) => (this.#leases.isOld ? confirmed(this.#leases, writer) : null);
    const release: Host['release'] = async (writer, rest) => {
      this.#writers.delete(writer);
      await this.#leases.release(writer, rest);
    };
    const fetchPosts = (writer: Writer) => this.#hear([writer]);
    this.#host = { tables: this.#tables, bases, commits, now, confirm, release, fetchPosts };
    this.#watch = PROCESS.every(Math.max(1, Math.min(pollMs, leaseMs / 4)), () => void this.#look());
  }

  async open(run: string, mode: OpenMode): Promise<Journal> {
    this.#refuseIfClosed();
    checkRunName(run);
    this.#opening += 1;
    try {
      await this.#database.identity();
      const fence = await this.#leases.take(run, mode);
      try {
        const found = await this.#tables.found(run);
        if (found === null) throw wrongRun('run_unknown', run);
        await this.#tables.check(found.run, found.head);
        const writer = writerOf(fence, found.head);
        await this.#hear([writer]);
        this.#writers.add(writer);
        return new PostgresJournal(this.#host, writer);
      } catch (error) {
        await this.#leases.release(fence).catch(() => {});
        throw error;
      }
    } finally {
      this.#opening -= 1;
    }
  }

  async *read(run: string): AsyncGenerator<StoredRow> {
    this.#refuseIfClosed();
    const found = isRunName(run) ? await this.#tables.found(run) : null;
    if (found === null) throw wrongRun('run_unknown', run);
    yield* this.#tables.rows(found.run, 0, found.head);
  }

  async base(run: string): Promise<Base | null> {
    this.#refuseIfClosed();
    const found = isRunName(run) ? await this.#tables.found(run) : null;
    if (found === null) throw wrongRun('run_unknown', run);
    return this.#host.bases.of(found.run, found.head.seq);
  }

  async post(run: string, body: string): Promise<number> {
    this.#refuseIfClosed();
    const bytes = postBytes(body);
    await this.#database.identity();
    const through = isEventMessage(body) ? 'post' : 'operate';
    const number = isRunName(run)
      ? await posted(this.#database, through, [run, this.#now(), randomUUID(), bytes, POSTS_LIMIT])
      : 0;
    if (number === 0) throw wrongRun('run_unknown', run);
    if (number === -1) checkRoom(run, POSTS_LIMIT);
    await this.#hear([...this.#writers].filter((writer) => writer.run.name === run));
    return number;
  }

  async posts(run: string): Promise<readonly Posted[]> {
    this.#refuseIfClosed();
    const posts = isRunName(run) ? await this.#tables.postsOf(run) : null;
    if (posts === null) throw wrongRun('run_unknown', run);
    return posts;
  }

  async delete(run: string, seen: SeenRun): Promise<boolean> {
    this.#refuseIfClosed();
    return deleteRun(this.#database, run, seen);
  }

  async run(name: string): Promise<RunSummary | null> {
    this.#refuseIfClosed();
    return isRunName(name) ? this.#tables.summary(name) : null;
  }

  async runs(filter: RunsFilter = {}): Promise<readonly RunSummary[]> {
    this.#refuseIfClosed();
    checkLimit(filter.limit);
    const { after } = filter;
    const runs = after === undefined || isRunName(after) ? await this.#tables.summaries(filter) : null;
    if (runs === null) throw wrongRun('run_unknown', after ?? '');
    return runs;
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    if (this.#writers.size > 0 || this.#opening > 0) {
      const names = [...this.#writers].map(({ run }) => JSON.stringify(run.name)).join(', ');
      throw new JournalError('lease_held', `${this.#database.where} has open journals. Close them first: ${names}.`);
    }
    this.#closed = true;
    this.#watch.cancel();
    await this.claims.close();
    // What keeps it from saying so keeps nobody waiting: it holds no run.
    await this.#leases.leave().catch(() => {});
    await this.#database.end();
  }

  /** Keeps the leases, hears of messages, and of runs that others have taken. */
  async #look(): Promise<void> {
    const writers = [...this.#writers].filter(({ state }) => state.kind !== 'failed');
    if (this.#isWatching || writers.length === 0) return;
    this.#isWatching = true;
    try {
      if (this.#leases.isDue) await this.#leases.beat();
      const held = await this.#leases.held(writers);
      const open = writers.filter((writer) => this.#writers.has(writer));
      for (const writer of open) if (!held.has(writer.run.id)) fail(writer, lost(writer));
      await this.#hear(open.filter(({ run, posts }) => (held.get(run.id) ?? 0) > posts.length));
    } catch {
      // The next look tries again; an append says what is wrong.
    } finally {
      this.#isWatching = false;
    }
  }

  /** Fetches the messages that writers have not heard of. */
  async #hear(writers: readonly Writer[]): Promise<void> {
    if (writers.length === 0) return;
    const told = await this.#tables.posts(writers.map(({ run, posts }) => ({ run, after: posts.length })));
    for (const writer of writers) {
      // Another look may have been faster.
      for (const post of told.get(writer.run.id) ?? [])
        if (post.number === writer.posts.length + 1) writer.posts.push(post);
    }
  }

  #refuseIfClosed(): void {
    if (!this.#closed) return;
    throw new JournalError('journal_closed', `The store ${this.#database.where} is closed. Open it again.`);
  }
}
