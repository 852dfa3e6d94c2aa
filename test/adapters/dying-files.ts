/**
 * One act of the file adapter in a process of its own, which kills itself before the nth step that changes the disk, in the
 * middle of what it writes, or once all is done. Prints how many moments there were.
 */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import type { Act } from './acts-on-files.ts';

const { root, act, dieAt } = JSON.parse(process.argv[2] as string) as { root: string; act: Act; dieAt: number };
let moments = 0;

function moment(lastWill?: () => void): void {
  moments += 1;
  if (moments !== dieAt) return;
  lastWill?.();
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
const { writeFileSync } = fs;
steps.writeFileSync = (file, bytes) => {
  const whole = bytes as Uint8Array;
  moment(() => writeFileSync(file as number, whole.subarray(0, whole.length / 2)));
  return writeFileSync(file as number, whole);
};
syncBuiltinESMExports();

const { fileAdapter } = await import('../../src/adapters/files/adapter.ts');
const { ACTS } = await import('./acts-on-files.ts');
const files = fileAdapter({ root });
moments = 0;
await ACTS[act](files);
moment();
process.stdout.write(String(moments));
