/**
 * Tools that write rows of a SQLite database: at once, with an undo, or staged and published together, with one audit
 * row and under the invariants of the database. Each act and its record are one transaction, so no crash can leave half
 * of it.
 */

import type {
  Inverse,
  Publication,
  ReconcileResult,
  Reconciler,
  StagedCall,
  StagingArea,
} from '../../effects/counterparty.ts';
import { CommitRefused } from '../../effects/signals.ts';
import { having, LIST, listOf, namedBy, optional, refuseOther, shape, TEXT } from '../../model/argument.ts';
import type { ToolCall } from '../../runtime/tool-call.ts';
import { keyOf } from '../call.ts';
import { inTransaction, type RowDatabase, tried } from './database.ts';
import { effectOf, forgetEffects, prepareTables, type RowEffect, rowMoved, undoRow, writeRow } from './effects.ts';
import type { RowChange } from './images.ts';
import {
  checkFree,
  inputOf,
  prepareStaging,
  release,
  releaseCall,
  reserve,
  stagedOf,
  stageRow,
  tokenOf,
  unmoved,
  unstage,
  type Waiting,
} from './staged.ts';
import { type RowWrite, type TableRule, type Target, tablesOf, targetOf } from './tables.ts';
import { versionNow, watchTables } from './versions.ts';

/**
 * A condition that must hold whenever a commit is published: the first column of the first row of its query is neither
 * 0 nor NULL.
 */
export interface RowInvariant {
  readonly id: string;
  readonly sql: string;
}

/** The tables that may be written, and the conditions that must hold. */
export interface RowOptions {
  readonly tables: Readonly<Record<string, TableRule>>;
  readonly invariants?: readonly RowInvariant[];
}

/** The result of a call on a row: `absent` was to be deleted and did not exist; `staged` is not visible yet. */
export interface WrittenRow {
  readonly table: string;
  readonly change: RowChange | 'staged';
}

/** The functions to register. */
export interface RowAdapter {
  /** The tool that writes at once. */
  readonly write: (call: ToolCall<RowWrite>) => Promise<WrittenRow>;
  /** The tool that only stages, for `buffer`. */
  readonly stage: (call: ToolCall<RowWrite>) => Promise<WrittenRow>;
  readonly inverse: Inverse;
  readonly buffer: StagingArea;
  readonly reconcile: Reconciler;
  /** Forgets writes that will never be undone or asked for again. */
  forget(keys: readonly string[]): void;
}

/**
 * Makes tools of a database.
 * @throws ArgumentError where the database lacks what is declared, and SQLite's error where an invariant is not SQL.
 * @example
 * import Database from 'better-sqlite3';
 * import { rowAdapter } from 'belay-sidecar/adapters';
 *
 * const db = new Database(':memory:');
 * db.exec('CREATE TABLE stock (item TEXT PRIMARY KEY, n INTEGER) STRICT');
 * const rows = rowAdapter(db, { tables: { stock: { key: ['item'], columns: ['n'] } } });
 * assert.equal(typeof rows.write, 'function');
 */
export function rowAdapter(db: RowDatabase, options: RowOptions): RowAdapter {
  refuseOther('rowAdapter', { db: [db, DATABASE], options: [options, ROW_OPTIONS] });
  const { tables: rules, invariants = [] } = options;
  prepareTables(db);
  prepareStaging(db);
  const tables = tablesOf(db, rules);
  watchTables(db, tables.values());
  for (const { sql } of invariants) db.prepare(sql);
  const desk: Desk = { db, invariants, target: (input) => targetOf(tables, rules, input) };
  return {
    write: async (call) => write(desk, call),
    stage: async (call) => stage(desk, call),
    inverse: {
      undo: ({ key, undoKey }) => undo(desk, key, undoKey),
      moved: ({ key }) => moved(desk, key),
    },
    buffer: {
      order: ORDER,
      position: () => String(versionNow(db)),
      prepare: (calls, publication) => prepare(desk, calls, publication),
      published: ({ id }) => isPublished(db, id),
      withdraw: (_, { id }) => inTransaction(db, () => release(db, id)),
      publish: (calls, publication) => inTransaction(db, () => publish(desk, calls, publication)),
      discard: (calls) => inTransaction(db, () => discard(desk, calls)),
    },
    reconcile: ({ key }) => find(desk, key),
    forget: (keys) => inTransaction(db, () => forgetEffects(db, keys)),
  };
}

/** Rows publish first, because they refuse most often: other runs change them, and the database has constraints. */
const ORDER = 10;

/** The database and tables in which rows are written. */
interface Desk {
  readonly db: RowDatabase;
  readonly invariants: readonly RowInvariant[];
  target(input: unknown): Target;
}

function write({ db, target }: Desk, call: ToolCall<RowWrite>): WrittenRow {
  const key = keyOf(call);
  const wanted = target(call.input);
  return inTransaction(db, () => {
    if (stagedOf(db, key) !== undefined) throw new Error(`${key} was staged, and is not written at once`);
    const effect = effectOf(db, key);
    if (effect === undefined) {
      checkFree(db, wanted, null);
      return { table: wanted.table.name, change: writeRow(db, key, wanted, null) };
    }
    checkSame(key, effect.input, wanted.text);
    if (effect.undone !== null) throw new Error(`${key} was undone, and is not written again`);
    return answerOf(effect);
  });
}

