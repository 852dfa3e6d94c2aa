/** Sandboxes that are processes: the contents of a sandbox end with its process. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { SandboxAsk, SandboxProvider, SandboxState } from '../../effects/sandbox.ts';
import { type Holder, mayLive, thisProcess } from '../../journal/lease/holder.ts';
import { listOf, NAME, optional, refuseOther, shape, TEXT } from '../../model/argument.ts';
import { nameOf } from './folder.ts';

/** The handle of a sandbox that is a process. */
export interface ProcessHandle {
  readonly pid: number;
  /**
   * The path at which the process is to make its socket or file, once it is ready: `BELAY_SANDBOX` in its environment.
   */
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
 * Exit codes of a process that did not become the sandbox: there is no such command, and another process is the
 * sandbox.
 */
const NO_COMMAND = 127;
const NOT_NOTED = 75;

/**
 * The process notes itself before it becomes the command, so a sidecar that dies in the middle of a start leaves no
 * process without a note. A link is made whole and once. A process that comes late, or whose folder was removed
 * meanwhile, ends.
 */
const NOTING = `
host=$1 note=$2
shift 2
command -v "$1" >/dev/null || exit ${NO_COMMAND}
since() { shift 19; printf '"%s"' "$1"; }
started=null
if read -r stat </proc/$$/stat; then started=$(since \${stat##*) }); fi
printf '{"host":%s,"pid":%s,"started":%s}' "$host" $$ "$started" >"$note.$$" && ln "$note.$$" "$note" || exit ${NOT_NOTED}
exec "$@" >/dev/null
`;

/**
 * Makes each sandbox a process of its own, which outlives the process of the sidecar. The sandbox is ready once it has
 * made the socket or the file that `BELAY_SANDBOX` names. As a socket exists before it listens, a program may bind it
 * under another name and rename it then. `stop` leaves the process running, since its end would lose the contents.
 * There are no snapshots.
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
  const homeOf = (ask: SandboxAsk) => join(top, nameOf(ask.key));
  const readyOf = (ask: SandboxAsk) => join(homeOf(ask), 'up');
  return {
    start: async (ask): Promise<ProcessHandle> => {
      const [home, ready] = [homeOf(ask), readyOf(ask)];
      const known = livingIn(await notedIn(home));
      if (known !== null) return { pid: known, ready };
      await mkdir(home, { recursive: true });
      await rm(noteIn(home), { force: true });
      await rm(ready, { force: true });
      return { pid: await begun(home, [command, ...args], ready), ready };
    },
    probe: async (ask): Promise<SandboxState> => {
      const [pid, ready] = [livingIn(await notedIn(homeOf(ask))), readyOf(ask)];
      if (pid === null) return { is: 'gone' };
      return existsSync(ready) ? { is: 'running', handle: { pid, ready } } : { is: 'starting' };
    },
    stop: async () => {},
    destroy: async (ask) => {
      const home = homeOf(ask);
      const gone = `${home}.gone`;
      // Finishes an earlier `destroy`.
      await end(gone);
      livingIn(await notedIn(home));
      // A process that is about to note itself finds no place for its note any more.
      await rename(home, gone).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'ENOENT') throw error;
      });
      await end(gone);
    },
  };
}

/** Starts a process that notes itself. @returns the pid of what is noted then. @throws Error where nothing is. */
async function begun(home: string, command: readonly string[], ready: string): Promise<number> {
  const env = { ...process.env, BELAY_SANDBOX: ready };
  const noting = ['-c', NOTING, 'sh', JSON.stringify(thisProcess().host), noteIn(home), ...command];
  const child = spawn('sh', noting, { detached: true, stdio: ['ignore', 'pipe', 'ignore'], env });
  const code = new Promise<number | null>((ended, failed) => child.once('error', failed).once('exit', ended));
  code.catch(() => {});
  child.unref();
  // Its output ends when it becomes the command, and when it does not.
  await Promise.race([once(child.stdout.resume(), 'close'), code]);
  const noted = await notedIn(home);
  if (noted !== null) return noted.pid;
  throw new Error((await code) === NO_COMMAND ? `there is no command ${command[0]}` : `it cannot be noted in ${home}`);
}

/** Ends the process that is noted in a folder that was moved away, and removes the folder. */
async function end(home: string): Promise<void> {
  const pid = livingIn(await notedIn(home));
  if (pid !== null) kill(pid);
  await rm(home, { recursive: true, force: true });
}

function noteIn(home: string): string {
  return join(home, 'process');
}

async function notedIn(home: string): Promise<Holder | null> {
  return processIn(await readFile(noteIn(home), 'utf8').catch(() => null));
}

/** The pid of a noted process that lives; null where none does. @throws Error where that cannot be told from here. */
function livingIn(note: Holder | null): number | null {
  if (note === null) return null;
  const here = thisProcess();
  if (nameOfHost(note) !== nameOfHost(here)) throw new Error(`its process is on the host ${nameOfHost(note)}`);
  return mayLive(note, here) ? note.pid : null;
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
