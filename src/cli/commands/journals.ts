/**
 * The verbs that read a journal, `runs`, `show`, `ledger`, `explain` and `export`: their options, their help, and their
 * calls.
 */
import { type Command, InvalidArgumentError, Option } from 'commander';
import { parseTime } from '../../boundaries/page/time.ts';
import { LEAST } from '../../reports/primer.ts';
import { explainRun } from '../explain/explanation.ts';
import { showLedger } from '../ledger/ledger.ts';
import { VIEWS } from '../ledger/ledger-text.ts';
import { showPrimer } from '../ledger/primer.ts';
import { JOURNAL } from '../reading/place.ts';
import { showRun } from '../run/show.ts';
import { exportTrace, exportWhole, listRuns } from '../runs/runs.ts';
import { finish, page, tell, terminal } from '../terminal/console.ts';
import { showWhy } from '../why/why.ts';

/** Options that all of these verbs take, and the end of their help. */
const FILE = ['--journal <file>', 'the SQLite file that the program gives to sqliteStore', JOURNAL] as const;
const BESIDE = 'Reads beside a running program, and takes nothing from it.';

/** Adds `belay runs`. */
export function addRuns(program: Command): void {
  program
    .command('runs')
    .option(...FILE)
    .option('--waiting', 'only runs that need a person')
    .option('--agent <name>', 'only runs of this agent')
    .addOption(new Option('--since <time>', 'only runs that have waited so long: 30m, 2h, 3d').argParser(waited))
    .option('--json', 'one JSON object a run, each with the list of its waits')
    .addHelpText(
      'after',
      `
Runs that need a person come first, the longest wait in front; the others in
the order of their beginning. SINCE is the age of the wait, or of the last row.

The status of a run:
  done                 its machine has reached its end
  cancelled            a person has ended it
  paused by NAME       a person has paused it; belay unpause RUN has it go on
  running              a living process has it
  at rest              no process has it; belay resume RUN goes on with it
  parked (VERDICT)     it waits for a person to act; belay explain RUN says why
  recovering           a recovery is under way
  recovery unfinished  its process ended in one; belay resume RUN finishes it
  stuck                an undo failed, and nothing is restored over it; belay
                       explain RUN says how to go on

Examples:
  belay runs
  belay runs --waiting --agent order --since 1h
  belay runs --waiting --json | jq -r '.run, .waits[0].act'

${BESIDE}
Exit code: 0, also where there are no runs; 2 when the file or one of its runs
cannot be read, or the command is misused.`,
    )
    .action(async ({ journal, json = false, waiting = false, agent, since }: GivenRuns) => {
      const { progress, done } = terminal('rows');
      const asked = { file: journal, json, waiting, agent: agent ?? null, since: since ?? null };
      const options = { ...asked, medium: page(), counting: progress, now: Date.now() };
      await tell(await listRuns(options), done);
    });
}

interface GivenRuns {
  journal: string;
  json?: boolean;
  waiting?: boolean;
  agent?: string;
  since?: number;
}

function waited(text: string): number {
  const milliseconds = parseTime(text);
  if (Number.isNaN(milliseconds)) throw new InvalidArgumentError('a time such as 30m, 2h or 3d is needed');
  return milliseconds;
}

/** Adds `belay show`. */
export function addShow(program: Command): void {
  program
    .command('show')
    .argument('<run>', 'the name of the run; belay runs lists them')
    .option(...FILE)
    .option('--json', 'the same as one JSON object')
    .addHelpText(
      'after',
      `
EPOCH counts the decisions that moved an instance. A number behind a checkpoint,
and under ROW, is the row of the journal, as belay explain and belay follow have
it. A status names the person who settled the call.

Examples:
  belay show order-1
  belay show order-1 --json | jq '.effects[] | select(.status == "unknown")'

${BESIDE}
Exit code: 0; 2 when the file or the run cannot be read, or the command is
misused.`,
    )
    .action(async (run: string, { journal: file, json = false }: { journal: string; json?: boolean }) => {
      const { progress: counting, done } = terminal('rows');
      await tell(await showRun({ file, run, json, medium: page(), counting }), done);
    });
}

/** Adds `belay primer`. */
export function addPrimer(program: Command): void {
  program
    .command('primer')
    .argument('<run>', 'the name of the run; belay runs lists them')
    .addOption(new Option('--tokens <number>', 'the most tokens').argParser(tokens).default(2_000))
    .option(...FILE)
    .option('--json', 'one JSON object with the text')
    .addHelpText(
      'after',
      `
The goal comes first, then what is open and owed, what was said to the run, said
instead and retracted, what it has done and because of what, what was found
wrong, and what it has looked up. A token is counted as four bytes. Of each part
that does not fit, the newest lines are kept, and the number of the others is
told. The same journal gives the same bytes in any process. What the config
redacts is not in it.

Examples:
  belay primer report-7
  belay primer report-7 --tokens 500

${BESIDE}
Exit code: 0; 2 when the file or the run cannot be read, or the command is
misused.`,
    )
    .action(async (run: string, given: { journal: string; tokens: number; json?: boolean }) => {
      const { journal: file, tokens: most, json = false } = given;
      const { progress: counting, done } = terminal('rows');
      await tell(await showPrimer({ file, run, tokens: most, json, counting }), done);
    });
}

