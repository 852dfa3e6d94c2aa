/** The verb `release`: a person frees the claims of a run that no process has. */
import { gathered } from '../../journal/gathered.ts';
import type { JournalStore } from '../../journal/journal.ts';
import { timelineOf } from '../../reports/timeline.ts';
import { openJournal } from '../reading/journal-key.ts';
import { journalProblem, runNamed } from '../reading/reading.ts';
import { command, count } from '../terminal/wording.ts';

/** Options of `release`. */
export interface ReleaseOptions {
  readonly journal: string;
  readonly run: string;
  readonly by: string | null;
  readonly why: string | null;
  /** True to free them though calls of the run are not settled. */
  readonly unsettled: boolean;
}

/** Claims that were freed. */
export interface Released {
  readonly run: string;
  readonly keys: readonly string[];
  readonly by: string | null;
  readonly why: string | null;
  /** The calls of which nothing is known, by the names of their tools. */
  readonly unsettled: readonly string[];
}

/** A refusal, and the exit code that goes with it. */
interface Refused {
  readonly problem: string;
  readonly code: 1 | 2;
}

/** Frees the claims of a run. */
export async function releaseClaims(options: ReleaseOptions): Promise<Released | Refused> {
  const { journal } = options;
  try {
    // What reads finds a place that is not there, and makes none.
    const reader = await openJournal(journal, { readonly: true });
    await runNamed(reader, options.run).finally(() => reader.close());
    const store = await openJournal(journal);
    try {
      return await released(store, options);
    } finally {
      await store.close();
    }
  } catch (error) {
    return { problem: journalProblem(journal, error), code: 2 };
  }
}

async function released(store: JournalStore, options: ReleaseOptions): Promise<Released | Refused> {
  const { journal, run, by, why } = options;
  // The head first: what comes after it makes the store refuse.
  const { head } = await runNamed(store, run);
  const { ledger } = timelineOf(await gathered(store.read(run))).runState;
  // A held call leaves with its commit, which may come once the run is taken up.
  const unsettled = [...ledger.open(), ...ledger.buffered()].map(({ intent }) => intent.tool);
  if (unsettled.length > 0 && !options.unsettled) {
    const what = `${count(unsettled.length, 'call')} of ${run} may still happen (${unsettled.join(', ')})`;
    const how = `settle them (${command('explain', run, journal)}), or free the claims all the same with --unsettled`;
    return { problem: `${what}: ${how}`, code: 1 };
  }
  const keys = await store.claims.free(run, head, by, why ?? undefined);
  if (keys === null) return { problem: `${run} has gone on since it was read: look again`, code: 1 };
  return { run, keys, by, why, unsettled };
}
