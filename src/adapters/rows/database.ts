/** The database as the adapter sees it, and a transaction that tells for every failure whether anything happened. */
import { CommitRefused, errorMessage, NotApplied } from '../../effects/signals.ts';

/** The part of a better-sqlite3 statement that the adapter uses. */
export interface RowStatement {
  run(...values: readonly unknown[]): { readonly lastInsertRowid: number | bigint };
  get(...values: readonly unknown[]): unknown;
  all(...values: readonly unknown[]): unknown[];
}

/** The part of a better-sqlite3 database that the adapter uses. */
export interface RowDatabase {
  readonly inTransaction: boolean;
  exec(sql: string): unknown;
  prepare(sql: string): RowStatement;
}

/**
 * Runs a function in a transaction; the function awaits nothing. @throws NotApplied where the database refused and
 * everything is as it was. Other errors of the function are rethrown, also after everything was put back.
 */
export function inTransaction<T>(db: RowDatabase, act: () => T): T {
  try {
    db.exec('BEGIN IMMEDIATE');
  } catch (error) {
    throw new NotApplied(`no transaction could begin: ${errorMessage(error)}`);
  }
  try {
    const result = act();
    db.exec('COMMIT');
    return result;
  } catch (error) {
    // SQLite may have ended the transaction itself; then the outcome of the commit is not known here.
    if (!db.inTransaction) throw error;
    db.exec('ROLLBACK');
    throw refusalOf(error);
  }
}

/** Runs a function in a transaction and rolls it back in every case. @throws as `inTransaction` does. */
export function tried(db: RowDatabase, act: () => void): void {
  try {
    db.exec('BEGIN IMMEDIATE');
  } catch (error) {
    throw new NotApplied(`no transaction could begin: ${errorMessage(error)}`);
  }
  try {
    act();
  } catch (error) {
    throw refusalOf(error);
  } finally {
    if (db.inTransaction) db.exec('ROLLBACK');
  }
}

/** A refusal of the database is final where a constraint is broken, and temporary where the database is busy. */
function refusalOf(error: unknown): unknown {
  const code = String((error as { code?: unknown } | null)?.code);
  if (!code.startsWith('SQLITE_')) return error;
  const text = `the database refused: ${errorMessage(error)}`;
  return /^SQLITE_(CONSTRAINT|MISMATCH|TOOBIG)/.test(code) ? new CommitRefused(text) : new NotApplied(text);
}

/** A name as SQL takes it, whatever it holds. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
