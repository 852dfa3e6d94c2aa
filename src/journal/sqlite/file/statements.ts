/** Statements that are made ready once. */
import type Database from 'better-sqlite3';
import type { Statement } from 'better-sqlite3';

/** A function that makes a statement ready for a file, and gives it again for the same text. */
export function preparing(db: Database.Database): (sql: string) => Statement {
  const statements = new Map<string, Statement>();
  return (sql) => {
    const known = statements.get(sql);
    if (known !== undefined) return known;
    const made = db.prepare(sql);
    statements.set(sql, made);
    return made;
  };
}
