/** A run whose journal is read into its ledgers. */
import { keyOf as named } from '../../src/effects/keys.ts';
import { kindOf } from '../../src/journal/entry-codec.ts';
import type { StoredRow } from '../../src/journal/journal.ts';
import { memoryStore } from '../../src/journal/memory/store.ts';
import { ledgersOf } from '../../src/reports/ledgers.ts';
import { readRun } from '../../src/sidecar/opening/read-run.ts';
import type { SidecarOptions } from '../../src/xstate/attach.ts';
import { type Does, Line, type Station } from './stations.ts';

/** The secret of the run that was begun last. */
let secret: string;
export const keyOf = (name: string) => named(JSON.stringify(['r', name.toUpperCase(), 'it', 0, name, 0]), secret);

/** A run of a line in a journal that can be read, and its ledgers. */
export async function begun(line: Line, more: Partial<SidecarOptions> = {}) {
  const journal = memoryStore();
  const run = await line.begin({ journal, ...more });
  await run.sidecar.durable();
  secret = readRun(journal.read('r')).runState.secret;
  run.send('go');
  const rows = async () => {
    await run.sidecar.durable();
    return [...journal.read('r')];
  };
  const ledgers = async (now = Date.now()) => ledgersOf(await rows(), now);
  return { journal, run, rows, ledgers };
}

export const line = (stations: readonly Station[], does: Readonly<Record<string, Does>> = {}, config = '') =>
  new Line(stations, does, config);

/** The rows up to the last entry of a kind, itself included. */
export function upTo(rows: readonly StoredRow[], kind: string): StoredRow[] {
  return rows.slice(0, rows.findLastIndex((row) => kindOf(row) === kind) + 1);
}

export const GATED: readonly Station[] = [
  { name: 'a', reads: ['wanted'] },
  { name: 'b', reads: ['a'], tool: 'effect: irreversible, gate: { expires: 1h }' },
];
