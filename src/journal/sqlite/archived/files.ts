/**
 * The files of archived rows, in a folder beside the journal (`belay.sqlite-rows`). Each has the commit groups of one
 * stretch of a run as in the log, sealed if the log is sealed, and packed. They are trusted as little as the log: rows
 * read from them are checked against the chain of the run.
 */
import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { JournalError } from '../../journal.ts';
import { corrupt } from '../errors.ts';
import { groupsIn, headOf, joined, partsIn } from '../log/form.ts';
import type { Run } from '../log/run.ts';
import type { StoredGroup } from '../log/stored-rows.ts';
import type { ArchivedStretch } from './stretches.ts';

const BEGINNING = Buffer.from('belay rows 1\0');
/** The room for the length of the head. */
const LENGTH = 4;

/** The largest stretch that is read, in bytes, unpacked; what one commit group may have at most lies far below. */
const LARGEST = 1024 * 1024 * 1024;

/** The folder of a journal's archived rows. */
export function folderOf(path: string): string {
  return `${path}-rows`;
}

/** Writes a stretch, durably. One that was written before in vain is replaced by the same. */
export function writeStretch(path: string, run: Run, stretch: ArchivedStretch, groups: readonly StoredGroup[]): void {
  const folder = folderOf(path);
  const file = fileOf(path, run.id, stretch);
  const unfinished = join(folder, `.${basename(file)}.${process.pid}.part`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const descriptor = openSync(unfinished, 'w', 0o600);
  try {
    writeFileSync(descriptor, Buffer.concat([BEGINNING, deflateRawSync(bytesOf(stretch, groups))]));
    fsyncSync(descriptor);
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw error;
  } finally {
    closeSync(descriptor);
  }
  renameSync(unfinished, file);
  for (const changed of [folder, dirname(path)]) sync(changed);
}

/**
 * The commit groups of a stretch, in order.
 * @throws JournalError `rows_archived` where the file is not there, `journal_corrupt` where it has no form.
 */
export function readStretch(path: string, run: Run, stretch: ArchivedStretch): StoredGroup[] {
  const file = fileOf(path, run.id, stretch);
  let stored: Buffer;
  try {
    stored = readFileSync(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw missing(path, run, stretch, file);
  }
  const groups = groupsOf(stored, stretch);
  if (groups === null) throw corrupt(file, run.name, stretch.after + 1, 'the file of its archived rows is damaged');
  return groups;
}

/** Removes the files of a run that was deleted; what cannot be removed names a run that no file has any more. */
export function removeStretches(path: string, run: number, stretches: readonly ArchivedStretch[]): void {
  for (const stretch of stretches) {
    try {
      rmSync(fileOf(path, run, stretch), { force: true });
    } catch {
      // The number of a run is given to no other.
    }
  }
}

function bytesOf({ end }: ArchivedStretch, groups: readonly StoredGroup[]): Buffer {
  const head = headOf(
    end.row,
    groups.map(({ group }) => group),
  );
  const length = Buffer.alloc(LENGTH);
  length.writeUInt32BE(head.length);
  return Buffer.concat([length, head, joined(groups.map(({ part }) => part))]);
}

function groupsOf(stored: Buffer, { end }: ArchivedStretch): StoredGroup[] | null {
  if (!stored.subarray(0, BEGINNING.length).equals(BEGINNING)) return null;
  let bytes: Buffer;
  try {
    bytes = inflateRawSync(stored.subarray(BEGINNING.length), { maxOutputLength: LARGEST });
  } catch {
    return null;
  }
  if (bytes.length < LENGTH) return null;
  const from = LENGTH + bytes.readUInt32BE(0);
  const groups = groupsIn(end.row, bytes.subarray(LENGTH, from));
  const parts = groups === null ? null : partsIn(bytes.subarray(from), groups.length);
  if (groups === null || parts === null) return null;
  return groups.map((group, index) => ({ group, part: parts[index] as Buffer }));
}

/** Names a run by its number: its own name may be no name of a file. */
function fileOf(path: string, run: number, { after, end }: ArchivedStretch): string {
  return join(folderOf(path), `${run}.${after + 1}-${end.seq}.rows`);
}

function missing(path: string, { name }: Run, { after, end }: ArchivedStretch, file: string): JournalError {
  const what = `rows ${after + 1} to ${end.seq} of run ${JSON.stringify(name)} were archived, and ${file} is not there`;
  const mend = 'Put it back: the run goes on without it, and what reads the run from its beginning does not.';
  return new JournalError('rows_archived', `${path}: ${what}. ${mend}`);
}

function sync(folder: string): void {
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
