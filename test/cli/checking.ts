/** Configs and modules that `belay check` is given, in one folder. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PLAIN } from '../boundaries/config.ts';
import { scratchFolder } from '../scratch.ts';
import { belay } from './belay.ts';

const fixtures = fileURLToPath(new URL('../boundaries/fixtures', import.meta.url));
export const schedule = `${fixtures}/schedule-form.yaml`;
export const machines = `${fixtures}/machines.mjs`;

export let folder: string;
export let wrong: string;
export let mjs: string;

/** Makes the folder for the tests of a file, with a config that is wrong and the module of its machine. */
export function makeChecked(): void {
  folder = scratchFolder('check');
  wrong = put('wrong/m.yaml', PLAIN.replace('BUSY -> DONE', 'BUSY -> DOEN'));
  mjs = machineFile('m.mjs', `export const machine = ${m};`);
}

/** Writes a file below the folder of this test run, and says where. */
export function put(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
  return path;
}

/** Runs `belay check` with a working directory of its own, as `npx --no belay` does. */
export function within(cwd: string, ...args: string[]) {
  return belay(['check', ...args], '', {}, cwd);
}

// A module that a user has built finds its xstate beside it; one in a temporary folder is told where that is.
const xstate = import.meta.resolve('xstate');
export const machineFile = (name: string, body: string) =>
  put(name, `import { createMachine } from ${JSON.stringify(xstate)};\n${body}`);
export const m =
  "createMachine({ id: 'm', initial: 'BUSY', states: { BUSY: { invoke: { src: 'work', onDone: 'DONE' } }, DONE: {} } })";
