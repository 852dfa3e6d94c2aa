/**
 * The way to the database: a pool, and statements that are each a transaction of their own. No statement is prepared under a name
 * and none sets anything of its session.
 */
import pg from 'pg';
import { PROCESS } from '../../clock/clock.ts';
import { JournalError } from '../journal.ts';
import { type Doing, failingOf, named, stateOf } from './errors.ts';
import { type Migration, migration, within } from './schema.ts';

/** The part of a pool of `pg` that a store needs. */
export interface PostgresPool {
  /** Runs a statement, or without values several at once. */
  query(text: string, values?: unknown[]): Promise<{ readonly rows: readonly unknown[] }>;
  /** Closes its connections. */
  end(): Promise<void>;
}

/** Settings of the way to a database. */
export interface Way {
  readonly address: string | undefined;
  readonly schema: string;
  readonly pool: PostgresPool | undefined;
  readonly connections: number;
  readonly connectMs: number;
  readonly queryMs: number;
  /** The time for which a statement that writes is sent again: a server that starts again is waited for. */
  readonly patienceMs: number;
  readonly migrate: boolean;
  readonly migrations: readonly Migration[];
}

type Row = Readonly<Record<string, unknown>>;

/** The tries of a statement that reads, and the pause between two, which grows, in milliseconds. */
const TRIES = 4;
const PAUSE = 50;
const LONGEST_PAUSE = 1_000;

/** One database, as a store sees it. */
export class Database {
  /** Names it in messages, without user and password. */
  readonly where: string;
  readonly #way: Way;
  readonly #pool: PostgresPool;
  readonly #secrets: readonly string[];
  #identity: Promise<Buffer> | null = null;
  /** The connection that listens. */
  #ears: pg.Client | null = null;

  constructor(way: Way) {
    this.#way = way;
    const settings = settingsOf(way);
    const { label, secrets } = way.pool === undefined ? described(settings) : { label: 'postgres', secrets: [] };
    this.#secrets = secrets;
    this.where = `${label} (schema ${JSON.stringify(way.schema)})`;
    this.#pool = way.pool ?? poolOf(settings, way);
  }

