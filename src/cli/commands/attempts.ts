/** The verb `attempts`: its options, its help, and its call. */
import type { Command } from 'commander';
import { JOURNAL } from '../reading/place.ts';
import { finish, page } from '../terminal/console.ts';
import { attemptsOf, attemptsTable } from '../workers/attempts-of.ts';

/** Adds `belay attempts`. */
export function addAttempts(program: Command): void {
  program
    .command('attempts')
    .argument('<run>', 'any attempt of the group; belay runs lists them')
    .option('--journal <file>', 'the SQLite file of the runs', JOURNAL)
    .option('--json', 'one JSON object')
    .addHelpText(
      'after',
      `
Lists the attempts that belay fork --attempts has made, each with its score,
what it waits for, and what it has cost behind the common past: the calls that
stand or are under way, and what they took of the budgets.

Examples:
  belay attempts try-1
  belay attempts try-1 --json | jq -r '.attempts[] | [.run, .is] | @tsv'

Reads beside a running program, and takes nothing from it.
Exit code: 0; 1 where the run is no attempt; 2 when there is no such run, the
store cannot be read, or the command is misused.`,
    )
    .action(async (run: string, { journal, json = false }: { journal: string; json?: boolean }) => {
      const listed = await attemptsOf(journal, run);
      if ('problem' in listed) return finish('', listed.problem, listed.code ?? 2);
      const text = json ? `${JSON.stringify(listed)}\n` : attemptsTable(listed, page());
      return finish(text, null, 'refused' in listed ? 1 : 0);
    });
}
