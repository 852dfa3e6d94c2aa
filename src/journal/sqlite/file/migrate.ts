/**
 * Migrates older formats: first puts a complete copy beside the file, then takes every step inside one transaction. A
 * copy never replaces another one. A file that another process still writes in the older format is not touched.
 */
import { closeSync, fsyncSync, linkSync, openSync, rmSync } from 'node:fs';
import type Database from 'better-sqlite3';
import { JournalError } from '../../journal.ts';
import { thisProcess } from '../../lease/holder.ts';
import { livingHolder } from '../lease/lease.ts';
import type { Anchor } from '../log/anchor.ts';
import { Log } from '../log/log.ts';
import { LOG_FORMAT, type Migration, newestFormat } from './format.ts';
import { identityOf } from './identity.ts';
import { checkSchema } from './schema.ts';
import { immediately } from './transaction.ts';

export interface MigrateOptions {
  readonly migrations: readonly Migration[];
  readonly now: () => number;
}

/** Brings the file to the newest format of `migrations`; does nothing when it is there. */
export function migrate(db: Database.Database, path: string, anchor: Anchor, options: MigrateOptions): void {
  const newest = newestFormat(options.migrations);
  for (let from = versionOf(db); from !== newest; from = versionOf(db)) {
    if (from > newest) {
      const reason = `${path} has format ${from}; this Belay knows ${newest}. Use a newer Belay.`;
      throw new JournalError('journal_too_new', reason);
    }
    if (from < 1)
      throw new JournalError('journal_corrupt', `${path}: there is no format ${from}. Restore it from a backup.`);
    refuseWhileHeld(db, path, options.now());
    const copied = changesOf(db);
    const copy = backup(db, path, from);
    const migrated = undoing(copy, () =>
      immediately(db, () => {
        // Another process wrote between the copy and this transaction: the copy differs from the file that is about to
        // change.
        if (changesOf(db) !== copied) return false;
        refuseWhileHeld(db, path, options.now());
        takeSteps(db, path, anchor, options.migrations);
        return true;
      }),
    );
    if (!migrated) rmSync(copy);
    else if (from < LOG_FORMAT) anchor.renew(endOf(db, path));
  }
}

/** Takes every step that there is from the format of a file, inside a transaction that writes, or on a copy of its own. */
export function takeSteps(db: Database.Database, path: string, anchor: Anchor, migrations: readonly Migration[]): void {
  const from = versionOf(db);
  checkSchema(
    db,
    path,
    migrations.filter(({ to }) => to <= from),
  );
  for (const { to, sql, move, drops = '' } of migrations) {
    if (to <= from) continue;
    db.exec(sql);
    move?.(db, path, anchor);
    db.exec(drops);
  }
  db.pragma(`user_version = ${newestFormat(migrations)}`, { simple: true });
}

/** Removes a copy that is not needed, because what it was made for has failed. */
function undoing<T>(copy: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    rmSync(copy, { force: true });
    throw error;
  }
}

function endOf(db: Database.Database, path: string) {
  const log = new Log(db, path, identityOf(db, path));
  log.refresh();
  return log.end;
}

function versionOf(db: Database.Database): number {
  return db.pragma('user_version', { simple: true }) as number;
}

/** A number that moves when another connection commits. */
function changesOf(db: Database.Database): unknown {
  return db.pragma('data_version', { simple: true });
}

function refuseWhileHeld(db: Database.Database, path: string, now: number): void {
  const rows = db.prepare('SELECT run FROM lease').all() as { run: number }[];
  const held = rows.find(({ run }) => livingHolder(db, path, run, now, thisProcess()) !== null);
  if (held === undefined) return;
  const reason = `${path} has an older format and another process writes run number ${held.run}. End that process first.`;
  throw new JournalError('lease_held', reason);
}

/** Copies the file under an unused name, complete or not at all. */
function backup(db: Database.Database, path: string, version: number): string {
  const part = `${path}.backup-part-${process.pid}`;
  rmSync(part, { force: true });
  try {
    db.prepare('VACUUM INTO ?').run(part);
    const descriptor = openSync(part, 'r+');
    fsyncSync(descriptor);
    closeSync(descriptor);
    for (let copy = 1; ; copy += 1) {
      const name = `${path}.v${version}-backup${copy === 1 ? '' : `-${copy}`}`;
      if (linked(part, name)) return name;
    }
  } finally {
    rmSync(part, { force: true });
  }
}

function linked(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}
