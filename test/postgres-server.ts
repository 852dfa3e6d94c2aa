/**
 * A PostgreSQL server for tests: the one that BELAY_TEST_POSTGRES names (`none` for none), or one of this process on a free port of the loopback, from the
 * binaries of this machine, in a folder that goes with it. Servers refuse to run as root, so that root starts it as another user.
 */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { HANG } from './poll.ts';

/** The password of the user of the tests' own server. */
export const PASSWORD = 'a very s3cret/p@ss';
const USER = 'belay';
const NOBODY = 65_534;

/** A server that runs. */
export interface Server {
  /** The address of a database in it, through another port if need be. */
  address(port?: number): string;
  readonly port: number;
  /** Tells if it is of this process, which may then kill it. */
  readonly own: boolean;
  /** Runs a statement as its owner. */
  query(text: string, values?: unknown[]): Promise<pg.QueryResult>;
  /** Ends it as a power cut would, and starts it again. */
  crash(): Promise<void>;
  /** Makes a copy of it that follows no more, as a standby does that lags. */
  copy(): Promise<void>;
  /** Ends it as a power cut would, and starts its copy in its place. */
  failOver(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts a server; null, and a line that nobody overlooks, where this machine has none. */
export async function startServer(settings: readonly string[] = []): Promise<Server | null> {
  const given = process.env.BELAY_TEST_POSTGRES;
  if (given !== undefined && given !== '' && given !== 'none') return serverAt(given);
  const bin = given === 'none' ? null : binaries();
  if (bin === null) {
    console.warn(
      'SKIPPED: PostgreSQL is not tested here. Install its server, or name one: BELAY_TEST_POSTGRES=postgres://…',
    );
    return null;
  }
  const server = new OwnServer(bin, await freePort(), settings);
  await server.start();
  return server;
}

function serverAt(address: string): Server {
  const pool = new pg.Pool({ connectionString: address, max: 2, allowExitOnIdle: true });
  const { port } = new pg.Client({ connectionString: address });
  const other = (to: number) => {
    const url = new URL(address);
    url.port = String(to);
    return url.href;
  };
  return {
    address: (to) => (to === undefined ? address : other(to)),
    port,
    own: false,
    query: (text, values) => pool.query(text, values),
    crash: () => Promise.reject(new Error('a server that was given is not killed')),
    copy: () => Promise.reject(new Error('a server that was given is not copied')),
    failOver: () => Promise.reject(new Error('a server that was given is not killed')),
    stop: () => pool.end(),
  };
}

class OwnServer implements Server {
  readonly port: number;
  readonly own = true;
  readonly #bin: string;
  readonly #folder = mkdtempSync(join(tmpdir(), 'belay-postgres-'));
  readonly #settings: readonly string[];
  readonly #user: { uid: number; gid: number } | Record<string, never>;
  #child: ChildProcess | null = null;
  #data = 'data';
  #pool: pg.Pool | null = null;
  readonly #onExit = () => {
    this.#child?.kill('SIGKILL');
    rmSync(this.#folder, { recursive: true, force: true });
  };

  constructor(bin: string, port: number, settings: readonly string[]) {
    this.#bin = bin;
    this.port = port;
    this.#settings = settings;
    this.#user = process.getuid?.() === 0 ? unprivileged() : {};
    if (this.#user.uid !== undefined) chownSync(this.#folder, this.#user.uid, this.#user.gid);
    process.on('exit', this.#onExit);
  }

  address(port = this.port): string {
    return `postgres://${USER}:${encodeURIComponent(PASSWORD)}@127.0.0.1:${port}/postgres`;
  }

  query(text: string, values?: unknown[]): Promise<pg.QueryResult> {
    this.#pool ??= new pg.Pool({ connectionString: this.address(), max: 2, allowExitOnIdle: true }).on(
      'error',
      () => {},
    );
    return this.#pool.query(text, values);
  }

  async start(): Promise<void> {
    const [data, secret] = [join(this.#folder, 'data'), join(this.#folder, 'password')];
    writeFileSync(secret, `${PASSWORD}\n`, { mode: 0o644 });
    const args = [
      '-D',
      data,
      '-U',
      USER,
      '--auth=scram-sha-256',
      `--pwfile=${secret}`,
      '--encoding=UTF8',
      '--locale=C',
    ];
    const made = spawnSync(join(this.#bin, 'initdb'), [...args, '--no-sync'], {
      ...this.#user,
      cwd: '/',
      encoding: 'utf8',
    });
    if (made.status !== 0) throw new Error(`initdb: ${made.stderr}`);
    mkdirSync(join(this.#folder, 'socket'));
    if (this.#user.uid !== undefined) chownSync(join(this.#folder, 'socket'), this.#user.uid, this.#user.gid);
    await this.#run();
  }

  async crash(): Promise<void> {
    // Its children end themselves when they see it gone; the next one waits for them.
    this.#child?.kill('SIGKILL');
    await this.#run();
  }

  async copy(): Promise<void> {
    const to = ['-D', join(this.#folder, 'copy'), '--checkpoint=fast', '--no-sync', '-d', this.address()];
    const made = spawnSync(join(this.#bin, 'pg_basebackup'), to, { ...this.#user, cwd: '/', encoding: 'utf8' });
    if (made.status !== 0) throw new Error(`pg_basebackup: ${made.stderr}`);
  }

  async failOver(): Promise<void> {
    const gone = once(this.#child as ChildProcess, 'exit');
    this.#child?.kill('SIGKILL');
    await gone;
    this.#data = 'copy';
    await this.#run();
  }

  async stop(): Promise<void> {
    process.off('exit', this.#onExit);
    await this.#pool?.end();
    const gone = new Promise((resolve) => this.#child?.once('exit', resolve));
    this.#child?.kill('SIGINT');
    await gone;
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #run(): Promise<void> {
    const fixed = ['listen_addresses=127.0.0.1', `unix_socket_directories=${join(this.#folder, 'socket')}`];
    const small = ['shared_buffers=32MB', 'max_connections=60', 'logging_collector=off', 'log_min_messages=fatal'];
    const settings = [...fixed, ...small, ...this.#settings].flatMap((each) => ['-c', each]);
    const args = ['-D', join(this.#folder, this.#data), '-p', String(this.port), ...settings];
    const end = Date.now() + HANG;
    for (let answers = false; !answers && Date.now() < end; ) {
      if (this.#child === null || this.#child.exitCode !== null || this.#child.signalCode !== null) {
        this.#child = spawn(join(this.#bin, 'postgres'), args, { ...this.#user, cwd: '/', stdio: 'ignore' });
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
      answers = await this.#answers();
    }
  }

  async #answers(): Promise<boolean> {
    const client = new pg.Client({ connectionString: this.address(), connectionTimeoutMillis: 1_000 });
    client.on('error', () => {});
    try {
      await client.connect();
      await client.end();
      return true;
    } catch {
      return false;
    }
  }
}

/** The folder of a server's programs; null where there is none. */
function binaries(): string | null {
  const versions = existsSync('/usr/lib/postgresql') ? readdirSync('/usr/lib/postgresql') : [];
  const folders = versions.sort((a, b) => Number(b) - Number(a)).map((each) => `/usr/lib/postgresql/${each}/bin`);
  const told = spawnSync('pg_config', ['--bindir'], { encoding: 'utf8' }).stdout?.trim();
  const path = (process.env.PATH ?? '').split(':');
  const all = [...folders, ...(told ? [told] : []), ...path];
  return all.find((each) => existsSync(join(each, 'postgres')) && existsSync(join(each, 'initdb'))) ?? null;
}

/** Another user than root, whom the machine knows. */
function unprivileged(): { uid: number; gid: number } {
  const idOf = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8', stdio: 'pipe' }));
  try {
    return { uid: idOf('-u'), gid: idOf('-g') };
  } catch {
    return { uid: NOBODY, gid: NOBODY };
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}
