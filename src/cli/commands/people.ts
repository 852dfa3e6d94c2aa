/**
 * The verbs by which people answer the questions of runs, `approvals`, `approve`, `deny` and `settle`: their options, their
 * help, and their calls.
 */
import { type Command, Option } from 'commander';
import type { SentOutcome } from '../../effects/messages/outcomes.ts';
import { answeredCode, answeredText, answerGate, type Saying } from '../approvals/answering.ts';
import { listGates } from '../approvals/approvals.ts';
import { answerMany } from '../bulk/acting.ts';
import { outcomeText } from '../messages/messages.ts';
import { settleByKey } from '../messages/settling.ts';
import { JOURNAL } from '../reading/place.ts';
import { finish, page, tell, terminal } from '../terminal/console.ts';
import { printable } from '../terminal/printable.ts';

const FILE = ['--journal <file>', 'the SQLite file of the runs', JOURNAL] as const;

const ANSWERS = `
GATE is the id that belay approvals shows, or its first 4 characters or more.
The answer is left in the file, bound to the arguments of that one call and to
the work as it stands; the run checks it, uses it once and journals who gave it.
Where a living process has the run, this waits up to 2 seconds for it.
`;
const CODES = `Exit code: 0 when the answer is left, and not refused by a living process; 1
when the gate does not wait for it: answered, void, expired, of the other kind,
or the process refuses it, and with --all when one is refused, none waits, or
the list is another one than --of names; 2 when there is no such gate, the file
cannot be read or written, or the command is misused.`;

const MANY = `
With --all it first prints the calls that it would be about and the digest of
that list, and does nothing; with --of and that digest it acts. --where chooses
them, once or more: agent=, run=, tool=, code= or key= with a text, where *
stands for any. A call that may repeat an earlier one is left out, unless
--where code=may_repeat names it.
`;

/** Options of the three verbs that answer. */
interface Given {
  all?: boolean;
  where: readonly string[];
  of?: string;
  by: string;
  why?: string;
  with?: string;
  wait: boolean;
  journal: string;
  json?: boolean;
}

interface GivenOutcome extends Given {
  as: SentOutcome['status'];
  output?: string;
  run?: string;
}

/** Tells the outcome of a call by its key. */
async function byKey(run: string, key: string, given: GivenOutcome): Promise<never> {
  const { as: status, output = null, by, why = null, journal, json = false, wait } = given;
  const told = await settleByKey({ journal, run, key, status, output, by, why, waits: wait });
  if ('problem' in told) return finish('', told.problem, told.code ?? 2);
  const { post, outcome } = told;
  const code = outcome === null || outcome.is === 'taken' || outcome.is === 'left' ? 0 : 1;
  if (json) return finish(`${JSON.stringify({ run, key, status, post, ...outcome })}\n`, null, code);
  const what = outcome === null ? 'left for the process that takes the run next' : outcomeText(outcome);
  return finish(`${printable(`${key}, message ${post}: ${what}`)}\n`, null, code);
}

/** Adds `belay approvals`. */
export function addApprovals(program: Command): void {
  program
    .command('approvals')
    .argument('[run]', 'one run; left out, all runs of the file')
    .option('--all', 'also those that were answered, with the person and the reason')
    .option(...FILE)
    .option('--json', 'one JSON object a question, with the whole arguments')
    .addHelpText(
      'after',
      `
A call that needs an approval waits for it in any process. So does a call whose
outcome only a person can tell. An answer that was left and not yet taken by the
run is shown with its question.

Examples:
  belay approvals
  belay approvals order-1 --all
  belay approvals --json | jq -r 'select(.asks == "approval") | .gate'

Reads beside a running program, and takes nothing from it.
Exit code: 0, also where no person is asked; 2 when the file or one of its runs
cannot be read, or the command is misused.`,
    )
    .action(
      async (
        run: string | undefined,
        { all = false, journal, json = false }: { all?: boolean; journal: string; json?: boolean },
      ) => {
        const { progress: counting, done } = terminal('rows');
        const now = Date.now();
        await tell(
          await listGates({ file: journal, run: run ?? null, all, json, medium: page(), counting, now }),
          done,
        );
      },
    );
}

/** Adds `belay approve`. */
export function addApprove(program: Command): void {
  addAnswer(program, 'approve', (given) => ({ verdict: 'approved', with: given.with ?? null })).option(
    '--with <json>',
    'what changes in the arguments of the call, in their form',
  );
}

/** Adds `belay deny`. */
export function addDeny(program: Command): void {
  addAnswer(program, 'deny', () => ({ verdict: 'denied' }));
}

const CHANGES = `
--with sends other arguments than the machine asks for: {"cents":300}. Only what
the config lists in gate.edits may change; the whole of it is held against the
input schema and the condition of the tool, and the ledger shows both.
`;

function addAnswer(program: Command, verb: 'approve' | 'deny', saying: (given: Given) => Saying): Command {
  return shared(program.command(verb))
    .addHelpText(
      'after',
      `${ANSWERS}${verb === 'approve' ? CHANGES : ''}${MANY}
Examples:
  belay ${verb} --all --where tool=pay --where agent=order --by ada
  belay ${verb} 3f2a91bc04de --by "Ada Lovelace"
  belay ${verb} 3f2a --by ada --why "${verb === 'approve' ? 'checked the amount' : 'too much'}"${verb === 'approve' ? `\n  belay approve 3f2a --with '{"cents":300}' --by ada` : ''}

${CODES}`,
    )
    .action((gate: string | undefined, given: Given) => {
      if (given.with !== undefined && gate === undefined) return finish('', '--with goes with one gate', 2);
      return answer(verb, gate, saying(given), given);
    });
}

