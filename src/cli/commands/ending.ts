/** The verbs that tell a run of its end or of its mistakes, `fail` and `cancel`: their options, their help, and their calls. */
import { relative } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { SIGNALS, type Signal } from '../../model/failure.ts';
import type { LaterFailure } from '../../workers/client.ts';
import { outcomeText } from '../messages/messages.ts';
import { abortText } from '../preview/abort-text.ts';
import { previewFailure, previewFields, previewText, previewUndo } from '../preview/preview.ts';
import { JOURNAL } from '../reading/place.ts';
import type { Problem } from '../run/run.ts';
import { finish, note, page } from '../terminal/console.ts';
import { printable } from '../terminal/printable.ts';
import { cancelRun, deleteRun, failLater, type LeftMessage } from '../workers/leaving.ts';

const FILE = ['--journal <file>', 'the SQLite file of the runs', JOURNAL] as const;
const BY = ['--by <name>', 'the name of the person who says so'] as const;
const JSON_OBJECT = ['--json', 'one JSON object'] as const;
const WHY = ['--why <text>', 'the reason, for readers of the journal'] as const;

interface GivenFailure {
  skeleton: string;
  entity: string;
  ordinal?: number;
  key?: string;
  signal: Signal;
  instead?: boolean;
  by: string;
  why?: string;
  dry?: boolean;
  machines?: string;
  config?: string;
  journal: string;
  json?: boolean;
}

/** Adds `belay fail`. */
export function addFail(program: Command): void {
  verbOf(program, 'fail')
    .requiredOption('--skeleton <name>', 'the unit of work, as its config calls it')
    .requiredOption('--entity <name>', 'what the work is about')
    .option('--ordinal <number>', 'which occurrence, from 0, where there are several', wholeNumber)
    .option('--key <key>', 'the key that was found wrong; without it, the work as it stands')
    .addOption(new Option('--signal <signal>', 'the kind of failure').choices(SIGNALS).default('CONTRACT_VIOLATION'))
    .option('--instead', 'take the place of the complaints that the run is parked on')
    .option('--dry', 'leave nothing: print what the complaint would come to')
    .option('--machines <file>', 'with --dry, the module of the machine or agent (default: of package.json)')
    .option('--config <file>', "with --dry, another path of the config than the agent's own")
    .requiredOption(...BY)
    .option(...WHY)
    .option(...FILE)
    .option(...JSON_OBJECT)
    .addHelpText(
      'after',
      `
belay show lists the instances of a run. The complaint is about the work as it
stands now: where that was undone or done again before the run hears of it, it
is refused. It is answered once, and the journal says by whom it was made.

With --dry nothing is left and nothing moves. It prints what the complaint would
come to now: the decision, what is kept, what goes back, what is set aside, what
is undone in the world, what blocks and what would unblock it. The module of the
agent is loaded, and none of its tools is called.

Examples:
  belay fail order-7 --skeleton Quote --entity trip --key price --by ada
  belay fail order-7 --skeleton Quote --entity trip --by ada --dry
  belay fail order-7 --skeleton Quote --entity trip --by ada --why "old price"

Exit code: 0 when the complaint is left, or taken by the process that has the
run, and with --dry when it would be; 1 when it is refused, with the reason: the
run has ended, no such work was begun; 2 when there is no such run, the store
cannot be written, with --dry the module or the config is not the run's, or the
command is misused.`,
    )
    .action(async (run: string, given: GivenFailure) => {
      const { journal, skeleton, entity, ordinal, key, signal, instead, by, why } = given;
      const instance = { skeleton, entity, ...(ordinal !== undefined && { ordinal }) };
      if (given.dry === true) return preview(run, instance, given);
      const more = { ...(key !== undefined && { key }), ...(why !== undefined && { why }) };
      const left = await failLater({ journal, run, signal, instance, instead: instead === true, by, ...more });
      return told(left, given.json === true, 'the complaint');
    });
}

async function preview(run: string, instance: LaterFailure['instance'], given: GivenFailure): Promise<never> {
  const { journal, key, signal, instead = false, machines = null, config = null, json = false } = given;
  const made = await previewFailure({
    journal,
    run,
    fail: { signal, instance, instead, ...(key !== undefined && { key }) },
    machines,
    config,
    onModule: (file) => note(`running ${relative('', file)} to read its machines`),
  });
  if ('problem' in made) return finish('', made.problem, made.code ?? 2);
  return finish(json ? `${JSON.stringify(previewFields(run, made))}\n` : previewText(run, made, page()), null, 0);
}

