/** The verb `fork`: it makes a run with the past of another one, and says what takes it up. */
import { SidecarError } from '../../sidecar/sidecar-error.ts';
import { workClient } from '../../workers/client.ts';
import type { Problem } from '../run/run.ts';
import { printable } from '../terminal/printable.ts';
import { command } from '../terminal/wording.ts';
import { inStore } from './leaving.ts';

/** Options of `fork`. */
export interface ForkOptions {
  readonly journal: string;
  readonly run: string;
  /** The row up to which the past is shared; null for the last one. */
  readonly at: number | null;
  readonly as: string;
  readonly by: string;
  readonly why: string | null;
  /** The queue whose workers take the fork; null for the queue of the run, if there is one. */
  readonly queue: string | null;
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

/** Makes a fork of a run. */
export function forkOf({ journal, run, at, as, by, why, queue }: ForkOptions): Promise<Forked | RefusedFork | Problem> {
  return inStore<Forked | RefusedFork>(journal, async (store) => {
    const more = { ...(at !== null && { at }), ...(why !== null && { why }), ...(queue !== null && { queue }) };
    const wish = { as, by, ...more };
    try {
      const fork = await workClient(store).fork(run, wish);
      const order = await store.work.order(as);
      return { ...fork, next: command('resume', as, journal), queue: order?.queue ?? null };
    } catch (error) {
      if (error instanceof SidecarError && error.code === 'fork_refused') return { refused: error.message };
      throw error;
    }
  });
}

/** The text for a person. */
export function forkText(fork: Forked | RefusedFork): string {
  if ('refused' in fork) return `fork_refused: ${printable(fork.refused)}\n`;
  const { run, of, at, next, queue } = fork;
  const takes =
    queue === null
      ? `Take it up: ${next}`
      : `A worker of the queue ${printable(queue)} takes it up, or you do: ${next}`;
  return `${printable(run)} has the past of ${printable(of)} up to row ${at}. What ${printable(of)} did stays its own.\n${takes}\n`;
}
