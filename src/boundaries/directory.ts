/** Reads configs and reviews from files, and writes reviews: only this file of the room touches the disk. */

import {
  closeSync,
  fsyncSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { NAME, OBJECT, refuseOther } from '../model/argument.ts';
import type { Guards } from '../predicates/compile.ts';
import { type Loaded, loadConfig } from './load.ts';
import { type LoadedMap, loadMap } from './migration-map.ts';
import { LOCK_NAME, lockText, parseLock, type ReviewLock } from './review.ts';

/** One byte more than the largest config, and more than the largest lock: a reader needs no more to refuse a file. */
const ENOUGH = { config: 256 * 1024 + 1, lock: 1024 * 1024 + 1 };

/**
 * Loads a config from its file. A file that cannot be read is a finding.
 * @example
 * import { readConfig } from 'belay-sidecar';
 *
 * const { config, findings } = readConfig('boundaries/none.yaml');
 * assert.equal(config, null);
 * assert.deepEqual(findings.map(({ code }) => code), ['cannot_read']);
 */
export function readConfig(path: string, options: { readonly guards?: Guards } = {}): Loaded {
  refuseOther('readConfig', { path: [path, NAME], options: [options, OBJECT] });
  try {
    return loadConfig(readStart(path, ENOUGH.config), { ...options, file: path });
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error)) throw error;
    const finding = { code: 'cannot_read', severity: 'error', file: path, line: 1, column: 1 } as const;
    const findings = [{ ...finding, message: error.message, mend: 'Name a file that can be read.' }];
    return { config: null, findings, document: { file: path, root: null } };
  }
}

/** Loads a map of names from its file. A file that cannot be read is a finding. */
export function readMap(path: string): LoadedMap {
  try {
    return loadMap(readStart(path, ENOUGH.config), path);
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error)) throw error;
    const finding = { code: 'cannot_read', severity: 'error', file: path, line: 1, column: 1 } as const;
    const findings = [{ ...finding, message: error.message, mend: 'Name a file that can be read.' }];
    return { isMap: false, map: null, findings };
  }
}

/**
 * The config files that a path stands for: itself, or for a directory the `*.yaml` and `*.yml` in it, by name.
 * @throws an error of the file system where there is nothing at the path.
 */
export function configFiles(path: string): readonly string[] {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path, { withFileTypes: true })
    .filter((entry) => !entry.isDirectory() && /\.ya?ml$/.test(entry.name))
    .map((entry) => join(path, entry.name))
    .sort();
}

/** Reads the part of a file that can matter, so that a file without end (a device, a pipe) ends. */
function readStart(path: string, enough: number): Uint8Array {
  const file = openSync(path, 'r');
  try {
    const bytes = new Uint8Array(enough);
    let length = 0;
    while (length < enough) {
      const read = readSync(file, bytes, length, enough - length, null);
      if (read === 0) break;
      length += read;
    }
    return bytes.subarray(0, length);
  } finally {
    closeSync(file);
  }
}

/** The reviews beside a config file: none where there is no lock, and a problem where the lock cannot be read. */
export function readLock(configFile: string): { readonly lock: ReviewLock } | { readonly problem: string } {
  try {
    const bytes = readStart(join(dirname(configFile), LOCK_NAME), ENOUGH.lock);
    return parseLock(new TextDecoder().decode(bytes));
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    return error.code === 'ENOENT' ? { lock: new Map() } : { problem: error.message };
  }
}

/**
 * Writes the reviews beside a config file, whole or not at all.
 * @throws an error of the file system where that is refused.
 */
export function writeLock(configFile: string, lock: ReviewLock): void {
  const path = join(dirname(configFile), LOCK_NAME);
  const draft = `${path}.${process.pid}.tmp`;
  try {
    const file = openSync(draft, 'wx');
    try {
      writeSync(file, lockText(lock));
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(draft, path);
  } finally {
    rmSync(draft, { force: true });
  }
}
