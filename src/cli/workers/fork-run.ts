/** The verb `fork`: it makes a run with the past of another one, and says what takes it up. */
import { SidecarError } from '../../sidecar/sidecar-error.ts';
import { type AttemptsRequest, type ForkRequest, type Kept, workClient } from '../../workers/client.ts';
import type { Problem } from '../run/run.ts';
import { printable } from '../terminal/printable.ts';
import { command } from '../terminal/wording.ts';
import { inStore } from './leaving.ts';

/** Options of `fork`. */
export interface ForkOptions extends ForkRequest, Partial<Pick<AttemptsRequest, 'attempts' | 'score' | 'deadline'>> {
  readonly journal: string;
  readonly run: string;
}

/** A fork that was made. */
export interface Forked {
  readonly run: string;
  readonly of: string;
  readonly at: number;
  /** The command that takes it up. */
  readonly next: string;
  /** The queue whose workers take it up; null if a person does. */
  readonly queue: string | null;
}

/** A fork that was refused: the past cannot be shared at that row. */
export interface RefusedFork {
  readonly refused: string;
}

/** Attempts that were made. */
export interface Attempted {
  readonly group: string;
  readonly of: string;
  readonly at: number;
  readonly runs: readonly string[];
  /** The commands that take them up. */
  readonly next: readonly string[];
  readonly queue: string | null;
}

/** Makes a fork of a run, or attempts of it. */
export function forkOf({ journal, run, ...wish }: ForkOptions): Promise<Forked | Attempted | RefusedFork | Problem> {
  return inStore<Forked | Attempted | RefusedFork>(journal, async (store) => {
    try {
      if (isForAttempts(wish)) {
        const attempts = await workClient(store).forkAttempts(run, wish);
        const queue = (await store.work.order(attempts.runs[0] as string))?.queue ?? null;
        return { ...attempts, next: attempts.runs.map((each) => command('resume', each, journal)), queue };
      }
      const { score, deadline } = wish;
      if (score !== undefined || deadline !== undefined)
        throw new TypeError('--score and --deadline choose among attempts: say how many with --attempts');
      const fork = await workClient(store).fork(run, wish);
      const order = await store.work.order(wish.as);
      return { ...fork, next: command('resume', wish.as, journal), queue: order?.queue ?? null };
    } catch (error) {
      if (error instanceof SidecarError && error.code === 'fork_refused') return { refused: error.message };
      throw error;
    }
  });
}

function isForAttempts(wish: Omit<ForkOptions, 'journal' | 'run'>): wish is AttemptsRequest {
  return wish.attempts !== undefined;
}

/** Options of `keep`. */
export interface KeepOptions {
  readonly journal: string;
  readonly run: string;
  readonly by: string;
  readonly why?: string;
}

/** Keeps an attempt of a group. */
export function keepOf({ journal, run, ...answer }: KeepOptions): Promise<Kept | RefusedFork | Problem> {
  return inStore<Kept | RefusedFork>(journal, async (store) => {
    try {
      return await workClient(store).keep(run, answer);
    } catch (error) {
      if (error instanceof SidecarError && error.code === 'keep_refused') return { refused: error.message };
      throw error;
    }
  });
}

/** The text for a person. */
export function keptText(kept: Kept | RefusedFork): string {
  if ('refused' in kept) return `keep_refused: ${printable(kept.refused)}\n`;
  const others =
    kept.aborted.length === 0 ? 'No other attempt is open.' : `Aborted with their undos: ${kept.aborted.join(', ')}.`;
  return `${printable(kept.run)} ${kept.before ? 'was kept before' : 'is kept'}. ${printable(others)}\n`;
}

/** The text for a person. */
export function forkText(fork: Forked | Attempted | RefusedFork): string {
  if ('refused' in fork) return `fork_refused: ${printable(fork.refused)}\n`;
  if ('runs' in fork) return attemptsText(fork);
  const { run, of, at, next, queue } = fork;
  const takes =
    queue === null
      ? `Take it up: ${next}`
      : `A worker of the queue ${printable(queue)} takes it up, or you do: ${next}`;
  return `${printable(run)} has the past of ${printable(of)} up to row ${at}. What ${printable(of)} did stays its own.\n${takes}\n`;
}

function attemptsText({ runs, of, at, next, queue }: Attempted): string {
  const takes =
    queue === null
      ? `Take them up:\n${next.map((each) => `  ${each}\n`).join('')}`
      : `Workers of the queue ${queue} take them up.\n`;
  const past = `${runs.join(', ')} have the past of ${of} up to row ${at}.`;
  return `${printable(past)} What ${printable(of)} did stays its own.\n${takes}Then keep one of them: belay keep ${printable(runs[0] ?? '')} --by NAME\n`;
}
