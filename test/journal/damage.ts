/** The files of a journal, taken, damaged and put back, and what a writer and a reader then get of them. */
import { rmSync, writeFileSync } from 'node:fs';
import { afterEach } from 'vitest';
import { JournalError, type LocalStore, type StoredRow } from '../../src/journal/journal.ts';
import { sqliteStore } from '../../src/journal/sqlite/store.ts';
import { bytesOf } from './files.ts';
import { type Other, startOther } from './other-process.ts';

const others: Other[] = [];
export function other(...options: Parameters<typeof startOther>): Other {
  const started = startOther(...options);
  others.push(started);
  return started;
}
/** Ends the other processes after each test of a file. */
export function endOthersAfterEach(): void {
  afterEach(async () => {
    for (const each of others.splice(0)) await each.end();
  });
}

export const RUNS = ['a', 'b'];
export const KEPT = ['', '-wal', '-anchor'];
export type Files = ReadonlyMap<string, Buffer | null>;

export const filesOf = (path: string): Files => new Map(KEPT.map((suffix) => [suffix, bytesOf(path + suffix)]));

/** Which files are not what they were, byte for byte. */
export function changed(before: Files, after: Files): string[] {
  // A log of no bytes says as much as none.
  const nothing = Buffer.alloc(0);
  return KEPT.filter((suffix) => !(before.get(suffix) ?? nothing).equals(after.get(suffix) ?? nothing));
}

export function put(path: string, files: Files): void {
  rmSync(`${path}-shm`, { force: true });
  for (const [suffix, bytes] of files) {
    if (bytes === null) rmSync(path + suffix, { force: true });
    else writeFileSync(path + suffix, bytes);
  }
}

type Outcome = { code: string } | { rows: Record<string, StoredRow[]> };

/** What a fault ends in; anything but a JournalError fails the test. */
function caught(error: unknown): { code: string } {
  if (!(error instanceof JournalError)) throw error;
  return { code: error.code };
}

/** The rows that a writer gets, or how far it came: an open that is refused must leave no trace. */
export async function taken(path: string, run: string): Promise<StoredRow[] | { code: string; opened?: boolean }> {
  let store: LocalStore;
  try {
    store = sqliteStore(path);
  } catch (error) {
    return caught(error);
  }
  try {
    const journal = await store.open(run, 'either');
    try {
      return [...journal.read()];
    } catch (error) {
      return { ...caught(error), opened: true };
    } finally {
      await journal.close();
    }
  } catch (error) {
    return caught(error);
  } finally {
    await store.close();
  }
}

export function readOnly(path: string): Outcome {
  try {
    const store = sqliteStore(path, { readonly: true });
    store.runs();
    return { rows: Object.fromEntries(RUNS.map((run) => [run, [...store.read(run)]])) };
  } catch (error) {
    return caught(error);
  }
}
