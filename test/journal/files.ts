/** Real files for the journal's tests, in a folder of this process. */
import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { sharedFolder } from '../scratch.ts';

const folder = sharedFolder('journal');
let paths = 0;

/** A path to a journal that is not there yet, in a folder of its own. */
export function freshPath(): string {
  paths += 1;
  mkdirSync(join(folder, String(paths)));
  return join(folder, String(paths), 'journal.db');
}

/** The files that belong to a journal. */
const SUFFIXES = ['', '-wal', '-shm', '-anchor'] as const;

/** Copies a journal with some of the files that belong to it, as they are now. */
export function copyOf(path: string, suffixes: readonly string[] = SUFFIXES): string {
  const to = freshPath();
  for (const suffix of suffixes) if (existsSync(path + suffix)) copyFileSync(path + suffix, to + suffix);
  return to;
}

/** The bytes of a file, and null where there is none. */
export function bytesOf(path: string): Buffer | null {
  return existsSync(path) ? readFileSync(path) : null;
}

/** A user who may do nothing that others may not. */
export const NOBODY = 65_534;

/** Lets every user of this machine read and write a journal. */
export function shareWithAll(path: string): void {
  chmodSync(folder, 0o755);
  chmodSync(dirname(path), 0o777);
  for (const suffix of SUFFIXES) if (existsSync(path + suffix)) chmodSync(path + suffix, 0o666);
}
