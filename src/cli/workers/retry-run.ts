/** The verb `retry`: it leaves the word of a person that the steps which threw are tried again, and waits for the process that has the run. */
import { PROCESS } from '../../clock/clock.ts';
import type { JournalStore } from '../../journal/journal.ts';
import { parseRunNote } from '../../reports/run-note.ts';
import { workClient } from '../../workers/client.ts';
import { runNamed } from '../reading/reading.ts';
import type { Problem } from '../run/run.ts';
import { printable } from '../terminal/printable.ts';
import { command } from '../terminal/wording.ts';
import { inStore } from './leaving.ts';

/** The word of a person for a run. */
export interface RetryOptions {
  readonly journal: string;
  readonly run: string;
  readonly by: string | null;
  readonly why: string | null;
}

/** The outcome of the word. */
export interface Retried {
  readonly run: string;
  /** The number of the message; null where none was left. */
  readonly post: number | null;
  /**
   * `done`: the process that has the run tries the step again. `left`: no process has it, and the next one does so. `waits`: the process that has it has
   * not answered. `refused`: nothing is tried again, and the reason is told.
   */
  readonly is: 'done' | 'left' | 'waits' | 'refused';
  readonly why: string | null;
  /** The command that takes the run up; null where no person has to. */
  readonly next: string | null;
}

/** The wait for a living process to answer, and the interval between looks, in milliseconds. */
const WAIT = 2_000;
const LOOK = 100;

/** Leaves the word for a run. */
export async function retryRun({ journal, run, by, why }: RetryOptions): Promise<Retried | Problem> {
  return inStore(journal, async (store) => {
    const { note, held } = await runNamed(store, run);
    const left = await leftFor(store, run, { by, why });
    if (typeof left === 'string') return { run, post: null, is: 'refused', why: left, next: null };
    const answered = held ? await answeredIn(store, run, left) : null;
    if (answered !== null) return { run, post: left, ...answered, next: null };
    const isPaused = parseRunNote(note)?.standing.is === 'paused';
    const paused = isPaused ? 'it is paused, and the step is tried again after unpause' : null;
    const isFree = !held && !isPaused && (await store.work.order(run)) === null;
    const next = isPaused ? command('unpause', run, journal, '--by', 'NAME') : command('resume', run, journal);
    return { run, post: left, is: held ? 'waits' : 'left', why: paused, next: isPaused || isFree ? next : null };
  });
}

/** Leaves the message. @returns its number, or the reason why the run takes none. */
async function leftFor(
  store: JournalStore,
  run: string,
  { by, why }: Pick<RetryOptions, 'by' | 'why'>,
): Promise<number | string> {
  try {
    return await workClient(store).retry(run, { ...(by !== null && { by }), ...(why !== null && { why }) });
  } catch (error) {
    if (error instanceof RangeError) return error.message;
    throw error;
  }
}

/** Waits until the process that has the run answers the message; null where it does not in time. */
async function answeredIn(store: JournalStore, run: string, post: number): Promise<Pick<Retried, 'is' | 'why'> | null> {
  for (const end = Date.now() + WAIT; Date.now() < end; ) {
    await PROCESS.pause(LOOK);
    const outcome = await workClient(store).outcome(run, post);
    if (outcome?.is === 'taken') return { is: 'done', why: null };
    if (outcome?.is === 'refused') return { is: 'refused', why: outcome.why };
  }
  return null;
}

/** The exit code: 1 where nothing is tried again. */
export function retriedCode({ is }: Retried): number {
  return is === 'refused' ? 1 : 0;
}

/** Formats it in words. */
export function retriedText({ run, post, is, why, next }: Retried): string {
  const then = next === null ? '' : `${printable(next)}\n`;
  return `${printable(`${run}: ${outcomeText(is, post, why)}`)}\n${then}`;
}

function outcomeText(is: Retried['is'], post: Retried['post'], why: string | null): string {
  const under = `, as message ${post}${why === null ? '' : `: ${why}`}`;
  switch (is) {
    case 'done':
      return 'the step that threw is tried again';
    case 'left':
      return `left for the process that takes the run next${under}`;
    case 'waits':
      return `left for the process that has the run, which has not answered yet${under}`;
    case 'refused':
      return `refused: ${why}`;
  }
}
