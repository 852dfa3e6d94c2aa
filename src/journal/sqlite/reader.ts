/** Reads from an open file without a lease: the rows of a run, its messages, and a summary of all runs. */

import type { Base, Posted, RunSummary, RunsFilter, StoredRow } from '../journal.ts';
import { checkLimit, wrongRun } from '../rows.ts';
import type { OpenFile } from './file/file.ts';
import { atOnce } from './file/transaction.ts';
import { Inbox } from './inbox.ts';
import type { Leases } from './lease/lease.ts';
import { Bases } from './log/bases.ts';
import type { ListedRun, Note, StoredEnd } from './log/listed.ts';
import type { Notes } from './log/notes.ts';
import type { Run } from './log/run.ts';
import type { Tables } from './log/tables.ts';
import { verifiedHead, verifiedRows } from './log/verify.ts';

/** Reads several things of one moment, of a log that is not behind its anchor. */
function currently<T>(
  { db, anchor, tables }: Pick<OpenFile, 'db' | 'anchor'> & { readonly tables: Tables },
  work: () => T,
): T {
  // Read before the transaction: the anchor may lag behind the log that the transaction sees, and must never be ahead
  // of it.
  const anchored = anchor.head();
  return atOnce(db, () => {
    tables.log.refresh();
    tables.log.check(anchored);
    return work();
  });
}

/** The durable rows of a run, up to where it ended when the first was asked for. */
export function* rowsOf(
  { db, anchor, identity }: Omit<OpenFile, 'presence'>,
  tables: Tables,
  name: string,
): Generator<StoredRow> {
  const found = tables.run(name);
  if (found === null) throw wrongRun('run_unknown', name);
  const head = currently({ db, anchor, tables }, () => verifiedHead(tables, identity, found));
  yield* verifiedRows(tables, identity, found, 0, head.seq);
}

/** The base of a run; null where there is none that fits. */
export function baseOf(
  { db, anchor, identity }: Omit<OpenFile, 'presence'>,
  tables: Tables,
  name: string,
): Base | null {
  const found = tables.run(name);
  if (found === null) throw wrongRun('run_unknown', name);
  return currently({ db, anchor, tables }, () => {
    const { seq } = verifiedHead(tables, identity, found);
    return new Bases(db, tables, identity).of(found, seq);
  });
}

/** The messages of a run. */
export function postsOf({ db }: Omit<OpenFile, 'presence'>, tables: Tables, name: string): Posted[] {
  const found = tables.run(name);
  if (found === null) throw wrongRun('run_unknown', name);
  return new Inbox(db, tables).after(found, 0);
}

/** The number of runs that are read at once. */
const PAGE = 1_000;

/** The parts of a file that a list of runs is read from. */
export interface Listing {
  readonly file: Omit<OpenFile, 'presence'>;
  readonly tables: Tables;
  readonly leases: Leases;
  readonly notes: Notes;
}

/** A run, its head checked; null where there is none. */
export function summary(listing: Listing, name: string): RunSummary | null {
  const { file, tables, leases, notes } = listing;
  const found = tables.run(name);
  if (found === null) return null;
  const inbox = new Inbox(file.db, tables);
  return currently({ ...file, tables }, () =>
    summaryOf(listing, inbox, found, notes.of(found), leases.isHeld(found.id)),
  );
}

/**
 * The runs that were asked for, their heads checked. Costs the same for each run; if the note of a run is about its
 * head, no rows are read.
 */
export function summaries(listing: Listing, { after, limit, state }: RunsFilter): readonly RunSummary[] {
  const { file, tables, leases, notes } = listing;
  checkLimit(limit);
  const first = after === undefined ? null : tables.run(after);
  if (after !== undefined && first === null) throw wrongRun('run_unknown', after);
  const inbox = new Inbox(file.db, tables);
  return currently({ ...file, tables }, () => {
    const told: RunSummary[] = [];
    const group = tables.log.remembering();
    for (const run of runsAfter(tables, first?.id ?? 0)) {
      if (told.length === (limit ?? -1)) break;
      const held = leases.isHeldIn(run.lease, run.id);
      if (state !== undefined && held !== (state === 'held')) continue;
      const note = notes.fitting(run, run.note, (row) => group(run, row));
      told.push(summaryOf(listing, inbox, run, note, held, run.end));
    }
    return told;
  });
}

/** The runs with a number above `after`, read a page at a time: what a page takes is free once it is read. */
function* runsAfter(tables: Tables, after: number): Generator<ListedRun> {
  for (let [last, isMore] = [after, true]; isMore; ) {
    const runs = tables.runs(last, PAGE);
    yield* runs;
    last = runs.at(-1)?.id ?? last;
    isMore = runs.length === PAGE;
  }
}

function summaryOf(
  { file, tables }: Listing,
  inbox: Inbox,
  run: Run,
  note: Note | null,
  held: boolean,
  stored?: StoredEnd,
): RunSummary {
  const { seq, time } = verifiedHead(tables, file.identity, run, note, tables.log.endOf(run, stored));
  const posts = inbox.last(run);
  return {
    run: run.name,
    head: seq,
    time,
    held,
    ...(note !== null && { note: note.text }),
    ...(posts > 0 && { posts }),
  };
}
