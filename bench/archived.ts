/** What archiving the oldest rows of a run gives back: `npm run bench archived`, with `-- --steps N --per-commit N` for another run. Asserts nothing. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sqliteStore } from 'belay-sidecar/sqlite';
import { attach, resume } from 'belay-sidecar/xstate';
import { Command, InvalidArgumentError } from 'commander';
import { config, event, machine } from './machine.ts';

const whole = (text: string) => {
  if (/^[1-9]\d{0,6}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('a whole number from 1 to 9999999 is needed.');
};
const { steps, perCommit } = new Command('npm run bench archived --')
  .description('measures what archiving the oldest rows of a run gives back')
  .option('--steps <n>', 'the steps of the run', whole, 30_000)
  .option('--per-commit <n>', 'how many of them are made durable together', whole, 1)
  .parse()
  .opts<{ steps: number; perCommit: number }>();

const ENTRIES = 10;
const CLI = join(import.meta.dirname, '../dist/cli/main.js');
const folder = mkdtempSync(join(tmpdir(), 'belay-archived-'));
const journal = join(folder, 'belay.sqlite');
const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(2)} MB`;

async function taken(mode: 'attach' | 'resume', count: number): Promise<number> {
  const store = sqliteStore(journal);
  const start = performance.now();
  const options = { run: 'run', config, journal: store };
  const sidecar = await (mode === 'attach' ? attach : resume)(machine(ENTRIES), options);
  sidecar.actor.start();
  const milliseconds = performance.now() - start;
  for (let n = 0; n < count; n += 1) {
    sidecar.actor.send(event(n, ENTRIES));
    if (n % perCommit === perCommit - 1) await sidecar.durable();
  }
  await sidecar.close();
  await store.close();
  return milliseconds;
}

try {
  await taken('attach', steps);
  const before = statSync(journal).size;
  const start = performance.now();
  const args = ['compact', '--journal', journal, '--archive', join(folder, 'kept'), '--by', 'bench'];
  const told = execFileSync(process.execPath, [CLI, ...args], { encoding: 'utf8' });
  const seconds = (performance.now() - start) / 1_000;
  const files = join(folder, 'belay.sqlite-rows');
  const beside = readdirSync(files, { withFileTypes: true }).map(({ name }) => statSync(join(files, name)).size);
  console.log(told.trimEnd().replaceAll(`${folder}/`, ''));
  console.log(`the file before    ${megabytes(before)}`);
  console.log(`the file after     ${megabytes(statSync(journal).size)}`);
  console.log(`beside it          ${megabytes(beside.reduce((sum, size) => sum + size, 0))}`);
  console.log(`the command took   ${seconds.toFixed(1)} s`);
  rmSync(files, { recursive: true });
  console.log(`resume without it  ${(await taken('resume', 0)).toFixed(0)} ms`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
