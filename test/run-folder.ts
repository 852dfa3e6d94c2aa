/** Gives a run of the tests a folder of its own for all that they write, and removes it at the end, whatever became of their processes. */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

let made: string | null = null;

/** Has `tmpdir()` of every worker, and of every process that those start, say that folder. Called for each project: the first call makes it. */
export function setup(): void {
  if (made !== null) return;
  made = mkdtempSync(join(tmpdir(), 'belay-tests-'));
  // Servers and other writers run as other users.
  chmodSync(made, 0o755);
  process.env.TMPDIR = made;
}

export function teardown(): void {
  if (made !== null) rmSync(made, { recursive: true, force: true });
}
