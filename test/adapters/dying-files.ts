/**
 * One act of the file adapter in a process of its own, which kills itself before the nth step that changes the disk, in the
 * middle of what it writes, or once all is done. Prints how many moments there were. With `copies`, it lives, and leaves the disk
 * of each moment there: what a process leaves that is killed then.
 */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import type { Act } from './acts-on-files.ts';

interface Task {
  readonly root: string;
  readonly act: Act;
  readonly dieAt: number;
  /** The beginning of the paths of the copies; each ends with the number of its moment. */
  readonly copies?: string;
}

const { root, act, dieAt, copies } = JSON.parse(process.argv[2] as string) as Task;
const { cpSync, writeFileSync } = fs;
let moments = 0;
let isWatched = false;

function moment(): void {
  if (!isWatched) return;
  moments += 1;
  if (copies !== undefined) {
    isWatched = false;
    cpSync(root, `${copies}-${moments}`, { recursive: true });
    isWatched = true;
  }
  if (moments !== dieAt) return;
  process.kill(process.pid, 'SIGKILL');
  for (;;); // nothing more is done until the signal is there
}

type Step = (...args: unknown[]) => unknown;
const steps = fs as unknown as Record<string, Step>;
for (const name of ['renameSync', 'unlinkSync', 'mkdirSync', 'rmdirSync', 'chmodSync', 'fsyncSync', 'openSync']) {
  const step = steps[name] as Step;
  steps[name] = (...args) => {
    if (name !== 'openSync' || args[1] !== 'r') moment();
    return step(...args);
  };
}
steps.writeFileSync = (file, bytes) => {
  const whole = bytes as Uint8Array;
  const half = Math.floor(whole.length / 2);
  writeFileSync(file as number, whole.subarray(0, half));
  moment();
  return writeFileSync(file as number, whole.subarray(half));
};
syncBuiltinESMExports();

const { fileAdapter } = await import('../../src/adapters/files/adapter.ts');
const { ACTS } = await import('./acts-on-files.ts');
const files = fileAdapter({ root });
isWatched = true;
await ACTS[act](files);
moment();
process.stdout.write(String(moments));
