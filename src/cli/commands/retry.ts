/** The verb `retry`: its options, its help, and its call. */
import type { Command } from 'commander';
import { retryMany } from '../bulk/acting.ts';
import { JOURNAL } from '../reading/place.ts';
import { finish, page } from '../terminal/console.ts';
import { retriedCode, retriedText, retryRun } from '../workers/retry-run.ts';

interface Given {
  all?: boolean;
  where: readonly string[];
  of?: string;
  by?: string;
  why?: string;
  journal: string;
  json?: boolean;
}

/** Adds `belay retry`. */
export function addRetry(program: Command): void {
  program
    .command('retry')
    .argument('[run]', 'the name of the run; belay runs lists them')
    .option('--all', 'every run that is parked on a step which threw')
    .option('--where <field=text>', 'with --all: only those; see below', collected, [])
    .option('--of <digest>', 'with --all: the digest of the list that was printed')
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

With --all it first prints the runs that would be tried again and the digest of
that list, and does nothing; with --of and that digest it acts. --where chooses
them, once or more: agent=, run= or code= with a text, where * stands for any.

Examples:
  belay retry --all --where agent=order --by ada
  belay retry order-7 --by ada
  belay retry order-7 --by ada --why "the price list is back" --json

Exit code: 0 when the word is taken, or left for the next process; 1 when it is
refused, with the reason, and with --all when one is refused, there is none, or
the list is another one than --of names; 2 when there is no such run, the store
cannot be written, or the command is misused.`,
    )
    .action(async (run: string | undefined, { journal, by, why, json = false, all = false, where, of }: Given) => {
      if ((run === undefined) !== all) return finish('', 'name one of: a run, --all', 2);
      if (run === undefined) {
        const asked = { file: journal, where, of: of ?? null, by: by ?? '', why: why ?? null, json };
        const acted = await retryMany({ ...asked, medium: page(), now: Date.now() });
        return finish(acted.text, acted.problem, acted.code);
      }
      if (where.length > 0 || of !== undefined) return finish('', '--where and --of go with --all', 2);
      const retried = await retryRun({ journal, run, by: by ?? null, why: why ?? null });
      if ('problem' in retried) return finish('', retried.problem, retried.code ?? 2);
      return finish(json ? `${JSON.stringify(retried)}\n` : retriedText(retried), null, retriedCode(retried));
    });
}

function collected(text: string, before: readonly string[]): readonly string[] {
  return [...before, text];
}
