/**
 * Deletes a run from a file, in one transaction. Every run has a hash chain of its own, and a row of the log is checked
 * without its contents, so the other runs stay as they are. The hashes of the run's commit groups and its lease stay
 * behind. No other run gets its number: a stopped writer would take the new run for the old one.
 */
import type { SeenRun } from '../journal.ts';
import { wrongRun } from '../rows.ts';
import { removeStretches } from './archived/files.ts';
import type { ArchivedStretch } from './archived/stretches.ts';
import { type OpenFile, pragma } from './file/file.ts';
import { immediately } from './file/transaction.ts';
import type { Inbox } from './inbox.ts';
import type { Leases } from './lease/lease.ts';
import type { Tables } from './log/tables.ts';
import { verifiedHead } from './log/verify.ts';
import { settleDeleted } from './pools.ts';

const ROWS = ['inbox', 'note', 'work', 'claim', 'claim_wait', 'claim_freed', 'overtaken', 'base', 'base_part'].map(
  (table) => `DELETE FROM ${table} WHERE run = ?`,
);

/**
 * Deletes a run that is unchanged since the caller saw it. The run's data is overwritten in the file; the write-ahead
 * log has it until the log is folded in.
 * @returns false if the run has changed.
 * @throws JournalError `run_unknown`; `lease_held` if a living process has the run.
 */
export function deleteRun(
  { tables, inbox, leases }: { readonly tables: Tables; readonly inbox: Inbox; readonly leases: Leases },
  { db, identity, anchor, presence }: OpenFile,
  name: string,
  { head, posts }: SeenRun,
): boolean {
  pragma(db, 'secure_delete = ON');
  try {
    let number = 0;
    let files: readonly ArchivedStretch[] = [];
    const deleted = immediately(db, () => {
      const run = tables.run(name);
      if (run === null) throw wrongRun('run_unknown', name);
      tables.log.refresh();
      tables.log.check(anchor.head());
      const { seq } = verifiedHead(tables, identity, run);
      if (seq !== head || inbox.last(run) !== posts) return false;
      const lease = leases.take(run.id, name);
      files = tables.archived.of(run);
      number = run.id;
      tables.archived.delete(run);
      tables.log.drop(run);
      settleDeleted(db, name);
      for (const statement of [...ROWS, 'DELETE FROM run WHERE id = ?']) db.prepare(statement).run(run.id);
      leases.release(run.id, lease);
      return true;
    });
    presence.check();
    if (deleted) removeStretches(tables.path, number, files);
    return deleted;
  } finally {
    pragma(db, 'secure_delete = OFF');
  }
}

/** Writes the file anew without the space that is free in it. @returns the bytes that it is shorter by. */
export function shrunk({ db, presence }: OpenFile): number {
  const bytes = () => (pragma(db, 'page_count') as number) * (pragma(db, 'page_size') as number);
  const before = bytes();
  db.exec('VACUUM');
  presence.check();
  return before - bytes();
}
