/** Sandboxes that are processes: what one holds is gone with it. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { SandboxAsk, SandboxProvider, SandboxState } from '../../effects/sandbox.ts';
import { type Holder, mayLive, processOf, thisProcess } from '../../journal/lease/holder.ts';
import { listOf, NAME, optional, refuseOther, shape, TEXT } from '../../model/argument.ts';
import { nameOf } from './folder.ts';

/** The handle of a sandbox that is a process. */
export interface ProcessHandle {
  readonly pid: number;
  /** The path at which the process is to make its socket or file, once it is ready: `BELAY_SANDBOX` in its environment. */
  readonly ready: string;
}

/** The options of {@link processSandboxes}. */
export interface ProcessOptions {
  /** A folder in which the processes are noted, for each process that looks for them. */
  readonly folder: string;
  readonly command: string;
  readonly args?: readonly string[];
}

const OPTIONS = shape<ProcessOptions>('options such as { folder, command }', {
  folder: NAME,
  command: NAME,
  args: optional(listOf(TEXT)),
});

/**
 * Makes each sandbox a process of its own, which outlives the sidecar's. It is ready once it has made what `BELAY_SANDBOX` names: a socket to talk
 * to it, or a file. A stop leaves it running, since a process that ends loses what it holds; it has no snapshot.
 * @example
 * import { mkdtempSync } from 'node:fs';
 * import { processSandboxes } from 'belay-sidecar/adapters';
 *
 * const folder = mkdtempSync('boxes-');
 * const shells = processSandboxes({ folder, command: 'sh', args: ['-c', 'touch "$BELAY_SANDBOX"; exec sleep 60'] });
 * const ask = { key: 'r/box', run: 'r', name: 'box', handle: undefined };
 * await shells.start(ask);
 * assert.match((await shells.probe(ask)).is, /starting|running/);
 * await shells.destroy(ask);
 * assert.equal((await shells.probe(ask)).is, 'gone');
 */
export function processSandboxes(options: ProcessOptions): SandboxProvider {
  refuseOther('processSandboxes', { options: [options, OPTIONS] });
  const { folder, command, args = [] } = options;
  const top = resolve(folder);
  const noteOf = (ask: SandboxAsk) => join(top, `${nameOf(ask.key)}.json`);
  const readyOf = (ask: SandboxAsk) => join(top, `${nameOf(ask.key)}.up`);
  /** The pid of a sandbox whose process lives; null where there is none. @throws Error where that cannot be told from here. */
  const noted = async (ask: SandboxAsk): Promise<number | null> => {
    const note = processIn(await readFile(noteOf(ask), 'utf8').catch(() => null));
    if (note === null) return null;
    const here = thisProcess();
    if (nameOfHost(note) !== nameOfHost(here)) throw new Error(`its process is on the host ${nameOfHost(note)}`);
    return mayLive(note, here) ? note.pid : null;
  };
  return {
    start: async (ask): Promise<ProcessHandle> => {
      const ready = readyOf(ask);
      const known = await noted(ask);
      if (known !== null) return { pid: known, ready };
      await mkdir(top, { recursive: true });
      await rm(ready, { force: true });
      const env = { ...process.env, BELAY_SANDBOX: ready };
      const child = spawn(command, args, { detached: true, stdio: 'ignore', env });
      const pid = await new Promise<number>((started, failed) => {
        child.once('error', failed);
        child.once('spawn', () => started(child.pid as number));
      });
      child.unref();
      // Whole or not at all: a note that is cut would tell of another process.
      await writeFile(`${noteOf(ask)}.new`, JSON.stringify(processOf(pid)));
      await rename(`${noteOf(ask)}.new`, noteOf(ask));
      return { pid, ready };
    },
    probe: async (ask): Promise<SandboxState> => {
      const pid = await noted(ask);
      if (pid === null) return { is: 'gone' };
      return existsSync(readyOf(ask)) ? { is: 'running', handle: { pid, ready: readyOf(ask) } } : { is: 'starting' };
    },
    stop: async () => {},
    destroy: async (ask) => {
      const pid = await noted(ask);
      if (pid !== null) kill(pid);
      await rm(noteOf(ask), { force: true });
      await rm(readyOf(ask), { force: true });
    },
  };
}

/** The process of a note; null where there is no note, or none that can be read. */
function processIn(text: string | null): Holder | null {
  try {
    const { host, pid, started } = JSON.parse(text ?? 'null') ?? {};
    return typeof host === 'string' && Number.isSafeInteger(pid) ? { host, pid, started: started ?? null } : null;
  } catch {
    return null;
  }
}

function nameOfHost({ host }: Holder): string {
  return host.split(' ')[0] as string;
}

/** Kills a process with all that it has started. */
function kill(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended meanwhile.
  }
}