/** Adds `belay cancel`. */
export function addCancel(program: Command): void {
  verbOf(program, 'cancel')
    .option('--undo', 'undo what it has done, what rests on a thing first')
    .option('--dry', 'with --undo, leave nothing: print what would be undone, and what would stand')
    .option('--machines <file>', 'with --dry, the module of the machine or agent (default: of package.json)')
    .option('--config <file>', "with --dry, another path of the config than the agent's own")
    .option(...BY)
    .option(...WHY)
    .option(...FILE)
    .option(...JSON_OBJECT)
    .addHelpText(
      'after',
      `
The process that has the run, or takes it next, makes no new call, waits for
those under way, asks their counterparties, finishes undos and commits that were
decided, and ends the run as cancelled. Where a call stays unknown, the run is
parked on it until a person says what became of it. Nothing is undone.

With --undo it undoes every call that can be undone, first what rests on others,
and ends the run as compensated. What cannot be undone stands and is named. An
undo that fails three times is owed: the run is stuck until a person says
"belay settle KEY --run RUN --as compensated" (undone by hand) or --as stands.
What does not rest on it is undone all the same.

With --dry nothing is left and nothing moves. The module of the agent is loaded,
and none of its tools is called.

Examples:
  belay cancel order-7 --by ada
  belay cancel order-7 --undo --dry
  belay cancel order-7 --undo --by ada
  belay cancel order-7 --by ada --why "the customer has left"

Exit code: 0 when that is left, or taken by the process that has the run, and
with --dry when it would be; 1 when it is refused, with the reason: the run has
ended, or a person ends it by now; 2 when there is no such run, the store cannot
be written, with --dry the module or the config is not the run's, or the command
is misused.`,
    )
    .action(async (run: string, given: GivenCancel) => {
      const { journal, by, why = null, undo = false, dry = false, json = false } = given;
      if (dry && !undo) return finish('', '--dry goes with --undo: a cancel without it undoes nothing', 2);
      if (dry) return previewedAbort(run, given);
      if (by === undefined) return finish('', 'a person says that a run is to end: --by NAME', 2);
      return told(await cancelRun({ journal, run, by, why, undo }), json, 'that it is to end');
    });
}

interface GivenCancel {
  undo?: boolean;
  dry?: boolean;
  machines?: string;
  config?: string;
  by?: string;
  why?: string;
  journal: string;
  json?: boolean;
}

async function previewedAbort(run: string, given: GivenCancel): Promise<never> {
  const { journal, machines = null, config = null, json = false } = given;
  const onModule = (file: string) => note(`running ${relative('', file)} to read its machines`);
  const made = await previewUndo({ journal, run, machines, config, onModule });
  if ('problem' in made) return finish('', made.problem, made.code ?? 2);
  return finish(json ? `${JSON.stringify({ run, dry: true, ...made })}\n` : abortText(run, made, page()), null, 0);
}

/** Adds `belay delete`. */
export function addDelete(program: Command): void {
  verbOf(program, 'delete')
    .requiredOption(...BY)
    .option(...FILE)
    .option(...JSON_OBJECT)
    .addHelpText(
      'after',
      `
Its rows, its messages and its request go. One that goes on, that a process
holds, or of which a call or a commit is not settled stays, and the reason is
told. Other runs of the store are not touched. Who deletes it is printed and
written nowhere.

Examples:
  belay delete order-7 --by ada
  belay export order-7 --trace > order-7.jsonl && belay delete order-7 --by ada

Exit code: 0 when it is gone; 1 when it stays; 2 when there is no such run, the
store cannot be read or written, or the command is misused.`,
    )
    .action(async (run: string, { journal, by, json = false }: { journal: string; by: string; json?: boolean }) => {
      const gone = await deleteRun({ journal, run });
      if ('problem' in gone) return finish('', gone.problem, 2);
      const { why } = gone;
      if (json)
        return finish(
          `${JSON.stringify({ run, deleted: why === null, by, ...(why !== null && { why }) })}\n`,
          null,
          why === null ? 0 : 1,
        );
      const text = why === null ? `${run} is deleted, by ${by}` : `${run} stays: ${why}`;
      return finish(`${printable(text)}\n`, null, why === null ? 0 : 1);
    });
}

function verbOf(program: Command, name: string): Command {
  return program.command(name).argument('<run>', 'the name of the run; belay runs lists them');
}

function told(left: LeftMessage | Problem, json: boolean, what: string): Promise<never> {
  if ('problem' in left) return finish('', left.problem, left.code ?? 2);
  const { outcome, post, held } = left;
  const code = outcome?.is === 'refused' || outcome?.is === 'held' ? 1 : 0;
  if (json) return finish(`${JSON.stringify(left)}\n`, null, code);
  const who = held ? 'the process that has the run' : 'the process that takes the run next';
  const became = outcome === undefined ? '' : `: ${outcomeText(outcome)}`;
  return finish(`${printable(`${what} is left for ${who}, as message ${post}${became}`)}\n`, null, code);
}

function wholeNumber(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It is a whole number from 0.');
}
