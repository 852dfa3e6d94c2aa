/** A run in processes of its own: the first is sent SIGKILL, and another one takes the run up. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { Judged } from '../../rehearsal/trial/course.ts';
import { PACKAGE_FOLDER } from '../terminal/package-folder.ts';
import type { Order } from './order.ts';

/** The script of such a process: among the sources beside this file, in a build by its place in the package. */
const LIFE = import.meta.url.endsWith('.ts')
  ? fileURLToPath(new URL('./life.ts', import.meta.url))
  : join(PACKAGE_FOLDER, 'dist/cli/rehearse/life.js');

/** Makes a run whose first process is sent SIGKILL at an append. @throws where a process fails by itself. */
export async function killedRun(order: Omit<Order, 'folder' | 'dies'>, append: number): Promise<Judged> {
  const folder = mkdtempSync(join(tmpdir(), 'belay-killed-'));
  try {
    mkdirSync(join(folder, 'world'));
    const isKilled = await live({ ...order, folder, dies: append });
    if (isKilled) await live({ ...order, folder, dies: null });
    const course = JSON.parse(readFileSync(join(folder, 'course.json'), 'utf8')) as Judged;
    return { ...course, fired: isKilled };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** One process. @returns true where it was killed, false where it has come to the end. */
async function live(order: Order): Promise<boolean> {
  const file = join(order.folder, 'order.json');
  writeFileSync(file, JSON.stringify(order));
  const child = spawn(process.execPath, [...process.execArgv, LIFE, file], { stdio: ['ignore', 'ignore', 'pipe'] });
  const [said, [code, signal]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  if (signal === 'SIGKILL') return true;
  if (code === 0) return false;
  throw new Error(`a process of the run ended with ${code ?? signal}: ${said.trim().split('\n').at(-1) ?? ''}`);
}
