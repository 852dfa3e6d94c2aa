/** The verb `fork`: its options, its help, and its call. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import { parseTime } from '../../boundaries/page/time.ts';
import { JOURNAL } from '../reading/place.ts';
import { finish } from '../terminal/console.ts';
import { forkOf, forkText } from '../workers/fork-run.ts';

interface Given {
  at?: number;
  as: string;
  by: string;
  why?: string;
  queue?: string;
  attempts?: number;
  score?: string;
  deadline?: number;
  journal: string;
  json?: boolean;
}

/** Adds `belay fork`. */
export function addFork(program: Command): void {
  program
    .command('fork')
    .argument('<run>', 'the name of the run; belay runs lists them')
    .addOption(new Option('--at <row>', 'up to this row, as belay show numbers it; left out, the last').argParser(row))
    .requiredOption('--as <name>', 'the name of the new run, or of the attempts')
    .requiredOption('--by <name>', 'the name of the person who wants it')
    .option('--why <text>', 'the reason, for readers of the journal')
    .option('--queue <name>', 'leave it for workers; left out, as its run was')
    .addOption(new Option('--attempts <count>', 'so many forks, of which one is kept').argParser(row))
    .option('--score <cel>', 'keep the attempt with the highest, over event.output')
    .addOption(new Option('--deadline <time>', 'of the score: 30s, 10m, 2h').argParser(timed))
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

With --attempts 3 --as try, the forks are try-1 to try-3. Each waits at its end,
and before a call that nothing takes back, until belay keep keeps one of them.
With --score, the highest is kept once each attempt waits, or at the deadline.

Examples:
  belay fork trip-1 --as trip-1b --by ada
  belay fork trip-1 --at 41 --as trip-1c --by ada --why "by train instead"
  belay cancel trip-1b --undo --by ada
  belay fork trip-1 --attempts 3 --as try --by ada
  belay fork trip-1 --attempts 3 --as try --by ada --score=-event.output.price

Exit code: 0 when the fork is made; 1 when it is refused, with the reason; 2
when there is no such run, there is a run of the new name, the store cannot be
written, or the command is misused.`,
    )
    .action(async (run: string, { journal, json = false, ...given }: Given) => {
      const fork = await forkOf({ journal, run, ...given });
      if ('problem' in fork) return finish('', fork.problem, fork.code ?? 2);
      return finish(json ? `${JSON.stringify(fork)}\n` : forkText(fork), null, 'refused' in fork ? 1 : 0);
    });
}

/** A time in milliseconds. */
function timed(text: string): number {
  const milliseconds = parseTime(text);
  if (!(milliseconds > 0)) throw new InvalidArgumentError('a time such as 30s, 10m or 2h is needed');
  return milliseconds;
}

function row(text: string): number {
  const seq = Number(text);
  if (!Number.isSafeInteger(seq) || seq < 1) throw new InvalidArgumentError('the number of a row is needed, from 1 on');
  return seq;
}
