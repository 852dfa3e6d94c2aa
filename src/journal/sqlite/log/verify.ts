/**
 * Reads the durable rows, and checks them before it returns them: the numbers run without a gap (J2), every group is in the row of the log where
 * the index has it, names the row with the one before, and has the hash that follows from it. Archived rows come first, and are checked as the
 * others are.
 */

import { chained, type Entry, seed } from '../../chain.ts';
import type { StoredRow } from '../../journal.ts';
import { readStretch } from '../archived/files.ts';
import { corrupt } from '../errors.ts';
import { entriesIn, type LoggedGroup } from './form.ts';
import type { Note } from './listed.ts';
import type { Run } from './run.ts';
import type { StoredGroup } from './stored-rows.ts';
import type { Tables } from './tables.ts';

/** The end of a run: the next group is chained to it. */
export interface Head {
  readonly seq: number;
  readonly token: number;
  readonly time: number;
  readonly hash: Buffer;
  /** The row of the log that it is in; 0 for a run without rows. */
  readonly row: number;
}

/** A link of the chain of a run. */
type Link = Pick<Head, 'seq' | 'hash' | 'row'>;

/** The number of rows of the log that are read at once. */
const BATCH = 64;

/**
 * The head of a run, its first and last group checked. Must run inside a transaction, after the log was refreshed and
 * held against its anchor.
 * @param noted the note of the run, which proves that its commit group belongs to the run. If that is the last group,
 * none of its rows are read: each reader checks the rows that it reads.
 * @param end the end of the run by the index.
 * @throws JournalError `journal_corrupt` if a row differs from the written form.
 */
export function verifiedHead(
  tables: Tables,
  identity: Buffer,
  run: Run,
  noted: Note | null = null,
  { row, last } = tables.log.endOf(run),
): Head {
  const first = seed(identity, run.id, run.name);
  if (row === 0) return { seq: 0, token: 0, time: 0, hash: first, row };
  const group = noted?.row === row ? noted.group : groupAt(tables, run, row, last);
  if (group.last !== last) throw corrupt(tables.path, run.name, last, 'the index has another end of it');
  if (noted?.group.last !== last) {
    const before = linkBefore(tables, identity, run, group);
    checked(tables, run, before, tables.log.groups(run, [row])[0], row);
    // The first group proves that these are this run's rows: the chain begins with its name. So does the end of what is archived.
    if (before.row !== 0 && noted === null && tables.archived.endOf(run) === null) {
      const beginning = tables.log.beginningOf(run);
      checked(tables, run, { seq: 0, hash: first, row: 0 }, tables.log.groups(run, [beginning])[0], beginning);
    }
  }
  return { seq: last, token: group.token, time: group.time, hash: group.hash, row };
}

/** A commit group that was checked, and the row of the log that has or had it. */
export interface CheckedGroup extends StoredGroup {
  readonly entries: readonly Entry[];
  readonly row: number;
}

/**
 * The rows after `after` and up to the head `upTo`, each checked before it is returned. The log must have been refreshed; after that it needs no
 * transaction: rows never change.
 */
export function* verifiedRows(
  tables: Tables,
  identity: Buffer,
  run: Run,
  after: number,
  upTo: number,
): Generator<StoredRow> {
  for (const { group, entries } of verifiedGroups(tables, identity, run, after, upTo)) {
    for (const entry of entries) {
      const { seq, kind } = entry;
      if (seq > after) yield { seq, kind, body: tables.text(run, entry), time: group.time };
    }
  }
}

/** The commit groups with those rows. */
export function* verifiedGroups(
  tables: Tables,
  identity: Buffer,
  run: Run,
  after: number,
  upTo: number,
): Generator<CheckedGroup> {
  const archived = () => tables.archived.endOf(run)?.seq ?? 0;
  for (let at = after; at < upTo; ) {
    const end = archived();
    const isLogged = at >= end;
    try {
      for (const checked of (isLogged ? loggedGroups : archivedGroups)(tables, identity, run, at)) {
        yield checked;
        at = checked.group.last;
        if (at >= upTo) return;
      }
      if (isLogged) throw corrupt(tables.path, run.name, at + 1, 'no row of the log has it');
    } catch (error) {
      // Another process has archived more meanwhile: the log has those rows no longer.
      if (archived() <= Math.max(at, end)) throw error;
    }
  }
}

