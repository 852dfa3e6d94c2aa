/**
 * The verb `compact`: takes runs out of a store that are over and owe nothing, each kept as an archive first, archives the oldest rows of the
 * others, and says why the rest stays.
 */
import { JournalError, type JournalStore } from '../../journal/journal.ts';
import { deletable, deleteEnded } from '../../workers/deleting.ts';
import { openJournal } from '../reading/journal-key.ts';
import { type Counting, journalProblem, runNamed } from '../reading/reading.ts';
import { archiveInto } from './folder.ts';
import { type ArchivedRows, archiveRows } from './rows.ts';

/** Options of compacting. */
export interface CompactOptions {
  readonly journal: string;
  /** The one run that is looked at; null for all. */
  readonly run: string | null;
  /** The folder of the archives. */
  readonly into: string;
  /** True where nothing is to be changed. */
  readonly dryRun: boolean;
  /** Told of the rows of a run that were held against its base, of which there may be many. */
  readonly counting: Counting;
  /** Told of each run that was looked at. */
  readonly onRun: (compacted: Compacted) => void;
}

/** A run that was looked at. `why`: the reason why it stays, beside which stand its rows; null where it goes. */
export interface Compacted {
  readonly run: string;
  readonly rows: number;
  readonly why: string | null;
  /** Of a run that stays: the rows that are archived by now, those that went now, and the reason why the others stay. Null where it cannot be read. */
  readonly of: ArchivedRows | null;
}

/** The runs that went and stayed, their rows, and the bytes that a file gave back; null where it gives none back. */
export interface CompactTotals {
  readonly gone: number;
  readonly goneRows: number;
  readonly stayed: number;
  readonly stayedRows: number;
  /** The rows of runs that stayed which were archived now. */
  readonly movedRows: number;
  /** The folder that they are in; null where the store archives none. */
  readonly folder: string | null;
  readonly bytes: number | null;
}

/** Compacts a store. A run that cannot be read stays, with its code as the reason. */
export async function compact(options: CompactOptions): Promise<CompactTotals | { readonly problem: string }> {
  const { journal, run, dryRun } = options;
  let store: JournalStore | undefined;
  try {
    // Opened for reading first: a name that was typed wrong makes no file.
    store = await openJournal(journal, { readonly: true });
    if (!dryRun) {
      await store.close();
      store = await openJournal(journal);
    }
    const runs = run === null ? await store.runs() : [await runNamed(store, run)];
    const totals = { gone: 0, goneRows: 0, stayed: 0, stayedRows: 0, movedRows: 0 };
    for (const { run: name, head } of runs) {
      const { why, of } = await looked(store, name, options);
      options.onRun({ run: name, rows: head, why, of });
      const [count, rows] = why === null ? (['gone', 'goneRows'] as const) : (['stayed', 'stayedRows'] as const);
      totals[count] += 1;
      totals[rows] += head;
      totals.movedRows += of?.moved ?? 0;
    }
    const isSmaller = !dryRun && (totals.gone > 0 || totals.movedRows > 0);
    const bytes = isSmaller ? ((await store.shrink?.()) ?? null) : null;
    return { ...totals, folder: store.archive?.folder ?? null, bytes };
  } catch (error) {
    const { code, message } = error as { code?: unknown; message?: string };
    if (!(error instanceof JournalError) && typeof code === 'string') return { problem: `${options.into}: ${message}` };
    return { problem: journalProblem(journal, error) };
  } finally {
    await store?.close();
  }
}

/**
 * Deletes a run, or archives rows of a run that stays. A run that cannot be read stays unchanged, with its error code
 * as the reason.
 */
async function looked(
  store: JournalStore,
  run: string,
  { dryRun, into, counting }: CompactOptions,
): Promise<Pick<Compacted, 'why' | 'of'>> {
  try {
    const why = dryRun ? (await deletable(store, run)).why : await deleteEnded(store, run, archiveInto(into));
    return { why, of: why === null ? null : await archiveRows(store, run, { dryRun, counting }) };
  } catch (error) {
    if (!(error instanceof JournalError)) throw error;
    return { why: error.code === 'run_unknown' ? 'another process has deleted it' : error.code, of: null };
  }
}
