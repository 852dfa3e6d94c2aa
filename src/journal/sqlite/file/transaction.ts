/** Transactions as functions: nothing is awaited inside, and an error inside undoes all of it (style.md 14). */
import type Database from 'better-sqlite3';

/** Writes; takes the write lock at once, so that a value that is read inside stays true until the commit. */
export function immediately<T>(db: Database, work: () => T): T {
  return within(db, 'BEGIN IMMEDIATE', work);
}

/** Reads several things as of one moment. */
export function atOnce<T>(db: Database, work: () => T): T {
  return within(db, 'BEGIN', work);
}

function within<T>(db: Database, begin: string, work: () => T): T {
  db.exec(begin);
  try {
    const result = work();
    db.exec('COMMIT');
    return result;
  } catch (error) {
    // After some failures SQLite has rolled back by itself.
    if (db.inTransaction) db.exec('ROLLBACK');
    throw error;
  }
}
