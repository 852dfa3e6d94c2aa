/**
 * Reads a journal file beside a process that may be writing it: takes no lease and changes nothing. A refusal of the
 * journal becomes one line for the person at the terminal.
 */
import { gathered } from '../../journal/gathered.ts';
import { JournalError, type JournalStore, type RunSummary, type StoredRow } from '../../journal/journal.ts';
import { suggest } from '../../predicates/suggest.ts';
import { type Timeline, timelineOf } from '../../reports/timeline.ts';
import { openJournal } from './journal-key.ts';

/** The output of a verb: pieces of text, and the exit code. */
export interface Told {
  readonly pieces: Iterable<string>;
  /** The problem, for the person at the terminal. */
  readonly problem: string | null;
}

/** A run as it was read. `held` says whether a living process holds it. */
export interface ReadRun extends Timeline {
  readonly run: string;
  readonly held: boolean;
}

/** Called with the number of rows that have been read. */
export type Counting = (rows: number) => void;

/** Opens a journal file for reading, and passes it to a function. */
export async function reading(
  file: string,
  tell: (store: JournalStore) => Promise<readonly string[] | Told>,
): Promise<Told> {
  let store: JournalStore | undefined;
  try {
    store = await openJournal(file, { readonly: true });
    const told = await tell(store);
    return 'pieces' in told ? told : { pieces: told, problem: null };
  } catch (error) {
    return { pieces: [], problem: journalProblem(file, error) };
  } finally {
    await store?.close();
  }
}

/**
 * One line for an error that came of a journal. Rows that no release has written can make the code that reads them fail anywhere: the
 * hash of an archive says that it is whole, and not who wrote it.
 */
export function journalProblem(file: string, error: unknown): string {
  if (error instanceof JournalError) return `${file}: ${error.code} ${error.message}`;
  const what = (error instanceof Error ? `${error.name}: ${error.message}` : String(error)).split('\n')[0];
  const fix =
    'Restore the journal from a backup. Where no program has changed it, this is an error of Belay: report it.';
  return `${file}: journal_corrupt what it holds cannot be read (${what}). ${fix}`;
}

/** Reads a whole run. @throws JournalError for a run that does not exist, with the names that are near. */
export async function readRun(store: JournalStore, run: string, counting: Counting = () => {}): Promise<ReadRun> {
  const { held } = await runNamed(store, run);
  return { run, held, ...timelineOf(await countedRows(store, run, counting)) };
}

/** A run by its name. @throws JournalError where it does not exist, with the names that are near. */
export async function runNamed(store: JournalStore, run: string): Promise<RunSummary> {
  const found = await store.run(run);
  if (found !== null) return found;
  const near = suggest(
    run,
    (await store.runs()).map((each) => each.run),
  );
  throw new JournalError('run_unknown', `There is no run ${JSON.stringify(run)}. ${near}`);
}

/** The rows of a run, counted while they are read. */
export async function countedRows(store: JournalStore, run: string, counting: Counting): Promise<Iterable<StoredRow>> {
  return counted(await gathered(store.read(run)), counting);
}

function* counted(rows: Iterable<StoredRow>, counting: Counting): Generator<StoredRow> {
  let count = 0;
  for (const row of rows) {
    count += 1;
    counting(count);
    yield row;
  }
}
