/** The verbs `events` and `steer`: their options, their help, and their calls. */
import { relative } from 'node:path';
import { type Command, Option } from 'commander';
import type { SteerFrom } from '../../model/message-entries.ts';
import { listEvents } from '../messages/events.ts';
import { outcomeText } from '../messages/messages.ts';
import { type LeftSteer, type SteerOptions, steerRun } from '../messages/steering.ts';
import { previewSteer, steerFields, steerText } from '../preview/preview-steer.ts';
import { JOURNAL } from '../reading/place.ts';
import { finish, note, page, tell, terminal } from '../terminal/console.ts';
import { printable } from '../terminal/printable.ts';

const FILE = ['--journal <file>', 'the SQLite file of the runs', JOURNAL] as const;

/** Adds `belay events`. */
export function addEvents(program: Command): void {
  program
    .command('events')
    .argument('<run>', 'the name of the run; belay runs lists them')
    .option(...FILE)
    .option('--json', 'one JSON object an event')
    .addHelpText(
      'after',
      `
The input comes first, then the events in the order in which they were taken,
then those that wait. The first column is the name that belay steer takes: the
id that the sender gave, else #N for message N or @N for the step that took it.

Examples:
  belay events report-7
  belay events report-7 --json | jq 'select(.is == "taken_back")'

Reads beside a running program, and takes nothing from it.
Exit code: 0, also where there are none; 2 when the file or the run cannot be
read, or the command is misused.`,
    )
    .action(async (run: string, { journal, json = false }: { journal: string; json?: boolean }) => {
      const { progress, done } = terminal('rows');
      await tell(await listEvents({ file: journal, run, json, medium: page(), counting: progress }), done);
    });
}

interface GivenAct {
  to?: string;
  from?: SteerFrom;
  later?: string[];
  undone?: string[];
  dry?: boolean;
  machines?: string;
  config?: string;
  base?: string;
  id?: string;
  by: string;
  why?: string;
  journal: string;
  json?: boolean;
}

/** Adds `belay steer`. */
export function addSteer(program: Command): void {
  program
    .command('steer')
    .argument('<run>', 'the name of the run; belay runs lists them')
    .argument('<act>', 'revise, retract or confirm')
    .argument('<event>', 'the name of the event; belay events lists them')
    .requiredOption('--by <name>', 'the sender: who sent an event alone may change it')
    .option('--to <json>', 'revise: the members of the event from here on, without its type')
    .addOption(new Option('--from <place>', 'revise: in its place, or as a new event').choices(['beginning', 'here']))
    .option('--later <event...>', 'your own later events that hold all the same')
    .option('--undone <key...>', 'calls that were undone by hand for it, by their keys')
    .option('--base <version>', 'the version that was seen: on another one nothing is done')
    .option('--id <text>', 'a name for the act: said again under the same name, it is one')
    .option('--why <text>', 'the reason, for readers of the journal')
    .option('--dry', 'leave nothing: print what the act would come to')
    .option('--machines <file>', 'with --dry, the module of the machine or agent (default: of package.json)')
    .option('--config <file>', "with --dry, another path of the config than the agent's own")
    .option(...FILE)
    .option('--json', 'one JSON object')
    .addHelpText(
      'after',
      `
revise and retract change the past of the run: the event is received in its old
place with its new words, or not at all. What does not rest on it stands; what
does is undone where it has acted, and done again. Where an act would be left
that cannot be undone, the word is refused with its reason, and nothing moves:
undo the act by hand, and say the word again with --undone and its key.
A later event whose sender had seen what changed waits: its sender confirms it,
revises it, or retracts it. belay events tells which wait. With --from here the
event stands, and a new one that names it is sent: nothing of the past moves.

With --dry nothing is left and nothing moves. The module of the agent is loaded,
and none of its tools is called.

Examples:
  belay steer report-7 revise brief --to '{"words":8000}' --by ada --dry
  belay steer report-7 revise brief --to '{"words":8000}' --by ada
  belay steer report-7 revise brief --to '{"words":9000}' --from here --by ada
  belay steer report-7 retract note-3 --by ada --why "sent to the wrong run"
  belay steer report-7 confirm approval-2 --by bob

Exit code: 0 when it is carried out, or left for the next process, and with --dry
when it would be; 1 when it is refused or not answered within 5 seconds; 2 when
there is no such run or event, the run has ended, the act is none, with --dry
the module or the config is not the run's, or the command is misused.`,
    )
    .action(async (run: string, act: string, event: string, given: GivenAct) => {
      const {
        to = null,
        base = null,
        id = null,
        from = null,
        later = [],
        undone = [],
        by,
        why = null,
        journal,
        json = false,
      } = given;
      const said = { journal, run, act, event, to, from, later, undone, base, id, by, why };
      if (given.dry === true) return preview(said, given);
      const left = await steerRun(said);
      if ('problem' in left) return finish('', left.problem, left.code ?? 2);
      const code = left.outcome === null || left.outcome.is === 'taken' ? 0 : 1;
      return finish(json ? `${JSON.stringify(left)}\n` : `${printable(textOf(left))}\n`, null, code);
    });
}

async function preview(said: SteerOptions, given: Pick<GivenAct, 'machines' | 'config' | 'json'>): Promise<never> {
  const { machines = null, config = null, json = false } = given;
  const onModule = (file: string) => note(`running ${relative('', file)} to read its machines`);
  const made = await previewSteer(said, { machines, config, onModule });
  if ('problem' in made) return finish('', made.problem, made.code ?? 2);
  const text = json ? `${JSON.stringify(steerFields(said.run, made))}\n` : steerText(said.run, made, page());
  return finish(text, null, made.is === 'refused' ? 1 : 0);
}

function textOf({ act, event, post, outcome }: LeftSteer): string {
  if (outcome === null) return `${act} ${event} is left for the process that takes the run next, as message ${post}`;
  return `${act} ${event}, message ${post}: ${outcome.is === 'taken' ? 'carried out' : outcomeText(outcome)}`;
}
