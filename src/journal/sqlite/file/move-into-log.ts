/**
 * Moves the rows of formats 1 to 7 into the log. Each commit group becomes a row of it, a run after the other, with the hash that it had; what is
 * not as it was written, or behind its anchor, is refused, and the file stays in its format.
 */
import type Database from 'better-sqlite3';
import { chained, type Entry, type Group, seed } from '../../chain.ts';
import { JournalError } from '../../journal.ts';
import { corrupt } from '../errors.ts';
import type { Anchor, AnchoredRun } from '../log/anchor.ts';
import { Log } from '../log/log.ts';
import { identityOf } from './identity.ts';

/** The number of commit groups that are moved at once. */
const BATCH = 256;

/** The tables of an older file. */
interface Older {
  readonly db: Database.Database;
  readonly path: string;
  readonly log: Log;
}

type Run = { readonly id: number; readonly name: string };
type Link = Pick<Group, 'last' | 'hash'> & { readonly row: number };

/** Moves every run, inside a transaction that writes. @throws JournalError `journal_corrupt`, `journal_tail_lost`. */
export function moveIntoLog(db: Database.Database, path: string, anchor: Anchor): void {
  const identity = identityOf(db, path);
  const older = { db, path, log: new Log(db, path, identity) };
  const anchored = new Map(anchor.runs().map((each) => [each.run, each]));
  // A note that does not name the end of a commit group is none, and none either in a row of the log.
  db.exec('UPDATE note SET at = -at');
  for (const run of runsOf(older)) {
    moved(older, run, seed(identity, run.id, run.name), anchored.get(run.id));
    anchored.delete(run.id);
  }
  db.exec('DELETE FROM note WHERE at <= 0');
  const known = db.prepare('SELECT 1 FROM lease WHERE run = ?');
  for (const { run, seq } of anchored.values()) {
    // Of a run that was deleted, the lease is left.
    if (known.get(run) !== undefined) continue;
    throw lost(path, `its anchor remembers a run number ${run} up to seq ${seq}, which the file does not have`);
  }
}

function runsOf({ db, path }: Older): Run[] {
  return db
    .prepare('SELECT id, name FROM run NOT INDEXED ORDER BY id')
    .all()
    .map((row) => {
      const { id, name } = row as Record<keyof Run, unknown>;
      if (typeof name === 'string' && isWhole(id)) return { id, name };
      throw corrupt(path, String(name), 0, 'its name has no form');
    });
}

function moved(older: Older, run: Run, beginning: Buffer, anchored: AnchoredRun | undefined): void {
  const { db, path, log } = older;
  const note = db.prepare('UPDATE note SET at = ? WHERE run = ? AND at = ?');
  let at: Link = { last: 0, hash: beginning, row: 0 };
  for (let groups = groupsAfter(older, run, 0); groups.length > 0; groups = groupsAfter(older, run, at.last)) {
    for (const group of groups) {
      const entries = entriesOf(older, run, at.last, group.last);
      if (!chained(at.hash, group.token, group.time, entries).equals(group.hash))
        throw corrupt(path, run.name, group.last, 'the commit group that ends here does not have its hash');
      if (anchored?.seq === group.last && !anchored.hash.equals(group.hash)) throw replaced(path, run, anchored);
      const row = log.add([{ ...group, run: run.id, before: at.row, entries }]);
      note.run(row, run.id, -group.last);
      if (anchored !== undefined && at.last < anchored.seq && anchored.seq < group.last)
        throw replaced(path, run, anchored);
      at = { ...group, row };
    }
  }
  const beyond = db.prepare('SELECT max(seq) FROM entry WHERE run = ?').pluck().get(run.id) ?? 0;
  if (beyond !== at.last) throw corrupt(path, run.name, at.last + 1, 'no commit group covers the row');
  if (anchored === undefined || anchored.seq <= at.last) return;
  throw lost(
    path,
    `run ${JSON.stringify(run.name)} ends at seq ${at.last}, and its anchor remembers seq ${anchored.seq}`,
  );
}

function groupsAfter({ db, path }: Older, run: Run, after: number): Group[] {
  const select = 'SELECT last, token, time, hash FROM commit_group WHERE run = ? AND last > ? ORDER BY last LIMIT ?';
  return db
    .prepare(select)
    .all(run.id, after, BATCH)
    .map((row) => {
      const { last, token, time, hash } = row as Record<keyof Group, unknown>;
      const valid = isWhole(last) && isWhole(token) && isWhole(time) && Buffer.isBuffer(hash) && hash.length === 32;
      if (!valid) throw corrupt(path, run.name, isWhole(last) ? last : 0, 'the commit group has no form');
      return { last, token, time, hash };
    });
}

/** The rows after one seq and up to another: all of them, without a gap. */
function entriesOf({ db, path }: Older, run: Run, after: number, upTo: number): Entry[] {
  const select = 'SELECT seq, kind, body FROM entry WHERE run = ? AND seq > ? AND seq <= ? ORDER BY seq';
  const entries = db
    .prepare(select)
    .all(run.id, after, upTo)
    .map((row, index) => {
      const { seq, kind, body } = row as Record<keyof Entry, unknown>;
      const expected = after + 1 + index;
      if (seq !== expected) throw corrupt(path, run.name, expected, `the next row is ${String(seq)}`);
      if (!isWhole(kind) || !Buffer.isBuffer(body)) throw corrupt(path, run.name, expected, 'the row has no form');
      return { seq: expected, kind, body };
    });
  if (entries.length === upTo - after) return entries;
  throw corrupt(path, run.name, after + entries.length + 1, 'the row is missing');
}

function replaced(path: string, run: Run, { seq }: AnchoredRun): JournalError {
  return corrupt(path, run.name, seq, 'the anchor remembers other rows: the tail was replaced');
}

function lost(path: string, what: string): JournalError {
  return new JournalError('journal_tail_lost', `${path}: ${what}. Restore the newer file.`);
}

function isWhole(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
