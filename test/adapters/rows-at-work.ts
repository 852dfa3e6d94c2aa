/** The rows adapter on a new ledger for each test, and what the sidecar would ask of it. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type Database from 'better-sqlite3';
import { afterEach, beforeEach } from 'vitest';
import type { RowAdapter, RowWrite } from '../../src/adapters/index.ts';
import type { Publication, StagedCall } from '../../src/effects/counterparty.ts';
import { callOf, newKey } from './calls.ts';
import { openLedger } from './ledger.ts';

export let folder: string;
export let db: Database.Database;
export let rows: RowAdapter;

/** Opens a new ledger before each test of a file, and closes it after. */
export function eachOnNewRows(): void {
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'belay-rows-'));
    ({ db, adapter: rows } = openLedger(join(folder, 'ledger.sqlite')));
  });
  afterEach(() => {
    db.close();
    rmSync(folder, { recursive: true, force: true });
  });
}

export const all = (sql: string) => db.prepare(sql).all();

export const balance = (id: string) =>
  (db.prepare('SELECT cents FROM account WHERE id = ?').get(id) as { cents: number } | undefined)?.cents;

export const commit = (id: string): Publication => ({ id, run: 'r', instance: 'Pay::ada::0', boundary: 'paid' });

/** Stages writes, each under a key of its own. */
export async function staged(...writes: readonly RowWrite[]): Promise<StagedCall[]> {
  const calls: StagedCall[] = [];
  for (const write of writes) {
    const key = newKey();
    calls.push({ key, tool: 'write', args: write, staged: await rows.stage(callOf(write, key)) });
  }
  return calls;
}
