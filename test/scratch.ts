/** A folder for what the tests of one file write. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

/** Makes a folder that several files of tests may share. It goes with the folder of the whole run. */
export function sharedFolder(name: string): string {
  return mkdtempSync(join(tmpdir(), `belay-${name}-`));
}

/** Makes a folder, which is removed once the tests around the call are over. */
export function scratchFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `belay-${name}-`));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
