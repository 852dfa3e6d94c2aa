/** The nonce of a file. */
import type Database from 'better-sqlite3';
import { JournalError } from '../../journal.ts';

/** The nonce that was drawn when the file was made. */
export function identityOf(db: Database.Database, path: string): Buffer {
  const rows = db.prepare('SELECT identity FROM file').all() as { identity: unknown }[];
  const identity = rows[0]?.identity;
  if (rows.length === 1 && Buffer.isBuffer(identity) && identity.length === 16) return identity;
  const reason = `${path}: its identity is gone. Nothing was repaired: restore the file from a backup.`;
  throw new JournalError('journal_corrupt', reason);
}
