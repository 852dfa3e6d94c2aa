/** Reads from an open file without a lease: the rows of a run, its messages, and a summary of all runs. */

import type { Posted, RunSummary, RunsFilter, StoredRow } from '../journal.ts';
import { checkLimit, wrongRun } from '../rows.ts';
import { type OpenFile, pragma } from './file/file.ts';
import { INBOX_FORMAT } from './file/format.ts';
import { atOnce } from './file/transaction.ts';
import { Inbox } from './inbox.ts';
import type { Leases } from './lease/lease.ts';
import type { AnchoredHead } from './log/anchor.ts';
import type { Notes } from './log/notes.ts';
import type { Run, Tables } from './log/tables.ts';
import { verifiedHead, verifiedRows } from './log/verify.ts';

/** The durable rows of a run, up to where it ended when the first was asked for. */
export function* rowsOf(
  { db, anchor, identity }: Omit<OpenFile, 'presence'>,
  tables: Tables,
  name: string,
): Generator<StoredRow> {
  const found = tables.run(name);
  if (found === null) throw wrongRun('run_unknown', name);
  // Before the transaction: the anchor may lag behind what that sees, and must never be ahead of it.
  const anchored = anchor.head(found.id);
  const head = atOnce(db, () => verifiedHead(tables, identity, found, anchored));
  yield* verifiedRows(tables, identity, found, 0, head.seq);
}

/** The messages of a run. A file of an older format has none, because no message could be posted to it. */
export function postsOf({ db }: Omit<OpenFile, 'presence'>, tables: Tables, name: string): Posted[] {
  const found = tables.run(name);
  if (found === null) throw wrongRun('run_unknown', name);
  return (pragma(db, 'user_version') as number) < INBOX_FORMAT ? [] : new Inbox(db, tables).after(found, 0);
}

/** The parts of a file that a list of runs is read from. */
export interface Listing {
  readonly file: Omit<OpenFile, 'presence'>;
  readonly tables: Tables;
  readonly leases: Leases;
  readonly notes: Notes;
}

/** A run, its head checked; null where there is none. */
export function summary(listing: Listing, name: string): RunSummary | null {
  const { file, tables } = listing;
  const found = tables.run(name);
  if (found === null) return null;
  const anchored = file.anchor.head(found.id);
  return atOnce(file.db, () => summaryOf(listing, found, anchored));
}

/** The runs that were asked for, their heads checked. Costs the same for each of them, and reads no rows of those whose note is of their head. */
export function summaries(listing: Listing, { after, limit, state }: RunsFilter): readonly RunSummary[] {
  const { file, tables, leases } = listing;
  checkLimit(limit);
  const first = after === undefined ? null : tables.run(after);
  if (after !== undefined && first === null) throw wrongRun('run_unknown', after);
  // Before the transaction: the anchors may lag behind what that sees, and must never be ahead of it.
  const anchored = file.anchor.heads();
  return atOnce(file.db, () =>
    tables
      .runs(first?.id ?? 0, state === undefined ? limit : undefined)
      .filter((run) => state === undefined || leases.isHeld(run.id) === (state === 'held'))
      .slice(0, limit)
      .map((run) => summaryOf(listing, run, anchored(run.id))),
  );
}

function summaryOf({ file, tables, leases, notes }: Listing, run: Run, anchored: AnchoredHead | null): RunSummary {
  const note = notes.of(run);
  const { seq, time } = verifiedHead(tables, file.identity, run, anchored, note?.at);
  return { run: run.name, head: seq, time, held: leases.isHeld(run.id), ...(note !== null && { note: note.text }) };
}
