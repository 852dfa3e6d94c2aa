/** The verbs `runs`, which lists what a journal file holds, and `export`, which writes a run, whole or as a trace. */
import { archiveLines } from '../../journal/archive/lines.ts';
import { JournalError, type JournalStore, type RunSummary } from '../../journal/journal.ts';
import { parseRunNote, runNoteOf } from '../../reports/run-note.ts';
import type { RunStatus } from '../../reports/run-status.ts';
import { traceOf } from '../../reports/trace.ts';
import { type Counting, countedRows, reading, runNamed, type Told } from '../reading/reading.ts';
import { table } from '../terminal/table.ts';
import type { Medium } from '../terminal/terminal.ts';
import { statusFields, statusText, timeText } from '../terminal/wording.ts';

interface Listed extends RunSummary {
  readonly agent: string | null;
  /** The status of the run, or the code with which its journal refuses to be read. */
  readonly stands: RunStatus | { readonly code: string };
}

/** Lists the runs of a journal file. */
export async function listRuns(file: string, json: boolean, medium: Medium, counting: Counting): Promise<Told> {
  return reading(file, async (store) => {
    const runs: Listed[] = [];
    for (const run of await store.runs()) runs.push(await listed(store, run, counting));
    const unread = runs.flatMap(({ run, stands }) =>
      'code' in stands ? [`${JSON.stringify(run)} (${stands.code})`] : [],
    );
    const problem = unread.length === 0 ? null : `${file}: cannot be read: ${unread.join(', ')}`;
    if (json) return { pieces: runs.map((run) => `${JSON.stringify(fields(run))}\n`), problem };
    if (runs.length === 0) return ['no runs yet\n'];
    const columns = [
      { name: 'RUN' },
      { name: 'AGENT' },
      { name: 'ROWS', right: true },
      { name: 'LAST WRITTEN' },
      { name: 'STANDS' },
    ];
    const rows = runs.map(({ run, agent, head, time, held, stands }) => {
      const text = 'code' in stands ? stands.code : statusText(stands, held);
      return [run, agent ?? '', String(head), timeText(time), text];
    });
    return { pieces: [table(columns, rows, medium)], problem };
  });
}

/** A run as its note tells it, or else its rows. A damaged run must not hide the others. */
async function listed(store: JournalStore, run: RunSummary, counting: Counting): Promise<Listed> {
  try {
    const { agent, standing } = parseRunNote(run.note) ?? runNoteOf(await countedRows(store, run.run, counting));
    return { ...run, agent, stands: standing };
  } catch (error) {
    if (!(error instanceof JournalError)) throw error;
    return { ...run, agent: null, stands: { code: error.code } };
  }
}

function fields({ run, agent, head, time, held, stands }: Listed): object {
  const how = 'code' in stands ? { standing: null, code: stands.code, held } : statusFields(stands, held);
  return { run, agent, head, time: new Date(time).toISOString(), ...how };
}

/** Writes a run as a trace (docs/trace-format.md). */
export async function exportTrace(file: string, run: string, counting: Counting): Promise<Told> {
  return reading(file, async (store) => {
    const lines: string[] = [];
    for (const { text } of traceOf(run, await countedRows(store, run, counting))) lines.push(`${text}\n`);
    return lines;
  });
}

/** Writes a run whole (docs/archive-format.md). */
export async function exportWhole(file: string, run: string, counting: Counting): Promise<Told> {
  return reading(file, async (store) => {
    await runNamed(store, run);
    const lines: string[] = [];
    for await (const line of archiveLines(store, run)) counting(lines.push(line));
    return lines;
  });
}
