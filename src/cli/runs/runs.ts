/** The verbs `runs`, which lists what a journal file holds, and `export`, which writes a run, whole or as a trace. */
import { complaintIn } from '../../effects/messages/complaints.ts';
import { archiveLines } from '../../journal/archive/lines.ts';
import { gathered } from '../../journal/gathered.ts';
import { JournalError, type JournalStore, type RunSummary } from '../../journal/journal.ts';
import { leftAtEnd } from '../../reports/left-at-end.ts';
import { parseRunNote, type RunNote, runNoteOf } from '../../reports/run-note.ts';
import { doneWith, type RunStatus } from '../../reports/run-status.ts';
import { timelineOf } from '../../reports/timeline.ts';
import { traceOf } from '../../reports/trace.ts';
import { unheardPause } from '../pause/unheard.ts';
import { type Counting, countedRows, reading, runNamed, type Told } from '../reading/reading.ts';
import { table } from '../terminal/table.ts';
import type { Medium } from '../terminal/terminal.ts';
import { statusFields, statusText, timeText } from '../terminal/wording.ts';

interface Listed extends RunSummary {
  readonly agent: string | null;
  /** The status of the run, or the code with which its journal refuses to be read. */
  readonly stands: RunStatus | { readonly code: string };
  /** The word that the run is to stand still, or to go on, which no process has heard; left out where there is none. */
  readonly unheard?: 'pause' | 'unpause';
}

/** Lists the runs of a journal file. */
export async function listRuns(file: string, json: boolean, medium: Medium, counting: Counting): Promise<Told> {
  return reading(file, async (store) => {
    const noted = notesRead();
    const unread: string[] = [];
    const lines: string[] = [];
    const rows: string[][] = [];
    for (const run of await store.runs()) {
      const note = noted(run.note);
      const read = note === null ? await listed(store, run, counting) : listedAs(run, note);
      const told = await withUnread(store, read);
      if ('code' in told.stands) unread.push(`${JSON.stringify(told.run)} (${told.stands.code})`);
      if (json) lines.push(`${JSON.stringify(fields(told))}\n`);
      else rows.push(cellsOf(told));
    }
    const problem = unread.length === 0 ? null : `${file}: cannot be read: ${unread.join(', ')}`;
    if (json) return { pieces: lines, problem };
    return rows.length === 0 ? ['no runs yet\n'] : { pieces: [table(COLUMNS, rows, medium)], problem };
  });
}

const COLUMNS = [
  { name: 'RUN' },
  { name: 'AGENT' },
  { name: 'ROWS', right: true },
  { name: 'LAST WRITTEN' },
  { name: 'STANDS' },
];

function cellsOf({ run, agent, head, time, held, stands, unheard }: Listed): string[] {
  const word = unheard === undefined ? '' : `, ${unheard} not heard yet`;
  const text = 'code' in stands ? stands.code : `${statusText(stands, held)}${word}`;
  return [run, agent ?? '', String(head), head === 0 ? 'not yet' : timeText(time), text];
}

/** Reads notes; runs of one agent that stand alike have the same, which is read once. */
function notesRead(): typeof parseRunNote {
  let before: { readonly text: string | undefined; readonly note: RunNote | null } = { text: undefined, note: null };
  return (text) => {
    if (text !== before.text) before = { text, note: parseRunNote(text) };
    return before.note;
  };
}

function listedAs(summary: RunSummary, { agent, standing }: RunNote): Listed {
  return { ...summary, agent, stands: standing };
}

/** A run, with the complaints that were left for it and that no process has read before it was done, and a pause that none has heard. */
async function withUnread(store: JournalStore, listed: Listed): Promise<Listed> {
  const { stands, posts = 0, held, run } = listed;
  if ('code' in stands || posts === 0 || held) return listed;
  const word = await unheardPause(store, listed, stands);
  if (word !== null) return { ...listed, unheard: word ? 'pause' : 'unpause' };
  if (stands.is !== 'done') return listed;
  const left = await store.posts(run);
  if (left.every(({ body }) => complaintIn(body) === null)) return listed;
  const { runState } = timelineOf(await gathered(store.read(run)));
  return { ...listed, stands: doneWith(leftAtEnd(runState, left)) };
}

/** A run as its rows tell it. A damaged run must not hide the others. */
async function listed(store: JournalStore, run: RunSummary, counting: Counting): Promise<Listed> {
  try {
    return listedAs(run, runNoteOf(await countedRows(store, run.run, counting)));
  } catch (error) {
    const code = error instanceof JournalError ? error.code : 'journal_corrupt';
    return { ...run, agent: null, stands: { code } };
  }
}

function fields({ run, agent, head, time, held, stands, unheard }: Listed): object {
  const how = 'code' in stands ? { standing: null, code: stands.code, held } : statusFields(stands, held);
  return {
    run,
    agent,
    head,
    time: head === 0 ? null : new Date(time).toISOString(),
    ...how,
    ...(unheard && { unheard }),
  };
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
