/** Deletes runs that are over and owe nothing any more. */
import { archiveLines } from '../journal/archive/lines.ts';
import { gathered } from '../journal/gathered.ts';
import { JournalError, type JournalStore, type SeenRun } from '../journal/journal.ts';
import { type Timeline, timelineOf } from '../reports/timeline.ts';
import { groupOf } from '../sidecar/attempts/group.ts';

/** Keeps the lines of a run elsewhere before it is deleted; where it fails, the run stays. */
export type Archive = (run: string, lines: AsyncIterable<string>) => Promise<void>;

/** A run as the sweep saw it, and the reason why the run cannot be deleted; null if it can. */
export interface Deletable {
  readonly why: string | null;
  readonly seen: SeenRun;
}

/**
 * Tells if a run could be deleted: it has ended and owes nothing, and no sandbox of it is left, which another run of its name would be given.
 * @throws JournalError `run_unknown`, `journal_corrupt`.
 */
export async function deletable(store: JournalStore, run: string): Promise<Deletable> {
  const summary = await store.run(run);
  const posts = summary?.held === true ? 0 : (await store.posts(run)).length;
  if (summary?.held === true) return { why: HELD, seen: { head: summary.head, posts } };
  const { runState, rows } = timelineOf(await gathered(store.read(run)));
  const [box] = (await store.sandboxes?.list(run)) ?? [];
  const why =
    owed(runState, rows) ??
    (await neededByGroup(store, run, runState)) ??
    (box === undefined ? null : `its sandbox ${box.name} is not destroyed yet: see belay sandboxes`);
  return { why, seen: { head: rows, posts } };
}

/**
 * Deletes a run that has ended and owes nothing, with its messages and its request.
 * @param archive is given the run first, whole (docs/archive-format.md).
 * @returns the reason why it stays; null where it is gone.
 * @throws what `archive` does, and JournalError `run_unknown`, `journal_corrupt`: what cannot be read is not deleted.
 */
export async function deleteEnded(store: JournalStore, run: string, archive?: Archive): Promise<string | null> {
  const { why, seen } = await deletable(store, run);
  if (why !== null) return why;
  // What comes to the run after it was looked at keeps it from being deleted.
  await archive?.(run, archiveLines(store, run));
  try {
    return (await store.delete(run, seen)) ? null : 'it has moved on since it was looked at';
  } catch (error) {
    if (error instanceof JournalError && error.code === 'lease_held') return HELD;
    throw error;
  }
}

/** The first attempt has the choice of its group in its inbox: it stays until the others are over (FK9). */
async function neededByGroup(
  store: JournalStore,
  run: string,
  { attempt }: Timeline['runState'],
): Promise<string | null> {
  const { terms } = attempt.now;
  if (terms === null || terms.number !== 1) return null;
  const { attempts } = await groupOf(store, terms);
  const other = attempts.find((each) => each.run !== run && each.is !== 'over');
  return other === undefined ? null : `the choice of its group is in its inbox, and ${other.run} is not over`;
}

const HELD = 'a living process holds it';

function owed({ ended, publications, ledger }: Timeline['runState'], rows: number): string | null {
  if (ended === null) return rows === 0 ? 'it has not begun: cancel it first' : 'it has not ended: cancel it first';
  const commit = publications[0];
  if (commit !== undefined) return `it owes a commit of ${commit.instance.skeleton} that is not wholly visible`;
  const open = ledger.open()[0];
  return open === undefined ? null : `it is unknown what became of ${open.intent.tool}`;
}
