/** The verb `retry`: its options, its help, and its call. */
import type { Command } from 'commander';
import { JOURNAL } from '../reading/reading.ts';
import { finish } from '../terminal/console.ts';
import { retriedCode, retriedText, retryRun } from '../workers/retry-run.ts';

interface Given {
  by?: string;
  why?: string;
  journal: string;
  json?: boolean;
}

/** Adds `belay retry`. */
export function addRetry(program: Command): void {
  program
    .command('retry')
    .description('have a step tried again that threw: its code was put right, or its limit is raised')
    .argument('<run>', 'the name of the run; belay runs lists them')
    .option('--by <name>', 'the name of the person who says so')
    .option('--why <text>', 'the reason, for readers of the journal')
    .option('--journal <file>', 'the SQLite file of the runs', JOURNAL)
    .option('--json', 'one JSON object')
    .addHelpText(
      'after',
      `
The step is tried again where it stood: nothing goes back, nothing is undone or
paid again, and no try is charged. The process that has the run does so at once,
else the one that takes it next. If the step throws again, the run is parked as
before. A run of which something is found wrong takes no such word: that comes
first. Deployed under another --version, the step is tried again without it.

Examples:
  belay retry order-7 --by ada
  belay retry order-7 --by ada --why "the price list is back" --json

Exit code: 0 when the word is taken, or left for the next process; 1 when it is
refused, with the reason; 2 when there is no such run, the store cannot be
written, or the command is misused.`,
    )
    .action(async (run: string, { journal, by, why, json = false }: Given) => {
      const retried = await retryRun({ journal, run, by: by ?? null, why: why ?? null });
      if ('problem' in retried) return finish('', retried.problem, 2);
      return finish(json ? `${JSON.stringify(retried)}\n` : retriedText(retried), null, retriedCode(retried));
    });
}
