/** The database as the adapter sees it, and a transaction that says of every failure whether anything happened. */
import { NotApplied, told } from '../../effects/signals.ts';

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
 * Acts in a transaction; nothing is awaited in it. @throws NotApplied where the database refused and everything is as it was;
 * what else is thrown inside is thrown on, also after everything was put back.
 */
export function together<T>(db: RowDatabase, act: () => T): T {
  try {
    db.exec('BEGIN IMMEDIATE');
  } catch (error) {
    throw new NotApplied(`no transaction could begin: ${told(error)}`);
  }
  try {
    const result = act();
    db.exec('COMMIT');
    return result;
  } catch (error) {
    // Where SQLite has ended the transaction itself, what became of a commit is not known here.
    if (!db.inTransaction) throw error;
    db.exec('ROLLBACK');
    throw isRefusal(error) ? new NotApplied(`the database refused: ${told(error)}`) : error;
  }
}

function isRefusal(error: unknown): boolean {
  return String((error as { code?: unknown } | null)?.code).startsWith('SQLITE_');
}

/** A name as SQL takes it, whatever it holds. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
