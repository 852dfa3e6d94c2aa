/** The verb `keep`: its options, its help, and its call. */
import type { Command } from 'commander';
import { JOURNAL } from '../reading/place.ts';
import { finish } from '../terminal/console.ts';
import { keepOf, keptText } from '../workers/fork-run.ts';

interface Given {
  by: string;
  why?: string;
  journal: string;
  json?: boolean;
}

/** Adds `belay keep`. */
export function addKeep(program: Command): void {
  program
    .command('keep')
    .argument('<run>', 'the attempt that is kept; belay runs lists them')
    .requiredOption('--by <name>', 'the name of the person who chooses')
    .option('--why <text>', 'the reason, for readers of the journal')
    .option('--journal <file>', 'the SQLite file of the runs', JOURNAL)
    .option('--json', 'one JSON object')
    .addHelpText(
      'after',
      `
The attempts of belay fork --attempts wait for this. The one that is kept goes
on: it makes the calls that nothing takes back, and ends. The others are
aborted, and what they did is undone. The first word holds: a second one is
refused, and names the attempt that was kept. Said again of that attempt, it
finishes what a process that died has left.

Examples:
  belay keep try-2 --by ada
  belay keep try-2 --by ada --why "the shortest way"

Exit code: 0 when the attempt is kept; 1 when it is refused, with the reason; 2
when there is no such run, the store cannot be written, or the command is
misused.`,
    )
    .action(async (run: string, { json = false, ...given }: Given) => {
      const kept = await keepOf({ run, ...given });
      if ('problem' in kept) return finish('', kept.problem, kept.code ?? 2);
      return finish(json ? `${JSON.stringify(kept)}\n` : keptText(kept), null, 'refused' in kept ? 1 : 0);
    });
}
