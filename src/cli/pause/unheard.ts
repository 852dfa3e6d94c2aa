/** Finds a pause or unpause that was left for a run and that no process has received yet. */
import { pauseIn } from '../../effects/messages/pauses.ts';
import type { JournalStore, RunSummary } from '../../journal/journal.ts';
import { isOver, type RunStatus } from '../../reports/run-status.ts';

/**
 * The last word that was left for a run that no process has, and that is not so by now: true for a pause, false for its end; null where there is
 * none.
 */
export async function unheardPause(
  store: JournalStore,
  { run, held, posts = 0 }: RunSummary,
  standing: RunStatus,
): Promise<boolean | null> {
  if (posts === 0 || held || isOver(standing)) return null;
  const words = (await store.posts(run)).flatMap(({ body }) => pauseIn(body) ?? []);
  const last = words.at(-1);
  return last === undefined || last.pause === (standing.is === 'paused') ? null : last.pause;
}
