/** Runs scenarios in processes of their own, which SIGKILL ends at some append, until one of them comes to the end. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Chance } from './chance.ts';
import type { Feature } from './features.ts';
import type { Task } from './process.ts';
import type { Tally } from './tally.ts';
import type { Result } from './trial.ts';

const SCRIPT = fileURLToPath(new URL('./process.ts', import.meta.url));
/** How long a process may live, in milliseconds. */
const PATIENCE = 60_000;

/** Runs scenarios from `from` on, each killed once or twice. @returns how many processes were killed. */
export async function runProcesses(
  tally: Tally,
  { runs, seed, from, only }: { runs: number; seed: number; from: number; only: readonly Feature[] | null },
): Promise<number> {
  let kills = 0;
  for (let index = from; index < from + runs; index++) {
    const folder = mkdtempSync(join(tmpdir(), 'belay-simulation-'));
    const chance = new Chance(seed, -index - 1);
    for (let deaths = chance.int(1, 2); ; deaths--) {
      const when = chance.pick(['before', 'after'] as const);
      const death = deaths > 0 ? { append: chance.int(1, 40), when } : null;
      const { signal, out, errors } = await live({ seed, index, only, folder, death });
      if (signal === 'SIGKILL' && death !== null) {
        kills += 1;
        continue;
      }
      if (!out.startsWith('{')) throw new Error(`run ${index} of seed ${seed} in a process: ${signal ?? ''} ${errors}`);
      tally.take(index, JSON.parse(out) as Result);
      break;
    }
    rmSync(folder, { recursive: true, force: true });
  }
  return kills;
}

async function live(task: Task): Promise<{ signal: NodeJS.Signals | null; out: string; errors: string }> {
  const child = spawn(process.execPath, ['--import', 'tsx', SCRIPT, JSON.stringify(task)], {
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: PATIENCE,
  });
  let [out, errors] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    out += part;
  });
  child.stderr.setEncoding('utf8').on('data', (part: string) => {
    errors += part;
  });
  const [, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  return { signal, out, errors };
}
