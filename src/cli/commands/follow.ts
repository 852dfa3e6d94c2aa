/** The verb `follow`: its options, its help, and its call. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import { JOURNAL } from '../reading/place.ts';
import { follow } from '../run/follow.ts';
import { finish } from '../terminal/console.ts';

/** Adds `belay follow`. */
export function addFollow(program: Command): void {
  program
    .command('follow')
    .argument('<run>', 'the name of the run; belay runs lists them')
    .addOption(new Option('--after <row>', 'only rows behind this one').argParser(rowNumber).default(0))
    .option('--journal <file>', 'the SQLite file of the runs', JOURNAL)
    .option('--json', 'one JSON object a row')
    .addHelpText(
      'after',
      `
Each row comes once, in order, whichever process has the run, and none is left
out over a death. A restore names the rows of the steps that it takes back.

Examples:
  belay follow report-7
  belay follow report-7 --after 120 --json | jq -r .is

Reads beside a running program, and takes nothing from it.
Exit code: 0 when the run has ended; 2 when the file or the run cannot be read,
or the command is misused; 130 or 143 when it was told to stop.`,
    )
    .action(async (run: string, given: { journal: string; after: number; json?: boolean }) => {
      const { journal, after, json = false } = given;
      const { problem, code } = await follow({ file: journal, run, after, json });
      return finish('', problem, code);
    });
}

function rowNumber(text: string): number {
  const seq = Number(text);
  if (!Number.isSafeInteger(seq) || seq < 0) throw new InvalidArgumentError('the number of a row is needed, from 0 on');
  return seq;
}
