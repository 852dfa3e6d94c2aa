/**
 * A store in a process of its own. It does what the lines on its standard input say, one JSON command each, and answers each with
 * a line: `{ ok }`, or the code and message of what was thrown. Started by `startOther`.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { gathered } from '../../src/journal/gathered.ts';
import type { Journal, JournalStore } from '../../src/journal/journal.ts';
import { type PostgresOptions, postgresStore } from '../../src/journal/postgres/store.ts';
import { type SqliteOptions, sqliteStore } from '../../src/journal/sqlite/store.ts';

type Command =
  | { do: 'store'; path: string; options?: Omit<SqliteOptions, 'now'> }
  | { do: 'postgres'; options: Omit<PostgresOptions, 'now' | 'pool'> }
  | { do: 'open'; run: string; mode: 'create' | 'resume' | 'either' }
  | { do: 'append'; bodies: unknown[] }
  | { do: 'flush' | 'close' | 'closeStore' | 'runs' }
  | { do: 'read' | 'posts'; run: string }
  | { do: 'post'; run: string; body: string }
  /** Moves the clock of this process. */
  | { do: 'jump'; ms: number };

export interface Answer {
  ok?: unknown;
  code?: string;
  message?: string;
}

const SCRIPT = fileURLToPath(import.meta.url);
const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** A running other process. */
export class Other {
  readonly #child;
  readonly #lines: AsyncIterator<string>;
  #errors = '';

  constructor(limits: string, as: number | undefined) {
    const node = [process.execPath, '--import', 'tsx', SCRIPT, 'serve'];
    const env = { ...process.env, TSX_DISABLE_CACHE: '1' };
    const ids = as === undefined ? {} : { uid: as, gid: as };
    this.#child = spawn('bash', ['-c', `${limits} exec "$@"`, 'bash', ...node], { cwd: ROOT, env, ...ids });
    this.#child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      this.#errors += chunk;
    });
    this.#lines = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();
  }

  get pid(): number {
    return this.#child.pid as number;
  }

  async ask(command: Command): Promise<Answer> {
    this.#child.stdin.write(`${JSON.stringify(command)}\n`);
    const { value, done } = await this.#lines.next();
    if (done === true) throw new Error(`The other process ended: ${this.#errors}`);
    return JSON.parse(value) as Answer;
  }

  /** Does several things; the answer to the last. Fails if one before it fails. */
  async askAll(...commands: Command[]): Promise<Answer> {
    let last: Answer = {};
    for (const command of commands) {
      if (last.code !== undefined) throw new Error(`${last.code}: ${last.message}`);
      last = await this.ask(command);
    }
    return last;
  }

  /** Ends it as a crash would, or lets it end. */
  async end(signal: 'SIGKILL' | null = null): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const gone = once(this.#child, 'close');
    if (signal === null) this.#child.stdin.end();
    else this.#child.kill(signal);
    await gone;
  }
}

/** Starts another process, under `ulimit` commands and as another user if need be. */
export function startOther({ limits = '', as }: { limits?: string; as?: number } = {}): Other {
  return new Other(limits, as);
}

async function serve(): Promise<void> {
  let skew = 0;
  let store: JournalStore | undefined;
  let journal: Journal | undefined;
  const opened = () => store as JournalStore;
  const act = async (command: Command): Promise<unknown> => {
    switch (command.do) {
      case 'store':
        store = sqliteStore(command.path, { ...command.options, now: () => Date.now() + skew });
        return null;
      case 'postgres':
        store = postgresStore({ ...command.options, now: () => Date.now() + skew });
        return null;
      case 'open':
        journal = await opened().open(command.run, command.mode);
        return journal.head;
      case 'append':
        return journal?.append(command.bodies.map((body) => ({ kind: 1, body: JSON.stringify(body) })));
      case 'flush':
        return journal?.flush();
      case 'close':
        return (await journal?.close()) ?? null;
      case 'closeStore':
        return (await opened().close()) ?? null;
      case 'runs':
        return opened().runs();
      case 'read':
        return [...(await gathered(opened().read(command.run)))].map(({ body }) => JSON.parse(body));
      case 'post':
        return opened().post(command.run, command.body);
      case 'posts':
        return opened().posts(command.run);
      case 'jump':
        skew += command.ms;
        return skew;
    }
  };
  for await (const line of createInterface({ input: process.stdin })) {
    const answer = await act(JSON.parse(line)).then(
      (ok): Answer => ({ ok }),
      (error): Answer => ({ code: error.code ?? error.name, message: error.message }),
    );
    process.stdout.write(`${JSON.stringify(answer)}\n`);
  }
}

if (process.argv[2] === 'serve') await serve();
