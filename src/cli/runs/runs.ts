/** The verbs `runs`, which lists the runs of a journal file, and `export`, which writes a run, whole or as a trace. */
import { complaintIn } from '../../effects/messages/complaints.ts';
import { archiveLines } from '../../journal/archive/lines.ts';
import { gathered } from '../../journal/gathered.ts';
import { JournalError, type JournalStore, type RunSummary } from '../../journal/journal.ts';
import type { OwedCounts } from '../../projection/obligations.ts';
import { leftAtEnd } from '../../reports/left-at-end.ts';
import { parseRunNote, type RunNote, runNoteOf } from '../../reports/run-note.ts';
import { doneWith, type RunStatus } from '../../reports/run-status.ts';
import { timelineOf } from '../../reports/timeline.ts';
import { traceOf } from '../../reports/trace.ts';
import { byWait, needsPerson, type Wait, waitingSince, waitsOf, waitsText } from '../../reports/waits.ts';
import { unheardPause } from '../pause/unheard.ts';
import { type Counting, countedRows, reading, runNamed, type Told } from '../reading/reading.ts';
import { table } from '../terminal/table.ts';
import type { Medium } from '../terminal/terminal.ts';
import { ageText, count, statusFields, statusText, waitFields } from '../terminal/wording.ts';

interface Listed extends RunSummary {
  readonly agent: string | null;
  /** The status of the run, or the code with which its journal refuses to be read. */
  readonly stands: RunStatus | { readonly code: string };
  /** The things that it waits for. */
  readonly waits: readonly Wait[];
  /** The word that the run is to stand still, or to go on, which no process has heard; left out where there is none. */
  readonly unheard?: 'pause' | 'unpause';
  /** What it owes; left out where no call has taken anything on. */
  readonly owes?: OwedCounts;
}

/** Options of the list. */
export interface ListOptions {
  readonly file: string;
  /** True for the runs alone that need a person. */
  readonly waiting: boolean;
  /** The agent whose runs are listed; null for all. */
  readonly agent: string | null;
  /** The least time for which a run has waited, in milliseconds; null for any. */
  readonly since: number | null;
  readonly json: boolean;
  readonly medium: Medium;
  readonly counting: Counting;
  readonly now: number;
}

/** Lists the runs of a journal file. */
export async function listRuns(options: ListOptions): Promise<Told> {
  const { file, json, medium, counting, now } = options;
  return reading(file, async (store) => {
    const noted = notesRead();
    const all: Listed[] = [];
    for (const run of await store.runs()) {
      const note = noted(run.note);
      const read = note === null ? await listed(store, run, counting) : listedAs(run, note);
      all.push(await withUnread(store, read));
    }
    const unread = all.flatMap(({ run, stands }) =>
      'code' in stands ? `${JSON.stringify(run)} (${stands.code})` : [],
    );
    const problem = unread.length === 0 ? null : `${file}: cannot be read: ${unread.join(', ')}`;
    const shown = byWait(all.filter((each) => isWanted(each, options)));
    if (json) return { pieces: shown.map((each) => `${JSON.stringify(fields(each))}\n`), problem };
    const rows = shown.map((each) => cellsOf(each, now));
    return rows.length === 0
      ? [`${emptyText(all.length, options)}\n`]
      : { pieces: [table(COLUMNS, rows, medium)], problem };
  });
}

/** True of a run that the options ask for. A run that cannot be read needs a person, whatever is asked. */
function isWanted({ agent, waits, stands }: Listed, { waiting, agent: wanted, since, now }: ListOptions): boolean {
  if ('code' in stands) return true;
  if (wanted !== null && agent !== wanted) return false;
  if (waiting && !needsPerson(waits)) return false;
  const from = waitingSince(waits);
  return since === null || (from !== null && now - from >= since);
}

function emptyText(known: number, { waiting }: ListOptions): string {
  if (known === 0) return 'no runs yet';
  return waiting ? 'no such run waits for a person' : `no such run among ${count(known, 'run')}`;
}

const COLUMNS = ['RUN', 'AGENT', 'STANDS', 'WAITS FOR', 'SINCE'].map((name) => ({ name, cut: true }));

function cellsOf({ run, agent, head, time, held, stands, unheard, waits, owes }: Listed, now: number): string[] {
  const word = unheard === undefined ? '' : `, ${unheard} not heard yet`;
  const text = 'code' in stands ? stands.code : `${shortStatus(stands, held)}${word}${owedText(owes)}`;
  const since = waitingSince(waits) ?? (head === 0 ? null : time);
  return [run, agent ?? '', text, waitsText(waits), since === null ? '' : ageText(since, now)];
}

/** What a run owes, in a few words; empty for nothing. */
function owedText(owes: OwedCounts | undefined): string {
  if (owes === undefined || owes.open === 0) return '';
  return `, owes ${owes.open}${owes.overdue === 0 ? '' : `, ${owes.overdue} overdue`}`;
}

/** The status in a list, whose next column says what is waited for. */
function shortStatus(stands: RunStatus, held: boolean): string {
  return statusText(stands.is === 'waiting' ? { is: 'open' } : stands, held);
}

/** Reads notes; runs of one agent that stand alike have the same, which is read once. */
function notesRead(): typeof parseRunNote {
  let before: { readonly text: string | undefined; readonly note: RunNote | null } = { text: undefined, note: null };
  return (text) => {
    if (text !== before.text) before = { text, note: parseRunNote(text) };
    return before.note;
  };
}

function listedAs(summary: RunSummary, { agent, standing, waits, owes }: RunNote): Listed {
  const { held, head, time } = summary;
  const last = head === 0 ? null : time;
  const of = { agent, stands: standing, waits: waitsOf(standing.is, waits, { held, last }) };
  return { ...summary, ...of, ...(owes !== undefined && { owes }) };
}

/**
 * A run, with the complaints left for it that no process has read before the run was done, and with a pause that no
 * process has received.
 */
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
    return { ...run, agent: null, stands: { code }, waits: [] };
  }
}

function fields({ run, agent, head, time, held, stands, unheard, waits, owes }: Listed): object {
  const how = 'code' in stands ? { standing: null, code: stands.code, held } : statusFields(stands, held);
  return {
    run,
    agent,
    head,
    time: head === 0 ? null : new Date(time).toISOString(),
    ...how,
    waits: waitFields(waits),
    ...(unheard && { unheard }),
    ...(owes && { owes }),
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
