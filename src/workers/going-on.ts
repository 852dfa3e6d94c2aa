/**
 * Takes one run through a worker: opens it, goes on until the run only waits, and gives it back with the time of its
 * next work.
 */

import { PROCESS } from '../clock/clock.ts';
import type { Claims } from '../effects/claims/claims.ts';
import type { SandboxProvider } from '../effects/sandbox.ts';
import type { JournalStore } from '../journal/journal.ts';
import type { WorkDigests, WorkOrder } from '../journal/work.ts';
import { CodedError } from '../model/coded-error.ts';
import { type LeftAtEnd, onlyLeft } from '../reports/left-at-end.ts';
import { isOver } from '../reports/run-status.ts';
import type { RunCommands } from '../sidecar/opening/commands.ts';
import { letGo, type OpenAgent, openedFor } from '../xstate/agent.ts';
import { type AnyAgent, type OpenProgram, sandboxesOf, takenUp } from './program-agent.ts';

/** The time between two looks at a run, in milliseconds. */
const LOOK = 100;

/** The setting of a run that is gone on with. */
export interface Setting {
  readonly order: WorkOrder;
  readonly agent: AnyAgent;
  /** The release that the run is taken for. */
  readonly under: WorkDigests;
  /** The version of its code; null where none is named. */
  readonly version: string | null;
  readonly store: JournalStore;
  /** Keeps it apart from others that touch the same things outside; null where nothing does. */
  readonly claims: Claims | null;
  /** The folder of the run's own. */
  readonly folder: () => Promise<string>;
  /** Providers of its sandboxes beside those of its agent. */
  readonly sandboxes: Readonly<Record<string, SandboxProvider>>;
  /** Aborted when the worker takes leave. */
  readonly stopping: AbortSignal;
  /** A run that can go on within so many milliseconds is not given back. */
  readonly lingerMs: number;
  /** The longest wait for calls under way, when the worker takes leave. */
  readonly drainMs: number;
  /** Told once this process holds the run. */
  readonly onTaken: () => void;
}

/** The state in which a worker left a run. */
export type Left =
  | ({ readonly is: 'done' } & LeftAtEnd)
  /** A person has ended it. */
  | { readonly is: 'cancelled' }
  /** A person has aborted it: what could be undone is. */
  | { readonly is: 'compensated' }
  /** It waits, until a time (of the clock of this process, in milliseconds) or, with null, for a message. */
  | { readonly is: 'waits' | 'paused' | 'parked' | 'stuck'; readonly due: number | null }
  /** The worker takes leave: what is left to do is done by another one. */
  | { readonly is: 'given_back' }
  /** The run goes on under another release by now: the process that moved it died before it updated the store. */
  | { readonly is: 'moved' }
  /** Another process holds it. */
  | { readonly is: 'held_elsewhere' }
  | { readonly is: 'failed'; readonly code: string; readonly why: string };

/** Goes on with a run. Never throws. */
export async function goOn(setting: Setting): Promise<Left> {
  try {
    return await opened(setting);
  } catch (error) {
    const code = error instanceof CodedError ? String(error.code) : 'cannot_run';
    if (code === 'run_cancelled') return { is: 'cancelled' };
    if (code === 'paused') return { is: 'paused', due: null };
    if (code === 'moved') return { is: 'moved' };
    if (code === 'lease_held' || code === 'lease_lost') return { is: 'held_elsewhere' };
    if (code === 'claims_closed') return { is: 'given_back' };
    const why = (error instanceof Error ? error.message : String(error)).split('\n')[0] as string;
    return { is: 'failed', code, why };
  }
}

async function opened(setting: Setting): Promise<Left> {
  const { order, agent, version, store } = setting;
  const { run, input } = order;
  const folder = await setting.folder();
  const given = input === '' ? undefined : (JSON.parse(input) as unknown);
  const open = await openedFor<OpenAgent | OpenProgram>(agent, { run, folder, input: given });
  try {
    const kept = { journal: store, ...(setting.claims !== null && { claims: setting.claims }) };
    const named = version === null ? {} : { version };
    const sandboxes = sandboxesOf(agent, setting.sandboxes);
    const own = { run, config: agent.config, ...named, ...kept, sandboxes, redeliver: true, keepAlive: false };
    const { commands, start } = await takenUp(agent, open, own, setting.under, given);
    setting.onTaken();
    let left: Left;
    try {
      const ended = endOf(commands);
      start();
      left = await standstill(commands, ended, setting);
    } finally {
      await commands.close({ drain: setting.stopping.aborted ? setting.drainMs : 0 });
    }
    // It may have ended in the moment in which the worker took leave.
    return left.is === 'given_back' ? ((await endedAs(commands).catch(() => null)) ?? left) : left;
  } finally {
    await letGo(open);
  }
}

/** The end of a run, as far as it is known. */
interface End {
  status: 'done' | 'stuck' | null;
  error: unknown;
}

/** Follows the end of a run: a journal that refuses says so there. */
function endOf(run: RunCommands): End {
  const end: End = { status: null, error: null };
  const follow = () =>
    run.finished().then(
      ({ status }) => {
        if (status === 'done' || status === 'stuck') end.status = status;
      },
      (error: unknown) => {
        end.error = error;
      },
    );
  void follow();
  return end;
}

/** Waits until a run only waits. */
async function standstill(run: RunCommands, end: End, { stopping, lingerMs }: Setting): Promise<Left> {
  for (let looks = 0; ; ) {
    if (end.error !== null) throw end.error;
    if (stopping.aborted) return { is: 'given_back' };
    const { idle, due } = run.rest();
    const isAtRest = idle && (due === null || due - Date.now() > lingerMs);
    looks = isAtRest ? looks + 1 : 0;
    if (looks > 1) return leftAs(run, end, due);
    // What is told in the same turn is seen at the second look.
    await PROCESS.pause(isAtRest ? 0 : LOOK, stopping);
  }
}

/** The end of a run; null where it goes on, or still owes what a person has to settle. */
async function endedAs(run: RunCommands): Promise<Left | null> {
  const { status } = run;
  if (status !== 'done' && status !== 'cancelled' && status !== 'compensated') return null;
  const turn = new Promise<null>((resolve) => setImmediate(resolve, null));
  const told = await Promise.race([run.finished(), turn]);
  if (told?.status !== status) return null;
  if (told.status !== 'done') return { is: told.status === 'compensated' ? 'compensated' : 'cancelled' };
  return { is: 'done', ...onlyLeft(told) };
}

async function leftAs(run: RunCommands, end: End, due: number | null): Promise<Left> {
  const { status } = run;
  if (isOver({ is: status })) return (await endedAs(run)) ?? { is: 'parked', due };
  if (status === 'paused') return { is: status, due };
  if (end.status === 'stuck') return { is: 'stuck', due };
  return { is: status === 'parked' ? 'parked' : 'waits', due };
}
