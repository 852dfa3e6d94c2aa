/**
 * A run as lines of JSON, whole: its request, its rows and its messages, from any store (docs/archive-format.md). The
 * last line has the digest of the other lines, so a truncated or changed archive is refused and never read. Several
 * runs may follow one another in a file.
 */

import { createHash } from 'node:crypto';
import { NAME, refuseOther } from '../../model/argument.ts';
import { JournalError, type JournalStore, type Posted, type StoredRow } from '../journal.ts';
import { checkRow, isRunName } from '../rows.ts';
import { STORE } from '../store-argument.ts';
import type { WorkOrder } from '../work.ts';

/** The version of the format. */
const VERSION = 1;
/** The beginning of the first line: it tells an archive from other files. */
const BEGINNING = '{"belay":"run"';

/** A run as its archive has it. */
export interface ArchivedRun {
  readonly run: string;
  /** The request that it was left for workers with; null where it was begun otherwise. */
  readonly order: WorkOrder | null;
  readonly rows: readonly StoredRow[];
  readonly posts: readonly Posted[];
}

/** True for the first bytes of an archive. */
export function isArchive(bytes: Uint8Array): boolean {
  return Buffer.from(bytes).toString('latin1').startsWith(BEGINNING);
}

/** The length of what `isArchive` needs to see, in bytes. */
export const SEEN = BEGINNING.length;

/**
 * Writes a run as lines, each with its line break. What it holds is in the clear, also where its store is encrypted.
 * @throws JournalError as the store does: `run_unknown`, `journal_corrupt`.
 * @example
 * import { memoryStore } from 'belay-sidecar';
 * import { archiveLines } from 'belay-sidecar/workers';
 *
 * const store = memoryStore();
 * await (await store.open('order-1', 'create')).close();
 * const lines = [];
 * for await (const line of archiveLines(store, 'order-1')) lines.push(JSON.parse(line));
 * assert.deepEqual([lines[0].run, lines.at(-1).rows], ['order-1', 0]);
 */
export async function* archiveLines(store: JournalStore, run: string): AsyncGenerator<string> {
  refuseOther('archiveLines', { store: [store, STORE], run: [run, NAME] });
  const digest = createHash('sha256');
  const line = (value: object) => {
    const text = lineOf(value);
    digest.update(text);
    return text;
  };
  const order = await store.work.order(run);
  yield line({ belay: 'run', version: VERSION, run, order: order === null ? null : { ...order, held: false } });
  let rows = 0;
  for await (const { seq, time, kind, body } of store.read(run)) {
    rows += 1;
    yield line({ seq, time, kind, body });
  }
  // Read after the rows, which name the messages that were taken.
  const posts = await store.posts(run);
  for (const { number, time, body } of posts) yield line({ post: number, time, body });
  const sha256 = digest.digest('hex');
  yield lineOf({ end: run, rows, posts: posts.length, sha256 });
}

/** Makes a line in ASCII, so that no editor, transport or terminal changes a character or shows another. */
function lineOf(value: object): string {
  return `${JSON.stringify(value).replace(/[\u007f-\uffff]/g, escaped)}\n`;
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/**
 * Reads an archive back, whole.
 * @throws JournalError `journal_corrupt` if any part differs from the written form; `journal_not_ours` if the archive
 * has another version.
 */
export function archivedRuns(text: string, path: string): readonly ArchivedRun[] {
  const lines = text.split('\n');
  if (lines.pop() !== '') throw corrupt(path, lines.length + 1, 'the last line is cut off');
  const found: ArchivedRun[] = [];
  let open: Opened | null = null;
  for (const [index, line] of lines.entries()) {
    const bad = (why: string) => corrupt(path, index + 1, why);
    const value = objectIn(line);
    if (value === null) throw bad('it is no JSON object');
    if (open === null) open = begun(value, found, bad);
    else if (Object.hasOwn(value, 'end')) {
      found.push(ended(open, value, bad));
      open = null;
      continue;
    } else if (Object.hasOwn(value, 'post')) open.posts.push(postIn(value, open, bad));
    else open.rows.push(rowIn(value, open, bad));
    open.digest.update(`${line}\n`);
  }
  if (open !== null) throw corrupt(path, lines.length + 1, `run ${JSON.stringify(open.run)} has no end`);
  return found;
}

interface Opened extends ArchivedRun {
  readonly rows: StoredRow[];
  readonly posts: Posted[];
  readonly digest: ReturnType<typeof createHash>;
}

type Value = Readonly<Record<string, unknown>>;
type Bad = (why: string) => JournalError;

function begun({ belay, version, run, order }: Value, found: readonly ArchivedRun[], bad: Bad): Opened {
  if (belay !== 'run' || !isCount(version)) throw bad('a run begins with {"belay":"run","version":…}');
  if (version !== VERSION)
    throw new JournalError('journal_not_ours', bad(`it has version ${version}, and this Belay has ${VERSION}`).message);
  if (typeof run !== 'string' || !isRunName(run)) throw bad('it has no name that a run can have');
  if (found.some((each) => each.run === run)) throw bad(`run ${JSON.stringify(run)} is there twice`);
  // The digest at the end says that it is as it was written.
  return { run, order: order as WorkOrder | null, rows: [], posts: [], digest: createHash('sha256') };
}

function rowIn({ seq, time, kind, body }: Value, { rows }: Opened, bad: Bad): StoredRow {
  if (seq !== rows.length + 1) throw bad(`row ${rows.length + 1} is missing`);
  if (typeof time !== 'number' || time < (rows.at(-1)?.time ?? 0) || typeof body !== 'string')
    throw bad('it is no row');
  const row = { seq, time, kind: kind as number, body };
  try {
    checkRow(row);
  } catch (error) {
    throw bad((error as Error).message);
  }
  return row;
}

function postIn({ post, time, body }: Value, { posts }: Opened, bad: Bad): Posted {
  if (post !== posts.length + 1 || typeof time !== 'number' || typeof body !== 'string')
    throw bad(`message ${posts.length + 1} is missing`);
  return { number: post, time, body };
}

function ended({ digest, ...run }: Opened, end: Value, bad: Bad): ArchivedRun {
  const wanted = { end: run.run, rows: run.rows.length, posts: run.posts.length, sha256: digest.digest('hex') };
  for (const [name, value] of Object.entries(wanted))
    if (end[name] !== value) throw bad(`run ${JSON.stringify(run.run)} is not as it was written (${name})`);
  return run;
}

function objectIn(line: string): Value | null {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Value) : null;
  } catch {
    return null;
  }
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function corrupt(path: string, line: number, why: string): JournalError {
  return new JournalError('journal_corrupt', `${path}:${line}: ${why}. Export the run again.`);
}
