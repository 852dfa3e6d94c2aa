/** Changes one file and changes it back. Each is a single rename, which is also the record that it was done. */
import { chmodSync, renameSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CommitRefused, errorMessage } from '../../effects/signals.ts';
import type { Aside, FileRecord } from './aside.ts';
import { contentOf, isThere, syncFolder, writeDurably } from './durable.ts';
import type { Root } from './root.ts';

/** The folders in which files are changed. */
export interface Desk {
  readonly root: Root;
  readonly aside: Aside;
}

/** True if a call has changed its file. */
export function isApplied({ aside }: Desk, { key, before, after }: FileRecord): boolean {
  if (before === undefined) return false;
  return after !== null ? !aside.has(key, 'next') : before === null || aside.has(key, 'gone');
}

/** True if a call has been undone. */
export function isUndone({ aside }: Desk, { key, before, after, undoing }: FileRecord): boolean {
  if (undoing === undefined) return false;
  return before !== null ? !aside.has(key, 'back') : after === null || aside.has(key, 'taken');
}

/** True if a publication skipped a call because a later call of it writes the same path. */
function isSuperseded({ aside }: Desk, { key, publication }: FileRecord): boolean {
  return publication !== null && aside.manifest(publication)?.writes.includes(key) === false;
}

/** Changes the file of a record, once. The adapter first keeps the present content aside. */
export function apply(desk: Desk, record: FileRecord): FileRecord {
  if (isApplied(desk, record)) return record;
  const { root, aside } = desk;
  const place = root.place(record.path);
  const captured = capture(desk, record, place);
  const { key, before, after, mode } = captured;
  const next = aside.part(key, 'next');
  if (after !== null) {
    root.makeWay(place);
    if (mode !== undefined) chmodSync(next, mode);
    renameSync(next, place);
  } else if (before !== null) renameSync(place, aside.part(key, 'gone'));
  return captured;
}

/** Makes a change durable: syncs the folders that it touched and that still exist. */
export function settle({ root, aside }: Desk, { key, path }: FileRecord): void {
  let folder = dirname(join(root.folder, path));
  while (!isThere(folder)) folder = dirname(folder);
  syncFolder(folder);
  syncFolder(dirname(aside.part(key, 'next')));
}

/**
 * Keeps the present content of a place, and says so in the record. @throws CommitRefused where the content has changed
 * since it was staged.
 */
function capture({ aside }: Desk, record: FileRecord, place: string): FileRecord {
  const now = contentOf(place);
  if (record.base !== undefined && record.base !== (now?.digest ?? null))
    throw movedSince(record, 'its change was staged');
  if (now !== null) writeDurably(aside.part(record.key, 'before'), now.bytes, 0o600);
  const captured: FileRecord = {
    ...record,
    before: now?.digest ?? null,
    ...(now === null ? {} : { mode: now.mode }),
    order: aside.nextOrder(),
  };
  aside.write(captured);
  return captured;
}

/** Changes a file back, once. @throws where the file is not as the call left it. */
export function undo(desk: Desk, record: FileRecord, undoKey: string): void {
  if (isUndone(desk, record) || isSuperseded(desk, record)) return;
  const { root, aside } = desk;
  const { key, before, after } = record;
  const place = root.place(record.path);
  if (before !== null) {
    const kept = contentOf(aside.part(key, 'before'));
    if (kept === null || kept.digest !== before)
      throw new Error(`what ${record.path} held before is not kept any more`);
    writeDurably(aside.part(key, 'back'), kept.bytes, 0o600);
    chmodSync(aside.part(key, 'back'), record.mode ?? 0o600);
  }
  aside.write({ ...record, undoing: undoKey });
  if ((contentOf(place)?.digest ?? null) !== after) throw new Error(changedSince(record));
  if (before !== null) {
    root.makeWay(place);
    renameSync(aside.part(key, 'back'), place);
  } else if (after !== null) renameSync(place, aside.part(key, 'taken'));
  settle(desk, record);
}

/** The reason why a file cannot be changed back any more, or null. */
export function whyMoved(desk: Desk, record: FileRecord): string | null {
  if (isUndone(desk, record) || isSuperseded(desk, record)) return null;
  const { root, aside } = desk;
  try {
    const now = contentOf(root.place(record.path))?.digest ?? null;
    if (record.before !== null && contentOf(aside.part(record.key, 'before'))?.digest !== record.before)
      return `what ${record.path} held before is not kept any more`;
    return now === leftBehind(desk, record) ? null : changedSince(record);
  } catch (error) {
    return errorMessage(error);
  }
}

/**
 * The content that the file has if only calls of this adapter have changed it since. Later calls that stand are undone
 * before this one, newest first, so the content that the last of them left counts. Undefined where another writer
 * changed the file in between.
 */
function leftBehind(desk: Desk, record: FileRecord): string | null | undefined {
  const later = desk.aside
    .on(record.path)
    .filter((other) => (other.order ?? 0) > (record.order ?? 0) && isApplied(desk, other) && !isUndone(desk, other))
    .sort((a, b) => (a.order ?? 0) - (b.order ?? 0));
  let left = record.after;
  for (const { before, after } of later) {
    if (before !== left) return undefined;
    left = after;
  }
  return left;
}

/** Refuses a call whose file has changed since. */
export function movedSince({ path, key }: Pick<FileRecord, 'path' | 'key'>, since: string): CommitRefused {
  return new CommitRefused(`${path} was changed since ${since}`, { call: key, moved: true });
}

function changedSince({ path }: FileRecord): string {
  return `${path} was changed since`;
}
