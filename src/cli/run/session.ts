/**
 * One process of a run: opens the agent's world, attaches the sidecar to its machine, waits until the run needs this
 * process no more, and closes everything in every case, also on a signal to stop.
 */
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { folderSandboxes } from '../../adapters/sandboxes/folder.ts';
import { claimsIn } from '../../effects/claims/kept.ts';
import type { SandboxProvider } from '../../effects/sandbox.ts';
import type { JournalStore } from '../../journal/journal.ts';
import { CodedError } from '../../model/coded-error.ts';
import { stateText } from '../../reports/timeline.ts';
import type { Ending } from '../../sidecar/report.ts';
import { sandboxesOf } from '../../workers/program-agent.ts';
import { type Agent, letGo, type OpenAgent, openedFor, openedOptions } from '../../xstate/agent.ts';
import { attach, resume, type Sidecar, type SidecarOptions } from '../../xstate/attach.ts';
import { type Fault, withFault } from '../../xstate/faults.ts';
import { openJournal } from '../reading/journal-key.ts';
import { isAddress } from '../reading/place.ts';
import { type ReadRun, readRun } from '../reading/reading.ts';
import { liveLine, note } from '../terminal/console.ts';
import { command } from '../terminal/wording.ts';

/** Options for starting a process of a run. */
export interface SessionOptions {
  readonly agent: Agent;
  readonly run: string;
  /** The file of its journal. */
  readonly journal: string;
  readonly input: unknown;
  /** The path of another config than the agent's own. */
  readonly config: string | null;
  /** The version of the agent's code; null for the one that the agent names. */
  readonly version: string | null;
  /** True if the agent's reconcilers may be asked. */
  readonly reconcilers: boolean;
  readonly fault: Fault | null;
  /** True if the run must exist, false if it must not. */
  readonly begins: boolean;
  /** True to take claims; left out, the run takes claims if it is a run of workers or has claims already. */
  readonly claims?: boolean;
  /**
   * True if the machine stays where it is: decisions are finished and counterparties are asked, and nothing more
   * happens.
   */
  readonly still?: boolean;
}

/** The end of a process of a run. */
export type Stop =
  | Ending
  /** The machine waits for an event that this process does not send. */
  | { readonly status: 'waiting' }
  /** The agent's module threw an error that no code catches. */
  | { readonly status: 'broken'; readonly error: string }
  | { readonly status: 'stopped'; readonly by: NodeJS.Signals };

/** The facts for the report. */
export interface Ended {
  readonly stop: Stop;
  /** The state of the machine. */
  readonly state: string;
  /** True if the rehearsed failure has happened; null where none was asked for. */
  readonly fired: boolean | null;
  readonly world: Readonly<Record<string, readonly object[]>> | null;
  readonly read: ReadRun;
}

/** The next act once the run stands still for the first time. It may set the run going again with `until`. */
export type Next = (
  stop: Stop,
  session: { sidecar: Sidecar; store: JournalStore; until: () => Promise<Stop> },
) => Promise<Stop>;

/** The reason why a process of a run has not begun. */
export interface NotBegun {
  readonly problem: string;
  /** The exit code; 2 where it is left out. */
  readonly code?: 1;
}

/** Runs one process of a run. A problem is something that kept it from starting, or its journal from being written. */
export async function inSession(options: SessionOptions, next: Next): Promise<Ended | NotBegun> {
  const stopped = stopSignal();
  try {
    const store = await openJournal(options.journal);
    try {
      return await withWorld(options, store, stopped.signal, next);
    } finally {
      // A journal that failed cannot be closed cleanly, and has reported why before.
      await store.close().catch((error: unknown) => note(`${options.journal}: ${message(error)}`));
    }
  } catch (error) {
    if (error instanceof CodedError && error.code === 'paused')
      return { problem: `${error.message}: ${unpause(options)}`, code: 1 };
    if (error instanceof CodedError) {
      // The run went on between its standstill and the person's word: a refusal, and no misuse.
      const code = error.code === 'not_advised' ? { code: 1 as const } : {};
      return { problem: `${options.journal}: ${error.code} ${error.message}`, ...code };
    }
    return { problem: `${options.agent.machine.id}: cannot_run ${message(error)}` };
  } finally {
    stopped.done();
  }
}

/** The version of the code, as the person at the terminal names it, or the agent does. */
function versionOf({ agent, version }: SessionOptions): { readonly version?: string } {
  const named = version ?? agent.version;
  return named === undefined ? {} : { version: named };
}

function unpause({ run, journal }: SessionOptions): string {
  return command('unpause', run, journal, '--by', 'NAME');
}

/** The folder of a run's own, beside its journal; for a run in a database, under the working directory. */
export function worldFolder(journal: string, run: string): string {
  // Only these two names would lead out of it and stay unencoded.
  const name = encodeURIComponent(run).replace(/^\.+$/, (dots) => '%2E'.repeat(dots.length));
  return join(`${isAddress(journal) ? 'belay' : journal}.world`, name);
}

/**
 * The providers of sandboxes for a run beside those of its agent: folders in its own folder. A run in a database has
 * none, since its folder is one machine's.
 */
