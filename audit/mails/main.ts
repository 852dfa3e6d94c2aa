#!/usr/bin/env node
/** `npm run audit mails`: two file writes and two mails under faults, with Belay and without it, counted at the mail server. */
import { readFileSync } from 'node:fs';
import Table from 'cli-table3';
import { Command, CommanderError, InvalidArgumentError } from 'commander';
import { progressLine } from '../terminal.ts';
import { type Count, countAll, isSafe } from './count.ts';
import type { Mode } from './modes.ts';

const whole = (text: string) => {
  const number = Number(text);
  if (!Number.isSafeInteger(number) || number < 1) throw new InvalidArgumentError('a whole number from 1 is wanted');
  return number;
};

const program = new Command('npm run audit mails --')
  .description('Writes two files and sends two mails in each run, under faults, and counts what came out.')
  .option('--runs <number>', 'runs for each probability, once confirmed and once given up', whole, 100)
  .option('--seed <number>', 'from which the faults are drawn', whole, 1)
  .option('--json', 'one JSON object')
  .addHelpText(
    'after',
    `
Each write and each mail fails with a probability of 0.1, 0.3 and 0.5 an attempt: half of the failures come before the
effect, half after it with the reply lost. What fails is tried again. Half of the runs are confirmed at their end, and
half are given up: of those nothing may be seen.

  belay       files are staged and mails wait until the work is confirmed; a lost reply is asked about
  retry       whatever fails is done again, at once
  checkpoint  whatever fails has everything go back to the checkpoint before it

Exit code: 0 when Belay has leaked, doubled and lost nothing; 1 when it has; 2 when the command is misused.`,
  )
  .exitOverride();

const MEANINGS: Record<Mode, string> = { belay: 'Tx-Full', retry: 'No-Tx', checkpoint: 'CR' };

function text(counts: readonly Count[], { rows, source }: { rows: Record<string, number[]>; source: string }): string {
  const table = new Table({
    head: ['MODE', 'RUNS', 'DUE', 'DELIVERED', 'LEAKED', 'DUPLICATES', 'LOST', 'FILES WRONG', 'SECONDS'],
    colAligns: ['left', ...Array<'right'>(8).fill('right')],
    style: { head: [], border: [] },
  });
  for (const count of counts) {
    const { mode, runs, expected, delivered, unsafeLeaked, unsafeDuplicates, unsafeLost, unsafeFiles } = count;
    const seconds = (count.milliseconds / 1_000).toFixed(1);
    table.push([mode, runs, expected, delivered, unsafeLeaked, unsafeDuplicates, unsafeLost, unsafeFiles, seconds]);
  }
  const paper = counts.map(({ mode }) => {
    const [leaked, , , duplicates] = rows[MEANINGS[mode]] ?? [];
    return `  ${mode}: ${MEANINGS[mode]} there, ${leaked} leaked, ${duplicates} duplicates\n`;
  });
  const verdict = isSafe(counts) ? 'Belay leaked, doubled and lost nothing.' : 'NOT SAFE: see the row of belay.';
  return `${table.toString()}

Mails, as the mail server counted them, and files, as they lie there.
${source}.
Not comparable one by one: there, every mail of a mode that sends at once counts as leaked.
${paper.join('')}
${verdict}
`;
}

async function main(): Promise<number> {
  const { runs, seed, json = false } = program.opts<{ runs: number; seed: number; json?: boolean }>();
  const line = progressLine();
  const progress = (done: number, of: number) => line.show(`${done} of ${of} runs`);
  const counts = await countAll({ probabilities: [0.1, 0.3, 0.5], runs, seed, progress }).finally(line.done);
  const figures = JSON.parse(readFileSync(new URL('../../../audit/figures.json', import.meta.url), 'utf8'));
  const paper = figures['atomix-table-10'];
  process.stdout.write(json ? `${JSON.stringify({ seed, counts, paper })}\n` : text(counts, paper));
  return isSafe(counts) ? 0 : 1;
}

try {
  program.parse();
  process.exitCode = await main();
} catch (error) {
  if (!(error instanceof CommanderError)) throw error;
  process.exitCode = error.exitCode === 0 ? 0 : 2;
}
