/**
 * Every property under seeds of which no change knows: `npm run prove soak-properties -- --rounds 20`, or `--minutes 30`. It ends with 1 where
 * one failed, and says how to have it fail again.
 */
import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Command, InvalidArgumentError } from 'commander';
import { drawingFiles } from './drawing.ts';

/** What a run of the tests reports of itself. */
interface Told {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly message: string;
    readonly assertionResults: readonly { fullName: string; status: string; failureMessages: readonly string[] }[];
  }[];
}

const root = fileURLToPath(new URL('../..', import.meta.url));

function whole(text: string): number {
  if (!/^[1-9]\d*$/.test(text)) throw new InvalidArgumentError('a whole number of at least 1 is needed');
  return Number(text);
}

const { rounds, minutes } = new Command('npm run prove soak-properties --')
  .description('runs the files of tests that hold properties, with a seed of its own in each round')
  .option('--rounds <n>', 'how many rounds', whole, 5)
  .option('--minutes <n>', 'begin rounds for so long instead', whole)
  .addHelpText('after', '\nExit code: 0 where every property held, 1 where one failed or a round came to no end.')
  .parse()
  .opts<{ rounds: number; minutes?: number }>();

/** Where every run of the tests leaves its report. */
const report = join(root, 'reports/tests.json');
const files = drawingFiles();
console.log(`${files.length} files of tests hold properties`);

/** Runs them with a seed. @returns null where the run ended without a report. */
async function round(seed: number): Promise<Told | null> {
  const args = ['run', '--project', 'belay', '--reporter=json', ...files];
  rmSync(report, { force: true });
  const child = spawn(process.execPath, [join(root, 'node_modules/vitest/vitest.mjs'), ...args], {
    cwd: root,
    env: { ...process.env, BELAY_SEED: String(seed) },
    stdio: 'ignore',
  });
  await new Promise((resolve, reject) => child.on('error', reject).on('close', resolve));
  try {
    return JSON.parse(readFileSync(report, 'utf8')) as Told;
  } catch {
    return null;
  }
}

/** Prints what failed of a round, and the command that repeats it. */
function failures(seed: number, told: Told): void {
  for (const { name, status, message, assertionResults } of told.testResults) {
    if (status === 'passed') continue;
    const file = name.slice(name.indexOf('test/'));
    const failed = assertionResults.filter((one) => one.status === 'failed');
    if (failed.length === 0) console.log(`\nFAILED: ${file}\n${message}`);
    for (const one of failed) console.log(`\nFAILED: ${file}: ${one.fullName}\n${one.failureMessages.join('\n')}`);
    console.log(`again: BELAY_SEED=${seed} npx vitest run --project belay ${file}`);
  }
}

const began = Date.now();
const seconds = () => Math.round((Date.now() - began) / 1000);
let [done, held, failed] = [0, 0, 0];
for (; minutes === undefined ? done < rounds : seconds() < minutes * 60; done += 1) {
  const seed = randomInt(2 ** 31);
  const told = await round(seed);
  held += told?.numPassedTests ?? 0;
  failed +=
    told === null
      ? 1
      : Math.max(told.numFailedTests, told.testResults.some(({ status }) => status !== 'passed') ? 1 : 0);
  const counts =
    told === null
      ? 'no report'
      : `${told.numPassedTests} tests passed, ${told.numFailedTests} failed, ${told.numPendingTests} skipped`;
  console.log(`round ${done + 1}, seed ${seed}: ${counts}`);
  if (told === null) console.log(`again: BELAY_SEED=${seed} npx vitest run --project belay ${files.join(' ')}`);
  else failures(seed, told);
}
console.log(`${done} rounds in ${seconds()} s: ${held} tests passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
