/**
 * Checks that a file's tables are exactly those that its format makes: no other table, and above all no trigger or view. They are
 * compared with the tables of a database in memory that the same migrations made.
 */
import Database from 'better-sqlite3';
import { JournalError } from '../../journal.ts';
import { type Migration, makeTables } from './format.ts';

const OBJECTS = 'SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name';

/** @throws JournalError `journal_corrupt` when there is anything else, or less. */
export function checkSchema(db: Database.Database, path: string, migrations: readonly Migration[]): void {
  const model = new Database(':memory:');
  try {
    makeTables(model, migrations);
    const expected = JSON.stringify(model.prepare(OBJECTS).all());
    if (JSON.stringify(db.prepare(OBJECTS).all()) !== expected)
      throw damaged(path, 'its tables are not those of its format');
  } finally {
    model.close();
  }
}

function damaged(path: string, what: string): JournalError {
  return new JournalError('journal_corrupt', `${path}: ${what}. Nothing was repaired: restore the file from a backup.`);
}