  /** The nonce of the store, which is checked, and made or migrated where that is allowed. */
  identity(): Promise<Buffer> {
    this.#identity ??= this.#checked().catch((error: unknown) => {
      this.#identity = null;
      throw error;
    });
    return this.#identity;
  }

  /** Runs a statement that is safe to send again: the second time, it reads or does the same. */
  async ask(doing: Doing, text: string, values: unknown[] = []): Promise<readonly Row[]> {
    const patience = performance.now() + (doing === 'write' ? this.#way.patienceMs : 0);
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.once(text, values);
      } catch (error) {
        const isLast = tries >= TRIES && performance.now() > patience;
        if (isLast || failingOf(error) === 'refused') throw this.named(doing, error);
        await PROCESS.pause(Math.min(PAUSE * tries, LONGEST_PAUSE));
      }
    }
  }

  /** Runs a statement, and throws the error of the driver as it is. */
  async once(text: string, values: unknown[]): Promise<readonly Row[]> {
    const { rows } = await this.#pool.query(within(this.#way.schema, text), values);
    return rows as readonly Row[];
  }

  named(doing: Doing, error: unknown): JournalError {
    return named(this.where, doing, error, this.#secrets);
  }

  /**
   * Listens on a channel, on a connection of its own; not where the program gave a pool.
   * @param lost told once where that ends or never began.
   */
  async listen(channel: string, told: () => void, lost: () => void): Promise<void> {
    if (this.#way.pool !== undefined || this.#ears !== null) return;
    const client = new pg.Client({ ...settingsOf(this.#way), application_name: 'belay' });
    this.#ears = client;
    const gone = () => {
      if (this.#ears !== client) return;
      this.#ears = null;
      void client.end().catch(() => {});
      lost();
    };
    client.on('error', gone).on('end', gone).on('notification', told);
    try {
      await client.connect();
      // A process may end while it listens.
      (client as unknown as { unref(): void }).unref();
      await client.query(`LISTEN ${channel}`);
    } catch {
      gone();
    }
  }

  async end(): Promise<void> {
    const ears = this.#ears;
    this.#ears = null;
    await ears?.end().catch(() => {});
    if (this.#way.pool === undefined) await this.#pool.end();
  }

  async #checked(): Promise<Buffer> {
    try {
      let found = await this.#found();
      for (let next = this.#after(found.format); next !== undefined; next = this.#after(found.format)) {
        if (!this.#way.migrate) {
          const what = found.format === null ? 'has no tables of Belay' : `has tables of format ${found.format}`;
          const mend = 'Run: belay store migrate --store ADDRESS';
          throw new JournalError('journal_cannot_read', `${this.where} ${what}. ${mend}`);
        }
        await this.#migrated(found.format, next);
        found = await this.#found();
      }
      return found.identity;
    } catch (error) {
      throw this.named('read', error);
    }
  }

  /** The step that is next in a store of a format; undefined where it has the present one. */
  #after(format: number | null): Migration | undefined {
    return this.#way.migrations.find(({ to }) => format === null || to > format);
  }

  /** The format of the store, null where there is none. */
  async #found(): Promise<{ format: number | null; identity: Buffer }> {
    const { schema, migrations } = this.#way;
    const [there] = await this.once('SELECT to_regclass($1) AS store', [`"${schema.replaceAll('"', '""')}".store`]);
    if (there?.store == null) return { format: null, identity: Buffer.alloc(0) };
    const [row] = await this.once('SELECT format, identity FROM belay.store', []).catch((error: unknown) => {
      throw stateOf(error) === '42703' ? this.#notOurs('a table "store" of another form') : error;
    });
    const { format, identity } = row ?? {};
    if (!Number.isSafeInteger(format) || !Buffer.isBuffer(identity))
      throw this.#notOurs('a table "store" without a format');
    if (!migrations.some(({ to }) => to === format))
      throw this.#notOurs(`tables of format ${format}, and this Belay has format ${migrations.at(-1)?.to}`);
    return { format: format as number, identity };
  }

  async #migrated(from: number | null, step: Migration): Promise<void> {
    try {
      await this.#pool.query(migration(this.#way.schema, from, step));
    } catch (error) {
      // Another process was first, or a table of that name is there that is none of ours: looking again tells.
      const state = stateOf(error);
      if (state === 'BE002' || state === '42P06' || state === '23505') return;
      if (state !== '42P07' && state !== '42701' && state !== '42723' && state !== '42710') throw error;
      if ((await this.#found()).format === from) throw this.#notOurs((error as Error).message);
    }
  }

  #notOurs(what: string): JournalError {
    return new JournalError(
      'journal_not_ours',
      `${this.where} has ${what}. Name another schema; this was left as it is.`,
    );
  }
}

function settingsOf({ address, connectMs }: Way) {
  return {
    ...(address !== undefined && { connectionString: address }),
    connectionTimeoutMillis: connectMs,
    keepAlive: true,
  };
}

function poolOf(settings: ReturnType<typeof settingsOf>, way: Way): PostgresPool {
  const pool = new pg.Pool({
    ...settings,
    max: way.connections,
    query_timeout: way.queryMs,
    // A process ends while its connections are idle.
    allowExitOnIdle: true,
    application_name: 'belay',
  });
  // An idle connection that breaks is replaced; the next statement says what is wrong.
  pool.on('error', () => {});
  return pool;
}

/** The place of a database in words, and what no message may hold. */
function described(settings: { readonly connectionString?: string }): { label: string; secrets: readonly string[] } {
  try {
    const { host, port, database, password } = new pg.Client(settings);
    const at = host.startsWith('/') ? host : `${host}:${port}`;
    const secrets = typeof password === 'string' ? [password, encodeURIComponent(password)] : [];
    return { label: `postgres ${at}/${database ?? ''}`, secrets };
  } catch {
    const form = 'postgres://USER:PASSWORD@HOST:PORT/DATABASE';
    throw new JournalError(
      'journal_cannot_read',
      `The address of the database cannot be read. It has the form ${form}.`,
    );
  }
}