export function sandboxesFor(journal: string, run: string): Readonly<Record<string, SandboxProvider>> {
  return isAddress(journal) ? {} : { folder: folderSandboxes(join(worldFolder(journal, run), 'sandboxes')) };
}

async function withWorld(
  options: SessionOptions,
  store: JournalStore,
  stopped: Promise<Stop>,
  next: Next,
): Promise<Ended | { readonly problem: string }> {
  const { agent, run, journal, input } = options;
  const folder = worldFolder(journal, run);
  const isNew = !existsSync(folder);
  if (options.begins && !isNew) note(`${folder} is there already, and is used as it is`);
  let open: OpenAgent;
  try {
    mkdirSync(folder, { recursive: true });
    open = await openedFor(agent, { run, folder, input });
  } catch (error) {
    if (isNew) rmSync(folder, { recursive: true, force: true });
    return { problem: `${agent.machine.id}: cannot_open ${message(error)}` };
  }
  try {
    return await withSidecar(options, store, open, stopped, next);
  } finally {
    await letGo(open).catch((error: unknown) => note(`${agent.machine.id}: cannot_close ${message(error)}`));
    if (isNew && (await store.run(run)) === null) rmSync(folder, { recursive: true, force: true });
  }
}

async function withSidecar(
  options: SessionOptions,
  store: JournalStore,
  open: OpenAgent,
  stopped: Promise<Stop>,
  next: Next,
): Promise<Ended> {
  const { agent, run, fault } = options;
  const faulty = fault === null ? null : withFault(open.machine, fault);
  const { reconcilers: _, ...others } = openedOptions(open);
  const opened = options.reconcilers ? openedOptions(open) : others;
  const claims = options.claims === true || (await isShared(store, run)) ? { claims: claimsIn(store) } : {};
  const settings: SidecarOptions = {
    run,
    ...claims,
    config: options.config ?? agent.config,
    sandboxes: sandboxesOf(agent, sandboxesFor(options.journal, run)),
    ...versionOf(options),
    journal: store,
    redeliver: true,
    // The process ends when it has nothing left to do, and says for which events or persons the run waits.
    keepAlive: false,
    ...opened,
    ...(faulty !== null && { governor: faulty.governor }),
    onFinding: ({ code, text }) => {
      if (code === 'config_unreviewed' || code === 'waits_for_run') note(`${code}: ${text}`);
    },
  };
  const machine = faulty?.machine ?? open.machine;
  // A run without an entry, because its process ended at once, begins as well.
  const known = await store.run(run);
  const start = options.begins && (known === null || known.head > 0) ? attach : resume;
  const sidecar = await start(machine, settings);
  const stateNow = () => stateText((sidecar.actor.getSnapshot() as { value?: unknown }).value);
  const line = liveLine(() => `${run}: ${stateNow()}${sidecar.status === 'running' ? '' : `, ${sidecar.status}`}`);
  let stop: Stop;
  let state: string;
  try {
    if (options.still !== true) sidecar.actor.start();
    const until = () => Promise.race([sidecar.finished(), stopped, waiting()]);
    stop = options.still === true ? { status: 'waiting' } : await next(await until(), { sidecar, store, until });
    state = stateNow();
  } finally {
    line.done();
    await sidecar.close();
  }
  const world = await worldOf(open);
  return { stop, state, fired: faulty?.fired() ?? null, world, read: await readRun(store, run) };
}

/** True for a run that workers keep apart from others. */
async function isShared(store: JournalStore, run: string): Promise<boolean> {
  if ((await store.work.order(run)) !== null) return true;
  return (await store.claims.list()).held.some((each) => each.run === run);
}

/** The content of the world, if the agent shows it and can. */
async function worldOf(open: OpenAgent): Promise<Ended['world']> {
  try {
    return (await open.world?.()) ?? null;
  } catch (error) {
    note(`the world cannot be shown: ${message(error)}`);
    return null;
  }
}

/**
 * Resolves once this process has nothing left to do while the machine still waits: this process will not send the event
 * that it waits for.
 */
function waiting(): Promise<Stop> {
  return new Promise((resolve) => {
    process.once('beforeExit', () => {
      resolve({ status: 'waiting' });
    });
  });
}

/** Resolves when the process is told to stop, or breaks. Told twice, it stops at once, as in a crash. */
function stopSignal(): { readonly signal: Promise<Stop>; done(): void } {
  let stop: (stop: Stop) => void;
  let told = false;
  const signal = new Promise<Stop>((resolve) => {
    stop = resolve;
  });
  const onSignal = (by: NodeJS.Signals) => {
    if (told) process.exit(by === 'SIGINT' ? 130 : 143);
    told = true;
    stop({ status: 'stopped', by });
  };
  const onError = (error: unknown) => stop({ status: 'broken', error: message(error) });
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal).on('uncaughtException', onError);
  return {
    signal,
    done: () => void process.off('SIGINT', onSignal).off('SIGTERM', onSignal).off('uncaughtException', onError),
  };
}

/** The text of an error, in one line. */
function message(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n')[0] as string;
}
