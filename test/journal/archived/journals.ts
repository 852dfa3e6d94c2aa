/** Journals with a run whose oldest rows are archived, beside one that keeps its own. */
import { cpSync, existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { LocalStore, StoredRow } from '../../../src/journal/journal.ts';
import { SEGMENT } from '../../../src/journal/sqlite/log/segments.ts';
import { sqliteStore } from '../../../src/journal/sqlite/store.ts';
import { copyOf, freshPath } from '../files.ts';
import { longLog } from '../logged.ts';
import { row } from '../rows-of.ts';

export const rowsIn = (store: LocalStore, run: string): readonly StoredRow[] => [...store.read(run)];

/** Reads of a file as another process would. */
export function reading<T>(path: string, read: (store: LocalStore) => T): T {
  const store = sqliteStore(path, { readonly: true });
  try {
    return read(store);
  } finally {
    void store.close();
  }
}

/** Has a base of a run kept at its end, behind some more rows. @returns the row that it is of. */
export async function based(path: string, run: string, more = 1): Promise<number> {
  const store = sqliteStore(path);
  const journal = await store.open(run, 'resume');
  for (let n = 0; n < more; n += 1) {
    journal.append([row({ more: n }), row({ and: n })]);
    await journal.flush();
  }
  journal.keep({ at: journal.head, parts: [Buffer.from('head'), Buffer.from('state')] });
  const at = journal.head;
  await journal.close();
  await store.close();
  return at;
}

/** Archives what can be archived of a run. @returns the last row that is. */
export async function archive(path: string, run: string, at: number): Promise<number> {
  const store = sqliteStore(path);
  try {
    const row = store.archive?.couldReach(run, at) ?? 0;
    store.archive?.moveUpTo(run, row);
    return store.archive?.upTo(run) ?? 0;
  } finally {
    await store.close();
  }
}

/** A file with the runs a and b, of which a has a base at its end, and nothing is archived. */
export async function longRun(segments = 4) {
  const path = freshPath();
  await longLog(path, segments * SEGMENT + 100, { a: 1, b: 3 });
  const at = await based(path, 'a');
  return { path, at, a: reading(path, (store) => rowsIn(store, 'a')), b: reading(path, (store) => rowsIn(store, 'b')) };
}

export const folderOf = (path: string) => `${path}-rows`;

/** The files of archived rows, without those that were not finished. */
export const filesIn = (path: string) => (existsSync(folderOf(path)) ? readdirSync(folderOf(path)).sort() : []);

/** Copies a journal with its archived rows. */
export function wholeCopy(path: string): string {
  const copy = copyOf(path);
  if (existsSync(folderOf(path))) cpSync(folderOf(path), folderOf(copy), { recursive: true });
  return copy;
}

/** The path of one of its files. */
export const fileIn = (path: string, nth: number) => join(folderOf(path), filesIn(path)[nth] as string);
