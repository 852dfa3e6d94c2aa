/** Gives a run of the tests a folder of its own for all that they write, and removes it at the end, whatever became of their processes. */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

let made: string | null = null;

/** Names the folder to this module as each further project loads it. */
const MADE = 'BELAY_TESTS_FOLDER';

/** Has `tmpdir()` of every worker, and of every process that those start, say that folder. The first project makes it. */
export function setup(): void {
  if (process.env[MADE] !== undefined) return;
  made = mkdtempSync(join(tmpdir(), 'belay-tests-'));
  // As the folder of the platform is: servers and other writers run as other users.
  chmodSync(made, 0o1777);
  process.env[MADE] = made;
  process.env.TMPDIR = made;
}

export function teardown(): void {
  if (made !== null) rmSync(made, { recursive: true, force: true });
}
