/** Runtimes in processes of their own, as the process that measures them sees them. */
import { type ChildProcess, execFileSync, fork } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Asked, Chained, Loaded } from '../runtimes/lane.ts';

const BENCH = join(import.meta.dirname, '..');

/** A runtime that answers in its process. */
export interface Lane {
  chain(steps: number): Promise<Chained>;
  /** Begins so many chains, which go on until `end`. */
  begin(runs: number): Promise<void>;
  /** Counts their steps for so many milliseconds. */
  measure(time: number): Promise<Loaded>;
  end(): Promise<void>;
  /** The bytes on the disk; null where nothing is written. */
  bytes(): Promise<number | null>;
  close(): Promise<void>;
  /** Ends its process, whatever it does. */
  abandon(): Promise<void>;
}

/** Opens a runtime in a process, over the built package. @throws where the runtime cannot be opened. */
export async function openLane(
  [module, name]: readonly [module: string, name: string],
  postgres: { readonly address: string; readonly schema: string } | null,
): Promise<Lane> {
  const folder = mkdtempSync(join(tmpdir(), 'belay-lane-'));
  const child = forked('runtimes/lane.ts', [module, name]);
  const asking = <T>(asked: Asked) => ask<T>(child, asked);
  const abandon = async () => {
    if (child.exitCode === null) {
      const gone = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGKILL');
      await gone;
    }
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await asking({ do: 'open', place: { folder, postgres } });
  } catch (error) {
    await abandon();
    throw error;
  }
  return {
    chain: (steps) => asking<Chained>({ do: 'chain', steps }),
    begin: (runs) => asking({ do: 'begin', runs }),
    measure: (time) => asking<Loaded>({ do: 'measure', time }),
    end: () => asking({ do: 'end' }),
    bytes: () => asking<number | null>({ do: 'bytes' }),
    close: async () => {
      await asking({ do: 'close' });
      await abandon();
    },
    abandon,
  };
}

/** Starts a module of `bench/` in a process of its own, where `belay-sidecar` is the built package. */
export function forked(path: string, args: readonly string[]): ChildProcess {
  return fork(join(BENCH, path), args, {
    execArgv: ['--no-deprecation', '--import', import.meta.resolve('tsx')],
    env: { ...process.env, RESTATE_LOGGING: 'ERROR', TSX_TSCONFIG_PATH: join(BENCH, 'tsconfig.dist.json') },
  });
}

/** Asks a process for an answer; it is asked one thing at a time. @throws what it says went wrong, and where it ends. */
export function ask<T>(child: ChildProcess, asked: object): Promise<T> {
  return new Promise((resolve, reject) => {
    const ended = () => reject(new Error('the process of a runtime has ended'));
    child.once('exit', ended);
    child.once('message', (answer: { told: T } | { error: string }) => {
      child.off('exit', ended);
      if ('error' in answer) reject(new Error(answer.error));
      else resolve(answer.told);
    });
    child.send(asked);
  });
}

/** Tells if the peers are installed. */
export function peersInstalled(): boolean {
  return existsSync(join(BENCH, 'node_modules/.package-lock.json'));
}

/** Installs the peers from the lock file of `bench/`, and says so. What npm prints goes to standard error. */
export function installPeers(say: (text: string) => void): void {
  const args = ['--prefix', BENCH, 'ci'];
  say('The peers are not installed: npm --prefix bench ci');
  execFileSync('npm', args, { stdio: ['ignore', 2, 2] });
}

/** Tells if the program of a Restate server is there for this system. */
export function hasRestate(): boolean {
  const folder = `node_modules/@restatedev/restate-server-${process.platform}-${process.arch}`;
  return existsSync(join(BENCH, folder, 'bin/restate-server'));
}
