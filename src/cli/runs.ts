/** The verbs that read a journal file: `runs` lists what is in it, `export` writes a run as a trace. Neither takes a lease. */
import { JournalError, type JournalStore } from '../journal/journal.ts';
import { sqliteStore } from '../journal/sqlite/store.ts';
import { traceOf } from '../sidecar/trace.ts';
import { printable } from './terminal.ts';

/** Where a program keeps its journal unless it says otherwise. */
export const JOURNAL = 'belay.sqlite';

/** What a verb has to say: pieces of text for whoever reads them, and the exit code. */
export interface Told {
  readonly pieces: Iterable<string>;
  /** What went wrong, for the person at the terminal. */
  readonly problem: string | null;
}

/** Lists the runs of a journal file. */
export async function listRuns(file: string, json: boolean): Promise<Told> {
  return reading(file, (store) => {
    const runs = store.runs();
    if (json) return runs.map((run) => `${JSON.stringify({ ...run, time: new Date(run.time).toISOString() })}\n`);
    if (runs.length === 0) return ['no runs yet\n'];
    const width = Math.max(3, ...runs.map(({ run }) => printable(run).length));
    const row = (name: string, head: string, time: string, held: string) =>
      `${name.padEnd(width)}  ${head.padStart(8)}  ${time.padEnd(24)}  ${held}\n`;
    return [
      row('RUN', 'ROWS', 'LAST WRITTEN', 'NOW'),
      ...runs.map(({ run, head, time, held }) =>
        row(printable(run), String(head), new Date(time).toISOString(), held ? 'running' : 'at rest'),
      ),
    ];
  });
}

/** Writes a run as a trace (docs/trace-format.md). */
export async function exportTrace(file: string, run: string): Promise<Told> {
  return reading(file, (store) => {
    const lines: string[] = [];
    for (const { text } of traceOf(run, store.read(run))) lines.push(`${text}\n`);
    return lines;
  });
}

async function reading(file: string, tell: (store: JournalStore) => string[]): Promise<Told> {
  let store: JournalStore | undefined;
  try {
    store = sqliteStore(file, { readonly: true });
    return { pieces: tell(store), problem: null };
  } catch (error) {
    if (!(error instanceof JournalError)) throw error;
    return { pieces: [], problem: `${file}: ${error.code} ${error.message}` };
  } finally {
    await store?.close();
  }
}