function stage({ db, target }: Desk, call: ToolCall<RowWrite>): WrittenRow {
  const key = keyOf(call);
  const wanted = target(call.input);
  return inTransaction(db, () => {
    const effect = effectOf(db, key);
    if (effect?.published === null) throw new Error(`${key} was written at once, and is not staged`);
    const known = stagedOf(db, key) ?? effect;
    if (known !== undefined) checkSame(key, known.input, wanted.text);
    else stageRow(db, key, wanted);
    return { table: wanted.table.name, change: 'staged' };
  });
}

/** Tries a commit in a transaction, rolls it back, then reserves its rows (E4). */
function prepare(desk: Desk, calls: readonly StagedCall[], publication: Publication): string {
  const { db } = desk;
  if (isPublished(db, publication.id)) return '';
  tried(db, () => writeAll(desk, unmoved(db, calls, publication.id, desk.target), publication));
  return inTransaction(db, () => {
    const waiting = unmoved(db, calls, publication.id, desk.target);
    reserve(db, waiting, publication);
    return tokenOf(db, waiting);
  });
}

/** Publishes all of them with one audit row, or none. Inside a transaction. */
function publish(desk: Desk, calls: readonly StagedCall[], publication: Publication): void {
  const { db } = desk;
  const { id, prepared } = publication;
  if (isPublished(db, id)) return;
  const waiting = unmoved(db, calls, id, desk.target);
  if (prepared !== undefined && prepared !== tokenOf(db, waiting))
    throw new CommitRefused('the rows of the commit were changed since it was prepared', { moved: true });
  writeAll(desk, waiting, publication);
  release(db, id);
}

/**
 * Writes the staged rows and the audit row. Inside a transaction. @throws CommitRefused where an invariant would not
 * hold.
 */
function writeAll(
  { db, invariants }: Desk,
  waiting: readonly Waiting[],
  { id, run, instance, boundary }: Publication,
): void {
  for (const { key, target } of waiting) {
    writeRow(db, key, target, id);
    unstage(db, key);
  }
  for (const { id, sql } of invariants)
    if (!holds(db.prepare(sql).get())) throw new CommitRefused(`the invariant ${id} would not hold`);
  const values = [id, run, instance, boundary, waiting.length, new Date().toISOString()];
  db.prepare('INSERT INTO belay_commit VALUES (?, ?, ?, ?, ?, ?)').run(...values);
}

function isPublished(db: RowDatabase, id: string): boolean {
  return db.prepare('SELECT 1 FROM belay_commit WHERE id = ?').get(id) !== undefined;
}

function discard({ db }: Desk, calls: readonly StagedCall[]): void {
  for (const { key } of calls) {
    if (effectOf(db, key) !== undefined) throw new Error(`${key} was written, and is not discarded`);
    unstage(db, key);
    releaseCall(db, key);
  }
}

function undo({ db, target }: Desk, key: string, undoKey: string): void {
  inTransaction(db, () => {
    const effect = effectOf(db, key);
    if (effect === undefined) throw new Error(`nothing was written under ${key}`);
    if (effect.undone === null) undoRow(db, effect, target(inputOf(effect.input)), undoKey);
  });
}

function moved({ db, target }: Desk, key: string): string | null {
  const effect = effectOf(db, key);
  if (effect === undefined) return 'what it wrote was forgotten, or not published';
  return effect.undone === null ? rowMoved(db, effect, target(inputOf(effect.input))) : null;
}

function find({ db }: Desk, key: string): ReconcileResult {
  const effect = effectOf(db, key);
  if (effect === undefined) {
    const waiting = stagedOf(db, key);
    return waiting === undefined ? { is: 'not_applied' } : { is: 'applied', output: stagedAnswer(waiting.input) };
  }
  return effect.undone === null ? { is: 'applied', output: answerOf(effect) } : { is: 'unknown' };
}

function holds(row: unknown): boolean {
  const value = Object.values(row ?? {})[0];
  return (typeof value === 'number' || typeof value === 'bigint') && Number(value) !== 0;
}

function answerOf({ input, change, published }: RowEffect): WrittenRow {
  return published === null ? { table: JSON.parse(input)[0], change } : stagedAnswer(input);
}

function stagedAnswer(input: string): WrittenRow {
  return { table: JSON.parse(input)[0], change: 'staged' };
}

function checkSame(key: string, known: string, wanted: string): void {
  if (known !== wanted) throw new Error(`${key} names another write already`);
}

const DATABASE = having('a database, as better-sqlite3 opens one', 'exec', 'prepare');

/** The options, as they are held against what is given. */
const ROW_OPTIONS = shape<RowOptions>('an object: { tables }', {
  tables: namedBy(shape<TableRule>('a table: { key, columns }', { key: LIST, columns: LIST })),
  invariants: optional(listOf(shape<RowInvariant>('an invariant: { id, sql }', { id: TEXT, sql: TEXT }))),
});
