/** Gives a run of the tests a folder of its own for all that they write, and removes it at the end, whatever became of their processes. */
import { chmodSync, mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

let made: string | null = null;

/** Names the folder to this module as each further project loads it. */
const MADE = 'BELAY_TESTS_FOLDER';

/** The part of the memory that a system keeps as files: there nobody waits for a disk, and whoever is killed loses nothing of what it wrote. */
const MEMORY = '/dev/shm';
/** More than all that the tests write at once, in bytes. */
const ROOM = 4 * 1024 ** 3;

/** Where the folder lies: in memory, unless whoever runs the tests says otherwise, or it is too small, or runs no programs. */
function around(): string {
  if (process.env.TMPDIR !== undefined) return tmpdir();
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    const [, kind, settings = ''] = /^\S+ \/dev\/shm (\S+) (\S+)/m.exec(readFileSync('/proc/mounts', 'utf8')) ?? [];
    const isFit = kind === 'tmpfs' && !settings.split(',').includes('noexec');
    return isFit && bavail * bsize >= ROOM ? MEMORY : tmpdir();
  } catch {
    return tmpdir();
  }
}

/** Has `tmpdir()` of every worker, and of every process that those start, say that folder. The first project makes it. */
export function setup(): void {
  if (process.env[MADE] !== undefined) return;
  made = mkdtempSync(join(around(), 'belay-tests-'));
  // As the folder of the platform is: servers and other writers run as other users.
  chmodSync(made, 0o1777);
  process.env[MADE] = made;
  process.env.TMPDIR = made;
}

export function teardown(): void {
  if (made !== null) rmSync(made, { recursive: true, force: true });
}
