#!/usr/bin/env node
import { join } from 'node:path';
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
/** `npm run audit workloads`: other people's tasks under faults, with Belay and without it, and what comes of the comparison. */
import { fieldOf, messageOf } from '../../domains/there.ts';
import { ROOT } from '../root.ts';
import { progressLine, wantsColours } from '../terminal.ts';
import { compare } from './answer.ts';
import { DataError } from './set.ts';

interface Given {
  readonly data: string;
  readonly set?: readonly string[];
  readonly p: readonly number[];
  readonly repeat: number;
  readonly seed: number;
  readonly policy?: readonly string[];
  readonly asking: boolean;
  readonly adapters?: string;
  readonly report: string;
  readonly json?: boolean;
}

const program = new Command('npm run audit workloads --')
  .description("Runs other people's tasks under faults, with Belay and without it, and compares.")
  .requiredOption('--data <directory>', 'the data sets: a folder each, or one of them')
  .option('--set <name...>', 'only some of the sets, by their name or folder')
  .addOption(
    new Option('--p <list>', 'how likely an attempt at a change is to fail, one number or several')
      .argParser(probabilities)
      .default([0.05, 0.1, 0.3], '0.05,0.1,0.3'),
  )
  .option('--repeat <n>', 'how often each task is run, each time with other faults', counted, 3)
  .option('--seed <n>', 'the first seed: the same seed gives the same table', counted, 1)
  .option('--policy <name...>', 'only some of the policies')
  .option('--no-asking', 'as if no counterparty could be asked what became of a call')
  .option('--adapters <file>', 'a built JavaScript module with adapters of your own; its code is run')
  .option('--report <folder>', 'where the comparison is left', join(ROOT, 'audit', 'report'))
  .option('--json', 'everything, run by run, as one JSON object')
  .addHelpText(
    'after',
    `
Half of the faults strike before the effect; after the other half the effect has
landed and the reply is lost. No policy is told which. The sources and the layout
of the public data sets are in audit/workloads/README.md.

The comparison is left in audit/report/: as workloads.json, and as a section of
index.html.

Examples:
  npm run audit workloads -- --data data/
  npm run audit workloads -- --data data/ --p 0.3 --seed 7
  npm run audit workloads -- --data data/ --set NAME --policy belay oracle --no-asking
  npm run --silent audit workloads -- --data data/ --json > comparison.json

Exit code: 0 when everything that Belay promises of these tasks was kept; 1 when
something was missed: the last table says what, and by how much; 2 when there is
no data, it cannot be used, or the command is misused.`,
  )
  .exitOverride();

/** The narrowest and the widest table, in columns. */
const [NARROW, READABLE] = [80, 100];

async function main(given: Given): Promise<number> {
  const line = progressLine();
  const compared = await compare(
    {
      directory: given.data,
      sets: given.set ?? null,
      probabilities: given.p,
      repeat: given.repeat,
      seed: given.seed,
      policies: given.policy ?? null,
      asks: given.asking,
      adapters: given.adapters ?? null,
      report: given.report,
    },
    {
      progress: (done, all, what) =>
        line.show(`${done} of ${all} runs, ${Math.round(performance.now() / 1_000)} s  ${what}`),
      note: (text) => void process.stderr.write(`${text}\n`),
    },
  ).finally(line.done);
  const columns = Math.min(Math.max(process.stdout.columns ?? NARROW, NARROW), READABLE);
  const text = given.json
    ? `${JSON.stringify(compared.json, null, 2)}\n`
    : compared.text({ columns, colours: wantsColours() });
  await new Promise((resolve) => process.stdout.write(text, resolve));
  return compared.kept ? 0 : 1;
}

function counted(text: string): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number) || number < 1) throw new InvalidArgumentError('It is a whole number from 1.');
  return number;
}

function probabilities(text: string): readonly number[] {
  const numbers = text.split(',').map((each) => (each.trim() === '' ? Number.NaN : Number(each)));
  if (numbers.some((number) => !(number >= 0 && number <= 0.9)))
    throw new InvalidArgumentError('It is a number from 0 to 0.9, or several with commas between them.');
  return [...new Set(numbers)];
}

try {
  program.parse();
  process.exitCode = await main(program.opts<Given>());
} catch (error) {
  const [message, syscall] = [messageOf(error), fieldOf(error, 'syscall')];
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2;
  else if (error instanceof DataError || syscall !== undefined) {
    // The data, the request, or a folder that takes no report.
    process.stderr.write(`${message}\n`);
    process.exitCode = 2;
  } else throw error;
}
