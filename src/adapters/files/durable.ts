/**
 * Files that exist whole or not at all. Every function is synchronous, so nothing in this process comes in between, and
 * syncs what it writes before the caller relies on it.
 */
import { createHash } from 'node:crypto';
import {
  closeSync,
  fstatSync,
  fsyncSync,
  linkSync,
  lstatSync,
  openSync,
  readFileSync,
  renameSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';

/** The content of a regular file, and its permissions. */
export interface Content {
  readonly bytes: Uint8Array;
  readonly mode: number;
  readonly digest: string;
}

export function digestOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** The content of a regular file; null where there is none. */
export function contentOf(file: string): Content | null {
  if (!isThere(file)) return null;
  const descriptor = openSync(file, 'r');
  try {
    const bytes = readFileSync(descriptor);
    return { bytes, mode: fstatSync(descriptor).mode & 0o777, digest: digestOf(bytes) };
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Writes a file of the adapter's own as a whole: a crash leaves the old file, the new one, or a `.part` file, which is
 * never read.
 */
export function writeDurably(file: string, bytes: Uint8Array, mode = 0o666): void {
  const part = `${file}.part`;
  removeFile(part);
  const descriptor = openSync(part, 'wx', mode);
  try {
    writeFileSync(descriptor, bytes);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  renameSync(part, file);
  syncFolder(dirname(file));
}

/** Makes a file of the adapter's own, whole, unless it exists already. @returns true if it was made. */
export function createDurably(file: string, bytes: Uint8Array): boolean {
  const part = `${file}.${process.pid}.part`;
  writeDurably(part, bytes, 0o600);
  try {
    // A link is made or refused in one step. A rename would replace what another process has made meanwhile.
    linkSync(part, file);
    return true;
  } catch (error) {
    if ((error as { code?: unknown }).code === 'EEXIST') return false;
    throw error;
  } finally {
    removeFile(part);
    syncFolder(dirname(file));
  }
}

/** Makes the names in a folder durable. Windows has no such operation. */
export function syncFolder(folder: string): void {
  if (process.platform === 'win32') return;
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

export function isThere(file: string): boolean {
  return lstatSync(file, { throwIfNoEntry: false }) !== undefined;
}

/** Removes a file, if it is there. */
export function removeFile(file: string): void {
  if (isThere(file)) unlinkSync(file);
}
