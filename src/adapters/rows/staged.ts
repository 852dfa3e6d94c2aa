/**
 * Staged rows: the writes that wait to be published, each row's state when it was staged, and the rows that a commit
 * has reserved before it is decided. All of it lies in the adapter's own tables, so it holds between processes.
 */
import type { Publication, StagedCall } from '../../effects/counterparty.ts';
import { CommitRefused, NotApplied } from '../../effects/signals.ts';
import { nameOf } from '../call.ts';
import { whatCounts } from '../relied.ts';
import type { RowDatabase } from './database.ts';
import { effectOf, rowMoved } from './effects.ts';
import { printOfRow } from './images.ts';
import type { RowWrite, Target } from './tables.ts';
import { changedAfter } from './versions.ts';

/** The time after which a reservation lapses if its commit does not go on, in milliseconds. */
const LASTS = 30_000;

const TABLES = `
  CREATE TABLE IF NOT EXISTS belay_staged (key TEXT PRIMARY KEY, input TEXT NOT NULL, base TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS belay_reserved (tab TEXT NOT NULL, row TEXT NOT NULL, id TEXT NOT NULL, key TEXT NOT NULL, until REAL NOT NULL,
    PRIMARY KEY (tab, row));
`;

/** A write that waits to be published. */
export interface StagedRow {
  readonly input: string;
  /** The digest of the row when it was staged. */
  readonly base: string;
}

/** A staged write with the row that it is about. */
export interface Waiting {
  readonly key: string;
  readonly target: Target;
}

/** Makes the tables where they are missing. */
export function prepareStaging(db: RowDatabase): void {
  db.exec(TABLES);
}

export function stagedOf(db: RowDatabase, key: string): StagedRow | undefined {
  return db.prepare('SELECT input, base FROM belay_staged WHERE key = ?').get(key) as StagedRow | undefined;
}

/** Keeps a write with the digest of its row as it is now. Inside a transaction. */
export function stageRow(db: RowDatabase, key: string, target: Target): void {
  db.prepare('INSERT INTO belay_staged VALUES (?, ?, ?)').run(key, target.text, baseOf(db, target));
}

export function unstage(db: RowDatabase, key: string): void {
  db.prepare('DELETE FROM belay_staged WHERE key = ?').run(key);
}

/**
 * The writes of a commit, if each row is still as the run read it, and as it was when the write was staged (E4).
 * @throws CommitRefused where a row has changed since, NotApplied where a write is not staged, or another commit has
 * reserved its row.
 */
export function unmoved(
  db: RowDatabase,
  calls: readonly StagedCall[],
  id: string,
  targetOf: (input: RowWrite) => Target,
): Waiting[] {
  return calls.map(({ key, relies }) => {
    const staged = stagedOf(db, key);
    if (staged === undefined) throw new NotApplied(`${key} is not staged`);
    const target = targetOf(inputOf(staged.input));
    const why = movedWhy(db, target, staged, relies);
    if (why !== null)
      throw new CommitRefused(`the row ${target.row} of ${target.table.name} was changed since ${why}`, {
        call: key,
        moved: true,
      });
    checkFree(db, target, id);
    return { key, target };
  });
}

function movedWhy(db: RowDatabase, target: Target, { base }: StagedRow, relies: StagedCall['relies']): string | null {
  const { since, follows } = whatCounts(relies, (call) => {
    const effect = effectOf(db, call);
    return (
      effect !== undefined && effect.undone === null && effect.tab === target.table.name && effect.row === target.row
    );
  });
  if (since !== null && changedAfter(db, target, Number(since))) return 'it was read';
  const before = follows === null ? undefined : effectOf(db, follows);
  if (before !== undefined && rowMoved(db, before, target) !== null) return 'this run last wrote it';
  return base !== baseOf(db, target) ? 'its change was staged' : null;
}

/**
 * Reserves the rows of a commit, so that no other commit of this adapter is decided about them. Inside a transaction.
 */
export function reserve(db: RowDatabase, waiting: readonly Waiting[], { id }: Publication): void {
  for (const { key, target } of waiting)
    db.prepare('INSERT OR REPLACE INTO belay_reserved VALUES (?, ?, ?, ?, ?)').run(
      target.table.name,
      target.row,
      id,
      key,
      Date.now() + LASTS,
    );
}

/** Makes a token of what was prepared: the writes, and the present state of their rows. */
export function tokenOf(db: RowDatabase, waiting: readonly Waiting[]): string {
  return nameOf(JSON.stringify(waiting.map(({ key, target }) => [key, baseOf(db, target)])));
}

/** Releases the rows of a commit. */
export function release(db: RowDatabase, id: string): void {
  db.prepare('DELETE FROM belay_reserved WHERE id = ?').run(id);
}

/** Releases the row of a discarded call. */
export function releaseCall(db: RowDatabase, key: string): void {
  db.prepare('DELETE FROM belay_reserved WHERE key = ?').run(key);
}

/** @throws NotApplied where another commit has reserved a row. */
export function checkFree(db: RowDatabase, { table, row }: Target, id: string | null): void {
  const other = db
    .prepare('SELECT key FROM belay_reserved WHERE tab = ? AND row = ? AND id IS NOT ? AND until > ?')
    .get(table.name, row, id, Date.now()) as { key: string } | undefined;
  if (other !== undefined)
    throw new NotApplied(`the row ${row} of ${table.name} is reserved by the commit of ${other.key}`);
}

/** Parses a write from its text. */
export function inputOf(text: string): RowWrite {
  const [table, key, set] = JSON.parse(text);
  return { table, key: Object.fromEntries(key), set: set === null ? null : Object.fromEntries(set) };
}

function baseOf(db: RowDatabase, target: Target): string {
  return nameOf(printOfRow(db, target));
}
