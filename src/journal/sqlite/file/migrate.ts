/**
 * Migrates older formats: first puts a complete copy beside the file, then takes every step inside one transaction. A
 * copy never replaces another one. A file that another process still writes in the older format is not touched.
 */
import { closeSync, fsyncSync, linkSync, openSync, rmSync } from 'node:fs';
import type Database from 'better-sqlite3';
import { JournalError } from '../../journal.ts';
import { thisProcess } from '../../lease/holder.ts';
import { livingHolder } from '../lease/lease.ts';
import { checkFormat, type Migration, makeTables, newestFormat } from './format.ts';
import { checkSchema } from './schema.ts';
import { immediately } from './transaction.ts';

export interface MigrateOptions {
  readonly migrations: readonly Migration[];
  readonly now: () => number;
}

/** Brings the file to the newest format of `migrations`; does nothing when it is there. */
export function migrate(db: Database.Database, path: string, options: MigrateOptions): void {
  const newest = newestFormat(options.migrations);
  for (let from = versionOf(db); from !== newest; from = versionOf(db)) {
    checkFormat(path, from, options.migrations);
    refuseWhileHeld(db, path, options.now());
    const copied = changesOf(db);
    const copy = backup(db, path, from);
    const migrated = undoing(copy, () =>
      immediately(db, () => {
        // Another process wrote between the copy and this transaction: the copy differs from the file that is about to
        // change.
        if (changesOf(db) !== copied) return false;
        refuseWhileHeld(db, path, options.now());
        takeSteps(db, path, from, options.migrations);
        return true;
      }),
    );
    if (!migrated) rmSync(copy);
  }
}

/** Takes every step that there is from the format of a file, inside a transaction that writes. */
function takeSteps(db: Database.Database, path: string, from: number, migrations: readonly Migration[]): void {
  const isTaken = ({ to }: Migration) => to <= from;
  checkSchema(db, path, migrations.filter(isTaken));
  makeTables(
    db,
    migrations.filter((each) => !isTaken(each)),
  );
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
