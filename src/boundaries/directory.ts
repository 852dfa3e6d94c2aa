/** Reads configs from files: the one place of this room that touches the disk. */
import { closeSync, openSync, readdirSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Guards } from '../predicates/compile.ts';
import { type Loaded, loadConfig } from './load.ts';

/** One byte more than the largest file: whoever reads that much need not read on. */
const ENOUGH = 256 * 1024 + 1;

/** Loads a config from its file. What cannot be read is a finding. */
export function readConfig(path: string, options: { readonly guards?: Guards } = {}): Loaded {
  try {
    return loadConfig(readStart(path), { ...options, file: path });
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error)) throw error;
    const finding = { code: 'cannot_read', severity: 'error', file: path, line: 1, column: 1 } as const;
    const findings = [{ ...finding, message: error.message, mend: 'Name a file that can be read.' }];
    return { config: null, findings, document: { file: path, root: null } };
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

/** As much of a file as is ever looked at, so that a file without end (a device, a pipe) ends. */
function readStart(path: string): Uint8Array {
  const file = openSync(path, 'r');
  try {
    const bytes = new Uint8Array(ENOUGH);
    let length = 0;
    while (length < ENOUGH) {
      const read = readSync(file, bytes, length, ENOUGH - length, null);
      if (read === 0) break;
      length += read;
    }
    return bytes.subarray(0, length);
  } finally {
    closeSync(file);
  }
}
