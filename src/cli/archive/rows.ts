/** Archives the oldest rows of a run that stays: the rows before a base, after a check of the base against them. */
import type { Base, JournalStore } from '../../journal/journal.ts';
import { baseDifference, isReadable } from '../../sidecar/bases/compared.ts';
import { type Counting, countedRows } from '../reading/reading.ts';

/** The rows of a run that are archived, those that went now among them, and the reason why the others stay. */
export interface ArchivedRows {
  readonly archived: number;
  readonly moved: number;
  readonly rest: string;
}

/**
 * Archives the rows of a run.
 * @param dryRun changes nothing, and tells what would go.
 * @param counting is told of the rows that were held against the base.
 * @throws JournalError as the store does: `journal_cannot_write`, `rows_archived`.
 */
export async function archiveRows(
  store: JournalStore,
  run: string,
  { dryRun, counting }: { readonly dryRun: boolean; readonly counting: Counting },
): Promise<ArchivedRows> {
  const { archive } = store;
  if (archive === undefined) return { archived: 0, moved: 0, rest: 'its store archives none' };
  const before = archive.upTo(run);
  const stays = (rest: string): ArchivedRows => ({ archived: before, moved: 0, rest });
  const base = await store.base(run);
  if (base === null) return stays('it has no base yet, which a long run makes by itself');
  const reach = archive.couldReach(run, base.at);
  if (reach <= before) return stays(NEWEST);
  const wrong = await fault(store, run, base, counting);
  if (wrong !== null) return stays(wrong);
  if (!dryRun) archive.moveUpTo(run, reach);
  return { archived: reach, moved: reach - before, rest: NEWEST };
}

const NEWEST = 'they came after its base, or are among the newest commits of the file';

/** Says why a base cannot stand for its rows; null where it can. */
async function fault(store: JournalStore, run: string, base: Base, counting: Counting): Promise<string | null> {
  if (!isReadable(base))
    return 'its base cannot be read here: another release made it, or its agent has codecs of its own';
  const where = await baseDifference(base, await countedRows(store, run, counting));
  return where === null ? null : `its base is not what they come to (${where}): restore the file from a backup`;
}
