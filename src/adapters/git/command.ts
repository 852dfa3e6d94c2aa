/**
 * The `git` command: run once, or kept running and asked again, because to start a process takes longer than an edit.
 */
import { type ChildProcessByStdio, execFile, spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';

/** The result of a command that has ended. */
export interface Ended {
  readonly status: number;
  readonly out: Buffer;
  readonly errors: string;
}

const AUTHOR = { NAME: 'belay', EMAIL: 'belay@localhost' };

/** The environment of every command: none of the variables that lead git to another repository, and no prompt. */
function environment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !/^GIT_(?!SSH|ASKPASS|EXEC_PATH|SSL|CONFIG_)/.test(name));
  return {
    ...Object.fromEntries(kept),
    ...Object.fromEntries(
      ['AUTHOR', 'COMMITTER'].flatMap((who) =>
        Object.entries(AUTHOR).map(([key, value]) => [`GIT_${who}_${key}`, value]),
      ),
    ),
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_LITERAL_PATHSPECS: '1',
    LC_ALL: 'C',
  };
}

/** Runs a command of git to its end. @param signal stops the command: its outcome is not known then. */
export function git(folder: string, args: readonly string[], signal?: AbortSignal): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const options = { encoding: 'buffer', env: environment(), maxBuffer: 2 ** 30, ...(signal && { signal }) } as const;
    execFile('git', ['-C', folder, ...args], options, (error, out, errors) => {
      if (error !== null && typeof error.code !== 'number') reject(error);
      else resolve({ status: error === null ? 0 : Number(error.code), out, errors: errors.toString().trim() });
    });
  });
}

/** A command of git that stays. It keeps no process alive while nothing is asked of it. */
export class Staying {
  readonly #folder: string;
  readonly #args: readonly string[];
  #child: ChildProcessByStdio<Writable, Readable, Readable> | null = null;

  /** @param args the command, started when it is first asked. */
  constructor(folder: string, args: readonly string[]) {
    this.#folder = folder;
    this.#args = args;
  }

  /**
   * Writes a request and resolves to the reply. One request at a time.
   * @param whole the length of the reply if it has arrived, else null.
   */
  ask(request: string | Buffer, whole: (got: Buffer) => number | null): Promise<Buffer> {
    const child = this.#child ?? this.#start();
    hold(child, true);
    return new Promise((resolve, reject) => {
      let got: Buffer = Buffer.alloc(0);
      let errors = '';
      const settle = (act: () => void) => {
        child.stdout.off('data', take);
        child.stderr.off('data', complain);
        child.off('close', ended);
        child.off('error', ended);
        hold(child, false);
        act();
      };
      const take = (part: Buffer) => {
        got = got.length === 0 ? part : Buffer.concat([got, part]);
        const length = whole(got);
        if (length !== null) settle(() => resolve(got.subarray(0, length)));
      };
      const complain = (part: Buffer) => {
        errors += part.toString();
      };
      const ended = () => {
        this.#child = null;
        settle(() => reject(new Error(`git ${this.#args[0]} ended: ${errors.trim()}`)));
      };
      child.stdout.on('data', take);
      child.stderr.on('data', complain);
      child.on('close', ended);
      child.on('error', ended);
      child.stdin.write(request);
    });
  }

  /** Ends the command. The next request starts it again. */
  close(): void {
    this.#child?.stdin.end();
    this.#child = null;
  }

  #start(): ChildProcessByStdio<Writable, Readable, Readable> {
    const quiet = ['-c', 'core.hooksPath=/dev/null', '-c', 'core.fsmonitor=false'];
    const args = ['-C', this.#folder, ...quiet, ...this.#args];
    const child = spawn('git', args, { stdio: ['pipe', 'pipe', 'pipe'], env: environment() });
    // The event `close` tells the end of the process. Input that is still being written is lost.
    child.stdin.on('error', () => {});
    child.on('error', () => {});
    this.#child = child;
    return child;
  }
}

/** Has a child keep this process alive, or not. */
function hold(child: ChildProcessByStdio<Writable, Readable, Readable>, isHeld: boolean): void {
  const act = isHeld ? 'ref' : 'unref';
  child[act]();
  for (const pipe of [child.stdin, child.stdout, child.stderr]) (pipe as unknown as Socket)[act]?.();
}

/** The length of a reply of so many lines, or null. */
export function lines(count: number): (got: Buffer) => number | null {
  return (got) => {
    let end = 0;
    for (let line = 0; line < count; line += 1) {
      end = got.indexOf(10, end) + 1;
      if (end === 0) return null;
    }
    return end;
  };
}
