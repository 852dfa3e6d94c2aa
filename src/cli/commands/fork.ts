/** The verb `fork`: its options, its help, and its call. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import { JOURNAL } from '../reading/place.ts';
import { finish } from '../terminal/console.ts';
import { forkOf, forkText } from '../workers/fork-run.ts';

interface Given {
  at?: number;
  as: string;
  by: string;
  why?: string;
  queue?: string;
  journal: string;
  json?: boolean;
}

/** Adds `belay fork`. */
export function addFork(program: Command): void {
  program
    .command('fork')
    .argument('<run>', 'the name of the run; belay runs lists them')
    .addOption(new Option('--at <row>', 'up to this row, as belay show numbers it; left out, the last').argParser(row))
    .requiredOption('--as <name>', 'the name of the new run')
    .requiredOption('--by <name>', 'the name of the person who wants it')
    .option('--why <text>', 'the reason, for readers of the journal')
    .option('--queue <name>', 'leave it for workers; left out, as its run was')
    .option('--journal <file>', 'the SQLite file of the runs', JOURNAL)
    .option('--json', 'one JSON object')
    .addHelpText(
      'after',
      `
The run itself is read and not touched: its acts stay its own, and the fork
undoes none of them. Before the fork does what the run has done since, a
person is asked, and the question names the call of the run.

A run is forked where nothing hangs: no call under way or held, no undo, commit,
restore or open question. Elsewhere the nearest row before is named.

Examples:
  belay fork trip-1 --as trip-1b --by ada
  belay fork trip-1 --at 41 --as trip-1c --by ada --why "by train instead"
  belay cancel trip-1b --undo --by ada

Exit code: 0 when the fork is made; 1 when it is refused, with the reason; 2
when there is no such run, there is a run of the new name, the store cannot be
written, or the command is misused.`,
    )
    .action(async (run: string, { journal, at, as, by, why, queue, json = false }: Given) => {
      const fork = await forkOf({ journal, run, at: at ?? null, as, by, why: why ?? null, queue: queue ?? null });
      if ('problem' in fork) return finish('', fork.problem, fork.code ?? 2);
      return finish(json ? `${JSON.stringify(fork)}\n` : forkText(fork), null, 'refused' in fork ? 1 : 0);
    });
}

function row(text: string): number {
  const seq = Number(text);
  if (!Number.isSafeInteger(seq) || seq < 1) throw new InvalidArgumentError('the number of a row is needed, from 1 on');
  return seq;
}
