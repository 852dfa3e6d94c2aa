/** The verb `workload`: its options, its help, and its call. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import { finish, liveLine, note, page } from '../terminal/console.ts';
import { compareWorkload } from '../workload/workload.ts';

interface Given {
  data?: string;
  set?: string[];
  p: readonly number[];
  repeat: number;
  seed: number;
  policy?: string[];
  asking: boolean;
  adapters?: string;
  report?: string;
  json?: boolean;
}

/** Adds `belay workload`. */
export function addWorkload(program: Command): void {
  program
    .command('workload')
    .description("run other people's tasks under faults, with Belay and without it, and compare")
    .argument('[directory]', 'the data sets: a folder each, or one of them')
    .option('--data <directory>', 'the same')
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
    .option('--report <folder>', "leave the comparison there as JSON and as a section of the audit's page")
    .option('--json', 'everything, run by run, as one JSON object')
    .addHelpText(
      'after',
      `
Half of the faults strike before the effect; after the other half the effect has
landed and the reply is lost. No policy is told which. For the sources and the
layout of the public data sets, see audit/workloads/README.md in a clone of Belay.

Examples:
  belay workload data/
  belay workload data/ --p 0.3 --seed 7
  belay workload data/ --set NAME --policy belay oracle --no-asking
  belay workload data/ --json > comparison.json

Exit code: 0 when everything that Belay promises of these tasks was kept; 1 when
something was missed: the last table says what, and by how much; 2 when there is
no data, it cannot be used, or the command is misused.`,
    )
    .action(async (directory: string | undefined, given: Given) => {
      const from = directory ?? given.data;
      if (from === undefined) return finish('', 'which directory? belay workload DIRECTORY, or --data DIRECTORY', 2);
      let told = '';
      const line = liveLine(() => told);
      const began = performance.now();
      const compared = await compareWorkload(
        {
          directory: from,
          sets: given.set ?? null,
          probabilities: given.p,
          repeat: given.repeat,
          seed: given.seed,
          policies: given.policy ?? null,
          asks: given.asking,
          adapters: given.adapters ?? null,
          report: given.report ?? null,
        },
        {
          progress: (done, all, what) => {
            const seconds = Math.round((performance.now() - began) / 1_000);
            told = `${done} of ${all} runs, ${seconds} s  ${what}`;
          },
          note,
        },
      ).finally(() => line.done());
      if ('problem' in compared) return finish('', compared.problem, 2);
      const text = given.json ? `${JSON.stringify(compared.json, null, 2)}\n` : compared.text(page());
      return finish(text, null, compared.kept ? 0 : 1);
    });
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
