/** Starts stores in processes of their own, and says to each what it is to do. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Bundle } from '../bundled.ts';
import type { Answer, Command } from './store-process.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

let bundle: Bundle | null = null;

/** This script, made once for all the processes that the tests of a file start. */
function scripts(): Bundle {
  if (bundle !== null) return bundle;
  const made = new Bundle(['test/journal/store-process.ts']);
  process.on('exit', () => made.close());
  bundle = made;
  return made;
}

/** A running other process. */
export class Other {
  readonly #child;
  readonly #lines: AsyncIterator<string>;
  #errors = '';

  constructor(limits: string, as: number | undefined) {
    const node = [process.execPath, scripts().path('store-process')];
    const ids = as === undefined ? {} : { uid: as, gid: as };
    this.#child = spawn('bash', ['-c', `${limits} exec "$@"`, 'bash', ...node], { cwd: ROOT, ...ids });
    this.#child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      this.#errors += chunk;
    });
    // One that was killed takes no more: its end is what its next answer says.
    this.#child.stdin.on('error', () => {});
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
