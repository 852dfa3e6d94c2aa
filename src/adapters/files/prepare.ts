/**
 * Checks that staged files can be published, before the commit is decided. Nothing is visible yet, and a refusal covers
 * the whole commit (E4).
 */
import type { Publication, StagedCall } from '../../effects/counterparty.ts';
import { CommitRefused, errorMessage, NotApplied } from '../../effects/signals.ts';
import { nameOf } from '../call.ts';
import { whatCounts } from '../relied.ts';
import type { FileRecord } from './aside.ts';
import { type Desk, isUndone, movedSince, whyMoved } from './change.ts';
import { contentOf } from './durable.ts';
import { changedSincePosition } from './position.ts';

/** The time after which a reservation lapses if its commit does not go on, in milliseconds. */
const LASTS = 30_000;

/** True while a staged call is not visible. */
export function isWaiting({ aside }: Desk, { staged, publication }: FileRecord): boolean {
  return staged && (publication === null || aside.manifest(publication) === null);
}

/** Checks the calls of a commit and reserves their paths. @returns a token that names what was prepared. */
export function prepareCommit(desk: Desk, calls: readonly StagedCall[], { id }: Publication): string {
  const name = nameOf(id);
  if (desk.aside.manifest(name) !== null) return name;
  for (const { key, path } of checkedCalls(desk, calls, name)) reserve(desk, path, key, name);
  // The process that held the path until now may have published just before.
  checkedCalls(desk, calls, name);
  return name;
}

/**
 * The records of the calls of a commit, if all of them can be written.
 * @throws CommitRefused if a call can never be written, NotApplied if a call is not staged or its path is reserved.
 */
export function checkedCalls(desk: Desk, calls: readonly StagedCall[], name: string): FileRecord[] {
  const records = calls.map((call) => checked(desk, call, name));
  for (const { key, path } of records) {
    const around = records.find((other) => path.startsWith(`${other.path}/`));
    if (around !== undefined)
      throw new CommitRefused(`${path} and ${around.path} cannot both be written: one would be a folder and a file`, {
        call: key,
      });
  }
  return records;
}

function checked(desk: Desk, { key, relies }: StagedCall, name: string): FileRecord {
  const { root, aside } = desk;
  const record = aside.record(key);
  if (record === null || !isWaiting(desk, record)) throw new NotApplied(`${key} is not staged`);
  const { path, after, base } = record;
  const place = placeOf(desk, record);
  root.checkWritable(place);
  const kept = after === null ? null : contentOf(aside.part(key, 'next'));
  if ((kept?.digest ?? null) !== after)
    throw new CommitRefused(`what was staged for ${path} is not kept`, { call: key });
  if (base !== undefined && (contentOf(place)?.digest ?? null) !== base)
    throw movedSince(record, 'its change was staged');
  const { since, follows } = whatCounts(relies, (call) => {
    const earlier = aside.record(call);
    return earlier?.path === path && !isWaiting(desk, earlier) && !isUndone(desk, earlier);
  });
  if (since !== null && changedSincePosition(desk, path, since)) throw movedSince(record, 'it was read');
  const before = follows === null ? null : aside.record(follows);
  if (before !== null && whyMoved(desk, before) !== null) throw movedSince(record, 'this run last wrote it');
  checkFree(desk, path, name);
  return record;
}

/** @throws CommitRefused where a path now leads to a place that may not be written. */
function placeOf({ root }: Desk, { key, path }: FileRecord): string {
  try {
    return root.place(path);
  } catch (error) {
    throw new CommitRefused(errorMessage(error), { call: key });
  }
}

/** @throws NotApplied where another commit has reserved a path. */
export function checkFree({ aside }: Desk, path: string, name: string | null): void {
  const other = aside.reservation(path);
  if (other !== null && other.publication !== name && other.until > Date.now())
    throw new NotApplied(`${path} is reserved by the commit of ${other.key}`);
}

function reserve(desk: Desk, path: string, key: string, publication: string): void {
  const { aside } = desk;
  const reservation = { path, key, publication, until: Date.now() + LASTS };
  for (let tries = 0; tries < 3; tries += 1) {
    if (aside.reserve(reservation, aside.reservation(path) !== null)) return;
    checkFree(desk, path, publication);
  }
  throw new NotApplied(`${path} is reserved by another commit`);
}

/** Releases the paths that a commit has reserved. */
export function releaseAll({ aside }: Desk, paths: Iterable<string>, publication: string): void {
  for (const path of paths) if (aside.reservation(path)?.publication === publication) aside.release(path);
}