function* archivedGroups(tables: Tables, identity: Buffer, run: Run, after: number): Generator<CheckedGroup> {
  let at: Link = { seq: 0, hash: seed(identity, run.id, run.name), row: 0 };
  for (const stretch of tables.archived.of(run)) {
    const { end } = stretch;
    if (end.seq > after) {
      const stored = readStretch(tables.path, run, stretch);
      for (const [index, each] of stored.entries()) {
        const row = stored[index + 1]?.group.before ?? end.row;
        const { group, entries } = checked(tables, run, at, each, row);
        if (group.last > after) yield { ...each, entries, row };
        at = { seq: group.last, hash: group.hash, row };
      }
      if (at.seq !== end.seq || !at.hash.equals(end.hash))
        throw corrupt(tables.path, run.name, end.seq, 'its archived rows do not end as they were written');
    }
    at = end;
  }
}

function* loggedGroups(tables: Tables, identity: Buffer, run: Run, after: number): Generator<CheckedGroup> {
  let at: Link | null = null;
  for (const rows of batches(tables.log.rowsOf(run, after))) {
    const groups = tables.log.groups(run, rows);
    for (const [index, row] of rows.entries()) {
      const stored = groups[index];
      at ??= linkUpTo(tables, identity, run, after, stored?.group ?? groupAt(tables, run, row, after + 1));
      const { group, entries } = checked(tables, run, at, stored, row);
      yield { ...(stored as StoredGroup), entries, row };
      at = { seq: group.last, hash: group.hash, row };
    }
  }
}

function* batches(all: Iterable<readonly number[]>): Generator<readonly number[]> {
  for (const rows of all) for (let from = 0; from < rows.length; from += BATCH) yield rows.slice(from, from + BATCH);
}

/** The link of the chain that a group follows from. */
function linkBefore(tables: Tables, identity: Buffer, run: Run, { before, last }: LoggedGroup): Link {
  if (before === 0) return { seq: 0, hash: seed(identity, run.id, run.name), row: 0 };
  const archived = tables.archived.endOf(run);
  if (archived?.row === before) return archived;
  const group = groupAt(tables, run, before, last);
  return { seq: group.last, hash: group.hash, row: before };
}

/** The link before the first group to read; no row may lie between this link and the rows read so far. */
function linkUpTo(tables: Tables, identity: Buffer, run: Run, after: number, group: LoggedGroup): Link {
  const link = linkBefore(tables, identity, run, group);
  if (link.seq <= after) return link;
  throw corrupt(tables.path, run.name, after + 1, 'the index does not say in which row of the log it is');
}

function groupAt(tables: Tables, run: Run, row: number, seq: number): LoggedGroup {
  const group = tables.log.group(run, row);
  if (group === null) throw corrupt(tables.path, run.name, seq, `row ${row} of the log does not have its commit group`);
  return group;
}

function checked(
  tables: Tables,
  run: Run,
  before: Link,
  stored: StoredGroup | null | undefined,
  row: number,
): { group: LoggedGroup; entries: readonly Entry[] } {
  if (stored == null)
    throw corrupt(tables.path, run.name, before.seq + 1, `row ${row} of the log does not have its commit group`);
  const { group, part } = stored;
  const entries = entriesIn(part, before.seq);
  const follows =
    group.before === before.row && entries !== null && entries.length > 0 && group.last === before.seq + entries.length;
  if (follows && chained(before.hash, group.token, group.time, entries).equals(group.hash)) return { group, entries };
  throw corrupt(tables.path, run.name, group.last, 'the commit group that ends here does not have its hash');
}
