/** Effects by their keys, in the adapter's own tables. Each is written in the transaction that makes the effect. */
import { CommitRefused } from '../../effects/signals.ts';
import { quoted, type RowDatabase } from './database.ts';
import { capture, changeOf, IMAGE_TABLE, printOfImage, printOfRow, putBack, type RowChange } from './images.ts';
import type { Target } from './tables.ts';

/** A write that was made. */
export interface RowEffect {
  readonly seq: number;
  readonly key: string;
  readonly input: string;
  /** The table, and the key of the row in it as text. */
  readonly tab: string;
  readonly row: string;
  readonly change: RowChange;
  /** The commit that published it; null where it was written at once. */
  readonly published: string | null;
  readonly undone: string | null;
}

const TABLES = `
  CREATE TABLE IF NOT EXISTS belay_effect (seq INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT NOT NULL UNIQUE, input TEXT NOT NULL,
    tab TEXT NOT NULL, row TEXT NOT NULL, change TEXT NOT NULL, published TEXT, undone TEXT);
  CREATE TABLE IF NOT EXISTS belay_commit (id TEXT PRIMARY KEY, run TEXT NOT NULL, instance TEXT NOT NULL, boundary TEXT NOT NULL,
    writes INTEGER NOT NULL, at TEXT NOT NULL);
`;

/** Makes the adapter's tables where they are missing. */
export function prepareTables(db: RowDatabase): void {
  db.exec(TABLES + IMAGE_TABLE);
}

export function effectOf(db: RowDatabase, key: string): RowEffect | undefined {
  return db.prepare(`SELECT ${EFFECT} FROM belay_effect WHERE key = ?`).get(key) as RowEffect | undefined;
}

const EFFECT = 'CAST(seq AS REAL) AS seq, key, input, tab, row, change, published, undone';

/** Writes a row, with what it was before and after under the key of the write. Inside a transaction. */
export function writeRow(db: RowDatabase, key: string, target: Target, published: string | null): RowChange {
  const { table, set } = target;
  const rows = db.prepare(`SELECT 1 FROM ${table.sql} WHERE ${table.where} LIMIT 2`).all(...target.key).length;
  if (rows > 1) throw new CommitRefused(`${target.row} names more than one row of ${table.name}`);
  const { lastInsertRowid } = db
    .prepare('INSERT INTO belay_effect (key, input, tab, row, change, published) VALUES (?, ?, ?, ?, ?, ?)')
    .run(key, target.text, table.name, target.row, 'absent', published);
  const seq = Number(lastInsertRowid);
  capture(db, target, seq, 'before');
  if (set === null) db.prepare(`DELETE FROM ${table.sql} WHERE ${table.where}`).run(...target.key);
  else if (rows === 0) insertRow(db, target, set);
  else if (set.length > 0) {
    const columns = set.map(([column]) => `${quoted(column)} = ?`).join(', ');
    const values = set.map(([, value]) => value);
    db.prepare(`UPDATE ${table.sql} SET ${columns} WHERE ${table.where}`).run(...values, ...target.key);
  }
  capture(db, target, seq, 'after');
  const change = changeOf(printOfImage(db, seq, 'before'), printOfImage(db, seq, 'after'));
  db.prepare('UPDATE belay_effect SET change = ? WHERE key = ?').run(change, key);
  return change;
}

function insertRow(db: RowDatabase, { table, key }: Target, set: NonNullable<Target['set']>): void {
  const columns = [...table.key, ...set.map(([column]) => column)].map(quoted);
  const holes = columns.map(() => '?').join(', ');
  db.prepare(`INSERT INTO ${table.sql} (${columns.join(', ')}) VALUES (${holes})`).run(
    ...key,
    ...set.map(([, value]) => value),
  );
}

/** Puts the row of an effect back, once. Inside a transaction. @throws where the row is not as the effect left it. */
export function undoRow(db: RowDatabase, effect: RowEffect, target: Target, undoKey: string): void {
  if (printOfRow(db, target) !== printOfImage(db, effect.seq, 'after')) throw new Error(changedSince(target));
  putBack(db, target, effect.seq, effect.change);
  db.prepare('UPDATE belay_effect SET undone = ? WHERE key = ?').run(undoKey, effect.key);
}

/**
 * The reason why an effect cannot be undone any more, or null. Later effects on the same row that stand are undone
 * before it, newest first. So the row must be as the last of them left it, with no change by another writer in between.
 */
export function rowMoved(db: RowDatabase, effect: RowEffect, target: Target): string | null {
  const later = db
    .prepare(`SELECT ${EFFECT} FROM belay_effect WHERE tab = ? AND row = ? AND seq > ? AND undone IS NULL ORDER BY seq`)
    .all(target.table.name, target.row, effect.seq) as RowEffect[];
  let left = printOfImage(db, effect.seq, 'after');
  for (const { seq } of later) {
    if (printOfImage(db, seq, 'before') !== left) return changedSince(target);
    left = printOfImage(db, seq, 'after');
  }
  return printOfRow(db, target) === left ? null : changedSince(target);
}

/** Removes the records of effects. Inside a transaction. */
export function forgetEffects(db: RowDatabase, keys: readonly string[]): void {
  for (const key of keys) {
    db.prepare('DELETE FROM belay_image WHERE effect IN (SELECT seq FROM belay_effect WHERE key = ?)').run(key);
    db.prepare('DELETE FROM belay_effect WHERE key = ?').run(key);
  }
}

function changedSince({ table, row }: Target): string {
  return `the row ${row} of ${table.name} was changed since`;
}
