/** Reads from an open file without a lease: the rows of a run, its messages, and a summary of all runs. */

import type { JournalStore, Posted, RunSummary, StoredRow } from '../journal.ts';
import { wrongRun } from '../rows.ts';
import { type OpenFile, pragma } from './file/file.ts';
import { INBOX_FORMAT } from './file/format.ts';
import { atOnce } from './file/transaction.ts';
import { Inbox } from './inbox.ts';
import type { Leases } from './lease/lease.ts';
import type { AnchoredHead } from './log/anchor.ts';
import type { Tables } from './log/tables.ts';
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

/** Every run, its head checked. */
export function summaries(
  { db, anchor, identity }: Omit<OpenFile, 'presence'>,
  tables: Tables,
  leases: Leases,
): ReturnType<JournalStore['runs']> {
  const anchored = new Map<number, AnchoredHead | null>();
  for (const { id } of tables.runs()) anchored.set(id, anchor.head(id));
  return atOnce(db, () =>
    tables.runs().map((run): RunSummary => {
      const { seq, time } = verifiedHead(tables, identity, run, anchored.get(run.id) ?? null);
      return { run: run.name, head: seq, time, held: leases.isHeld(run.id) };
    }),
  );
}
