/**
 * Moves the oldest rows of a run out of the log into files beside it, a stretch at a time: the file is durable first, then one transaction takes
 * the rows out. A process that is killed between the two has written a file in vain. Stretches end where segments of the index do, and never at
 * its newest: no process has their rows at hand.
 */
import type { RowArchive } from '../../base/row-archive.ts';
import { wrongRun } from '../../rows.ts';
import type { Doing } from '../errors.ts';
import { type OpenFile, pragma } from '../file/file.ts';
import { atOnce, immediately } from '../file/transaction.ts';
import type { Bases } from '../log/bases.ts';
import type { Run } from '../log/run.ts';
import type { Tables } from '../log/tables.ts';
import { type CheckedGroup, verifiedGroups, verifiedHead } from '../log/verify.ts';
import { folderOf, writeStretch } from './files.ts';

/** The least size of a stretch, in bytes of rows, unpacked: the transaction that takes it out holds others up for less than a tenth of a second. */
const SIZE = 1024 * 1024;

/** The part of an archive that reads. */
type ReadArchive = Pick<RowArchive, 'folder' | 'upTo' | 'couldReach'>;

/** Tells the archived rows of a file, and those that could be archived. */
export function archiveOf(
  tables: Tables,
  bases: Bases,
  { db, identity }: Pick<OpenFile, 'db' | 'identity'>,
): ReadArchive {
  const upTo = (name: string) => tables.archived.endOf(found(tables, name))?.seq ?? 0;
  return {
    folder: folderOf(tables.path),
    upTo,
    couldReach: (name, at) =>
      atOnce(db, () => {
        const run = found(tables, name);
        tables.log.refresh();
        const base = bases.of(run, verifiedHead(tables, identity, run).seq);
        if (base === null || base.at < at) return 0;
        // A base names the commit group at its row or the one around it, which the log keeps.
        return tables.log.settledBefore(run, at).at(-1)?.last ?? upTo(name);
      }),
  };
}

/** The archive of a file, each of whose calls `watched` makes: it turns errors of SQLite and of the folder into the journal's own. */
export function watchedArchive(
  { tables, bases }: { readonly tables: Tables; readonly bases: Bases },
  file: OpenFile,
  watched: <T>(call: () => T, doing: Doing) => T,
): RowArchive {
  const archive = archiveOf(tables, bases, file);
  return {
    folder: archive.folder,
    upTo: (run) => watched(() => archive.upTo(run), 'read'),
    couldReach: (run, at) => watched(() => archive.couldReach(run, at), 'read'),
    moveUpTo: (run, row) => watched(() => archiveUpTo(tables, file, run, row), 'write'),
  };
}

/** Archives the rows of a run up to one that `couldReach` told. */
function archiveUpTo(tables: Tables, file: OpenFile, name: string, row: number): void {
  const run = found(tables, name);
  while (archiveNext(tables, file, run, row));
  file.presence.check();
}

/** Archives the next stretch. @returns false where there is none, or where another process has archived it. */
function archiveNext(tables: Tables, { db, identity, anchor }: OpenFile, run: Run, row: number): boolean {
  const after = tables.archived.endOf(run)?.seq ?? 0;
  atOnce(db, () => tables.log.refresh());
  const ends = new Set(tables.log.settledBefore(run, row + 1).map(({ last }) => last));
  const groups: CheckedGroup[] = [];
  let size = 0;
  for (const checked of verifiedGroups(tables, identity, run, after, [...ends].at(-1) ?? after)) {
    groups.push(checked);
    size += checked.part.length;
    if (size >= SIZE && ends.has(checked.group.last)) break;
  }
  const last = groups.at(-1);
  if (last === undefined || !ends.has(last.group.last)) return false;
  const stretch = { after, end: { seq: last.group.last, row: last.row, hash: last.group.hash } };
  writeStretch(tables.path, run, stretch, groups);
  pragma(db, 'secure_delete = ON');
  try {
    return immediately(db, () => {
      tables.log.refresh();
      tables.log.check(anchor.head());
      if (tables.run(run.name)?.id !== run.id || (tables.archived.endOf(run)?.seq ?? 0) !== after) return false;
      tables.archived.add(run, stretch);
      tables.log.dropUpTo(run, stretch.end.seq);
      return true;
    });
  } finally {
    pragma(db, 'secure_delete = OFF');
  }
}

function found(tables: Tables, name: string): Run {
  const run = tables.run(name);
  if (run === null) throw wrongRun('run_unknown', name);
  return run;
}
