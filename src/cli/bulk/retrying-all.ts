/** `retry` with `--all`: lists the runs that are parked on a step that threw, and leaves a retry for each. */
import { gathered } from '../../journal/gathered.ts';
import type { JournalStore } from '../../journal/journal.ts';
import { whyNoRetry } from '../../reports/no-retry.ts';
import { parseRunNote } from '../../reports/run-note.ts';
import { timelineOf } from '../../reports/timeline.ts';
import { workClient } from '../../workers/client.ts';
import { outcomeOf } from '../workers/leaving.ts';
import { type BulkTold, digestOf } from './listing.ts';
import { type Condition, holds } from './where.ts';

/** The fields that runs are chosen by. */
export const RETRY_FIELDS = ['agent', 'run', 'code'] as const;

/** A run that would be tried again. */
export interface RetriedRun {
  readonly run: string;
  readonly agent: string | null;
  readonly held: boolean;
  /** The signal of the newest throw. */
  readonly code: string;
  readonly error: string;
  /** The rows that the list was made from. */
  readonly head: number;
}

/** The runs in which a step may be tried again, as the conditions choose them. Of runs that have a note, only the parked are read. */
export async function retriesMeant(
  store: JournalStore,
  conditions: readonly Condition[],
): Promise<readonly RetriedRun[]> {
  const found: RetriedRun[] = [];
  for (const { run, note, held, head } of await store.runs()) {
    const noted = parseRunNote(note);
    if (noted !== null && noted.standing.is !== 'parked') continue;
    const { agent, runState, open } = timelineOf(await gathered(store.read(run)));
    // The process that has the run may still have the event of a step that no other has.
    if (whyNoRetry(runState, ({ lost }) => held || lost !== true) !== null) continue;
    const thrown = open.findLast(({ entry }) => entry.thrown !== undefined);
    if (thrown === undefined) continue;
    const { signal: code, error } = thrown.around;
    if (holds(conditions, { agent, run, code })) found.push({ run, agent, held, code, error, head });
  }
  return found;
}

/** The digest of the runs. */
export function retriesDigest(runs: readonly RetriedRun[]): string {
  return digestOf(runs.map(({ run, head }) => [run, head]));
}

/** Leaves the words, and waits for those that living processes take. */
export async function retryAll(
  store: JournalStore,
  runs: readonly RetriedRun[],
  { by, why }: { readonly by: string; readonly why: string | null },
): Promise<readonly BulkTold[]> {
  return Promise.all(
    runs.map(async ({ run, held }): Promise<BulkTold> => {
      try {
        const post = await workClient(store).retry(run, { by, ...(why !== null && { why }) });
        if (!held) return { run, gate: null, post, is: 'left', why: null };
        const outcome = await outcomeOf(store, run, post);
        const is = outcome.is === 'taken' ? 'done' : outcome.is === 'refused' ? 'refused' : 'waits';
        return { run, gate: null, post, is, why: outcome.why };
      } catch (error) {
        if (!(error instanceof RangeError)) throw error;
        return { run, gate: null, post: null, is: 'refused', why: error.message };
      }
    }),
  );
}
