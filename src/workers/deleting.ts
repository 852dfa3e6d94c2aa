/** Deletes runs that are over: those that owe nothing any more. */
import { gathered } from '../journal/gathered.ts';
import { JournalError, type JournalStore } from '../journal/journal.ts';
import { timelineOf } from '../reports/timeline.ts';

/**
 * Deletes a run that has ended and owes nothing, with its messages and its request.
 * @returns the reason why it stays; null where it is gone.
 * @throws JournalError `run_unknown`, `journal_corrupt`: what cannot be read is not deleted.
 */
export async function deleteEnded(store: JournalStore, run: string): Promise<string | null> {
  const summary = await store.run(run);
  if (summary?.held) return 'a living process holds it';
  const posts = (await store.posts(run)).length;
  const { runState, rows } = timelineOf(await gathered(store.read(run)));
  if (runState.ended === null)
    return rows === 0 ? 'it has not begun: cancel it first' : 'it has not ended: cancel it first';
  const commit = runState.publications[0];
  if (commit !== undefined) return `it owes a commit of ${commit.instance.skeleton} that is not wholly visible`;
  const open = runState.ledger.open()[0];
  if (open !== undefined) return `it is unknown what became of ${open.intent.tool}`;
  try {
    return (await store.delete(run, { head: rows, posts })) ? null : 'it has moved on since it was looked at';
  } catch (error) {
    if (error instanceof JournalError && error.code === 'lease_held') return 'a living process holds it';
    throw error;
  }
}