/** Adds `belay settle`. */
export function addSettle(program: Command): void {
  shared(program.command('settle'))
    .addOption(
      new Option('--as <status>', 'what became of it')
        .choices(['confirmed', 'failed', 'compensated', 'stands', 'kept', 'released', 'broken'])
        .makeOptionMandatory(),
    )
    .option('--output <json>', 'what the call answered, where it is confirmed')
    .option('--run <name>', 'the run: then GATE is the key of a call, asked about or not')
    .addHelpText(
      'after',
      `${ANSWERS}${MANY}
A call that is confirmed is answered with that output, and not made again; one
that failed, and will not happen later either, is made again under its key. With
--run the first argument is the key of a call, as belay show prints it, and
--as compensated says that it was undone by hand: the run holds the word against
its journal and its counterparty, and belay messages RUN tells what came of it.
--as stands says of a call whose undo an aborted run owes that it stands. With
the name of what a run owes, as belay ledger prints it, --as kept, released and
broken say that it was kept in another way, is owed no more, or is not kept.

Examples:
  belay settle 3f2a91bc04de --as confirmed --output '"receipt 7"' --by ada
  belay settle 3f2a --as failed --by ada --why "the bank has no such payment"
  belay settle --all --where tool=pay --as failed --by ada
  belay settle belay-4Q9P... --run order-7 --as failed --by ada
  belay settle 'belay-4Q9P...#1' --run order-7 --as released --by ada

${CODES}`,
    )
    .action((gate: string | undefined, given: GivenOutcome) => {
      const { as: status, output = null, run } = given;
      if (output !== null && status !== 'confirmed')
        return finish('', '--output goes with --as confirmed: what the call answered', 2);
      if (run !== undefined && gate !== undefined) return byKey(run, gate, given);
      if (run !== undefined) return finish('', '--run goes with the key of a call', 2);
      if (status === 'stands')
        return finish('', '--as stands goes with --run RUN and the key of the call whose undo is owed', 2);
      if (status === 'compensated')
        return finish('', '--as compensated goes with --run RUN and the key of the call that was undone by hand', 2);
      if (status !== 'confirmed' && status !== 'failed')
        return finish('', `--as ${status} goes with --run RUN and the name of what is owed: KEY#1`, 2);
      return answer('settle', gate, { verdict: 'settled', status, output }, given);
    });
}

/** Adds `belay supply`. */
export function addSupply(program: Command): void {
  program
    .command('supply')
    .argument('<run>', 'the run')
    .argument('<key>', 'the key of the call, or the id of the gate that it waits at')
    .requiredOption('--output <json>', 'what the call is answered with')
    .requiredOption('--by <name>', 'the name of the person who has made the act')
    .option('--why <text>', 'the reason, for readers of the journal')
    .option('--no-wait', 'do not wait for a living process to take it')
    .option(...FILE)
    .option('--json', 'one JSON object')
    .addHelpText(
      'after',
      `
For an act that a person has made by hand, instead of the tool. The call has to
wait for its approval, to have failed so that the run is parked on it, or to have
an unknown outcome: then first make sure that it did not happen and never will.
It is answered with the output, which has to be what its tool answers, and never
leaves any more. Nothing but a person undoes it: a restore that takes it back
waits for belay settle KEY --run RUN --as compensated.

Examples:
  belay supply order-7 3f2a91bc04de --output '"cheque 9"' --by ada
  belay supply order-7 belay-4Q9P... --output '"cheque 9"' --by ada --why "the bank is closed"

Exit code: 0 when it is left, and not refused by a living process; 1 when that
refuses it; 2 when the run or the call is not known, the file cannot be read or
written, or the command is misused.`,
    )
    .action((run: string, key: string, given: GivenOutcome) => byKey(run, key, { ...given, as: 'supplied' }));
}

function shared(command: Command): Command {
  return command
    .argument('[gate]', 'the id of the gate, or its first characters')
    .option('--all', 'every call that waits for it, of all runs')
    .option('--where <field=text>', 'with --all: only those; see below', collected, [])
    .option('--of <digest>', 'with --all: the digest of the list that was printed')
    .requiredOption('--by <name>', 'the name of the person who answers')
    .option('--why <text>', 'the reason, for readers of the journal')
    .option('--no-wait', 'do not wait for a living process to take it')
    .option(...FILE)
    .option('--json', 'one JSON object');
}

function collected(text: string, before: readonly string[]): readonly string[] {
  return [...before, text];
}

async function answer(verb: string, gate: string | undefined, saying: Saying, given: Given): Promise<never> {
  const { journal: file, by, why = null, wait: waits, json = false, all = false, where, of = null } = given;
  if ((gate === undefined) !== all) return finish('', 'name one of: a gate, --all', 2);
  if (gate === undefined) {
    const acted = await answerMany(verb, saying, { file, where, of, by, why, json, medium: page(), now: Date.now() });
    return finish(acted.text, acted.problem, acted.code);
  }
  if (where.length > 0 || of !== null) return finish('', '--where and --of go with --all', 2);
  const answered = await answerGate({ file, gate, saying, by, why, waits, now: Date.now() });
  if ('problem' in answered) return finish('', answered.problem, answered.code);
  const text = json ? `${JSON.stringify(answered)}\n` : answeredText(answered, page());
  return finish(text, null, answeredCode(answered));
}
