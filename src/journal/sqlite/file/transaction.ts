/** Transactions as functions: nothing is awaited inside, and an error inside undoes all of it (style.md 14). */
import type Database from 'better-sqlite3';

/** Writes; takes the write lock at once, so that what is read inside stays true until the commit. */
export function immediately<T>(db: Database.Database, work: () => T): T {
  return db.transaction(work).immediate();
}

/** Reads several things of one moment. */
export function atOnce<T>(db: Database.Database, work: () => T): T {
  return db.transaction(work).deferred();
}