function tokens(text: string): number {
  const count = Number(text);
  if (!Number.isSafeInteger(count) || count < LEAST)
    throw new InvalidArgumentError(`a whole number from ${LEAST} on is needed`);
  return count;
}

/** Adds `belay ledger`. */
export function addLedger(program: Command): void {
  program
    .command('ledger')
    .argument('<run>', 'the name of the run; belay runs lists them')
    .option('--decisions', 'why it acted: calls, answers of people, refusals, recoveries, commits')
    .option('--effects', 'what it did: every call that may change the world')
    .option('--obligations', 'what it owes: to people, to counterparties, to its commits')
    .option('--mandate', 'under which mandate it did what, in order')
    .option(...FILE)
    .option('--json', 'the same as one JSON object, with the whole values')
    .addHelpText(
      'after',
      `
Without one of these, the first three. What a run owes depends on the time: an
expired approval and a question that is due are marked as such.

Examples:
  belay ledger order-1
  belay ledger order-1 --obligations
  belay ledger order-1 --mandate
  belay ledger order-1 --json | jq '.effects[] | select(.status == "unknown")'

${BESIDE}
Exit code: 0, also where it owes something; 2 when the file or the run cannot
be read, or the command is misused.`,
    )
    .action(
      async (
        run: string,
        given: Partial<Record<(typeof VIEWS)[number] | 'mandate', boolean>> & { journal: string; json?: boolean },
      ) => {
        const { journal: file, json = false } = given;
        const { progress: counting, done } = terminal('rows');
        const wanted = VIEWS.filter((view) => given[view] === true);
        const isAudit = given.mandate === true;
        const views = wanted.length === 0 && !isAudit ? VIEWS : wanted;
        await tell(
          await showLedger({ file, run, views, isAudit, json, medium: page(), counting, now: Date.now() }),
          done,
        );
      },
    );
}

/** Adds `belay why`. */
export function addWhy(program: Command): void {
  program
    .command('why')
    .argument('<run>', 'the name of the run; belay runs lists them')
    .argument('<what>', 'the key of a call, the name of a tool, or a key of the context')
    .option(...FILE)
    .option('--json', 'the same as one JSON object; values are cut after 4,000 characters')
    .addHelpText(
      'after',
      `
A call is shown as the past stood when it was about to leave, each time that it
was; a value as the past is now. Of a tool, its newest 20 calls are shown.

Examples:
  belay why order-1 charge
  belay why order-1 receipt
  belay why order-1 charge --json | jq '.why[0].on[].source.is'

${BESIDE}
Exit code: 0; 2 when there is no such call and no such value, when the file or
the run cannot be read, or the command is misused.`,
    )
    .action(async (run: string, what: string, given: { journal: string; json?: boolean }) => {
      const { journal: file, json = false } = given;
      const { progress: counting, done } = terminal('rows');
      await tell(await showWhy({ file, run, what, json, medium: page(), counting }), done);
    });
}

/** Adds `belay explain`. */
export function addExplain(program: Command): void {
  program
    .command('explain')
    .argument('<run>', 'the name of the run; belay runs lists them')
    .option(...FILE)
    .option('--all', 'every decision, also of a run that stands still: else what it stands still over')
    .option('--json', 'one JSON object a decision, all of them, with every reason and its witness')
    .addHelpText(
      'after',
      `
The newest decision comes last. Where the run waits for a person, what it waits
for is told alone, and the commands that set it going again follow.

Examples:
  belay explain order-1
  belay explain order-1 --all
  belay explain order-1 --json | jq -r 'select(.parked) | .commands[].command'

${BESIDE}
Exit code: 0, also where nothing has failed; 2 when the file or the run cannot
be read, or the command is misused.`,
    )
    .action(async (run: string, given: { journal: string; all?: boolean; json?: boolean }) => {
      const { journal: file, all = false, json = false } = given;
      const { progress: counting, done } = terminal('rows');
      await tell(await explainRun({ file, run, all, json, medium: page(), counting }), done);
    });
}

/** Adds `belay export`. */
export function addExport(program: Command): void {
  program
    .command('export')
    .argument('<run>', 'the name of the run')
    .addOption(new Option('--whole', 'everything that its store has of it, to be kept').conflicts('trace'))
    .option('--trace', 'as a trace, JSON lines (docs/trace-format.md)')
    .option(...FILE)
    .addHelpText(
      'after',
      `
A whole run is a file of JSON lines (docs/archive-format.md). Every verb that
reads takes it in the place of a journal: --store order-1.jsonl. It is in the
clear, also where its journal is encrypted.

A trace knows no restore: after each, the events that are kept begin another
trace, RUN#1, RUN#2 and so on. Each decision that asked for a line stands there
as a "fail" line; what was settled, or fitted no instance, does not.

Examples:
  belay export order-1 --whole > order-1.jsonl
  belay show order-1 --store order-1.jsonl
  belay export order-1 --trace | belay decide -

Exit code: 0; 2 when the file or the run cannot be read, or the command is
misused.`,
    )
    .action(async (run: string, { journal, ...given }: { journal: string; whole?: boolean; trace?: boolean }) => {
      if (given.whole !== true && given.trace !== true)
        return finish('', 'name what is to be written: --whole, to keep it, or --trace, for belay decide', 2);
      const { progress, done } = terminal('rows');
      const write = given.whole === true ? exportWhole : exportTrace;
      return tell(await write(journal, run, progress), done);
    });
}
