/** Runs the command as a user does, on real files: as a process of its own with real pipes, or within one that runs already where nothing differs. */
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sharedFolder } from '../scratch.ts';
import type { Ran } from './caught.ts';
import { HERE, here } from './here.ts';
import { WARM, warm } from './warm.ts';

/** The built command. */
export const MAIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

/** Runs `belay` with arguments, `input` on standard input. What this process was told of colours is not passed on. */
export function belay(
  args: readonly string[],
  input: string | Uint8Array = '',
  env: NodeJS.ProcessEnv = {},
  cwd: string = process.cwd(),
): Promise<Ran> {
  const [verb = ''] = args;
  if (WARM.has(verb)) return warm({ args, input: Buffer.from(input).toString(), env, cwd });
  return HERE.has(verb) ? here(args, input, env, cwd) : built(args, input, env, cwd);
}

/** Runs the built command in a process of its own. */
export function built(
  args: readonly string[],
  input: string | Uint8Array = '',
  env: NodeJS.ProcessEnv = {},
  cwd: string = process.cwd(),
): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [MAIN, ...args], {
      cwd,
      env: { ...process.env, NO_COLOR: undefined, FORCE_COLOR: undefined, ...env },
    });
    let out = '';
    let err = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      out += chunk;
    });
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      err += chunk;
    });
    child.stdin.on('error', () => {}); // the command may have answered, and gone, before it has read everything
    child.on('error', reject).on('close', (code) => resolve({ code, out, err }));
    child.stdin.end(input);
  });
}

const folder = sharedFolder('test');

/** Writes a file to a folder of this test run, and says where. */
export function file(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

/** Lines of a trace, from values. */
export function trace(...lines: object[]): string {
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}
