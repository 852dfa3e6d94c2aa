/** The verbs `send` and `messages`: their options, their help, and their calls. */
import type { Command } from 'commander';
import { listMessages, outcomeText } from '../messages/messages.ts';
import { type LeftEvent, sendEvent } from '../messages/sending.ts';
import { JOURNAL } from '../reading/place.ts';
import { finish, page, tell, terminal } from '../terminal/console.ts';
import { printable } from '../terminal/printable.ts';

const FILE = ['--journal <file>', 'the SQLite file of the runs', JOURNAL] as const;

interface GivenEvent {
  at?: string;
  by?: string;
  id?: string;
  seen?: string;
  wait?: boolean;
  journal: string;
  json?: boolean;
}

/** Adds `belay send`. */
export function addSend(program: Command): void {
  program
    .command('send')
    .argument('<run>', 'the name of the run; belay runs lists them')
    .argument('<event>', 'the type of the event, or a JSON object with a "type"')
    .option('--at <state>', 'send it in this state of the machine, and wait until then')
    .option('--by <name>', 'the person or the program that sends it')
    .option('--id <text>', 'a name for it: sent again under the same name, it is one event')
    .option('--seen <json>', 'the values that its sender was shown, by their keys: {"price":500}')
    .option('--wait', 'wait for what becomes of it: 5 seconds at most, for a turn 60')
    .option(...FILE)
    .option('--json', 'one JSON object')
    .addHelpText(
      'after',
      `
The event is sent in the state that it meets. Where the machine does not take
it there, it is refused, and the journal says so; with --at it waits for that
state. While a run is parked or paused, events are held. With --seen it is
refused where any of those values is another by then. Names that begin with
xstate. or @ are the machine's own and are refused here. belay messages RUN
tells later what became of it.

A loop, a flow or a thread of a graph takes its next input as an event "turn".
With --wait, its turn is waited for, and what that says is printed.

Examples:
  belay send order-7 PAID
  belay send order-7 '{"type":"PAID","amount":5}' --at waiting --by till-2
  belay send chat-1 '{"type":"turn","input":"buy it"}' --id message-2 --wait
  belay send order-7 APPROVE --id req-17 --seen '{"price":500}' --wait

Exit code: 0 when the event is left, with --wait when it is taken, or its turn
is over; 1 with --wait when it is held, refused or not read yet, or its turn is
not over, and the text says which; 2 when there
is no such run, the event is none, another event has the id, the store cannot be
written, or the command is misused.`,
    )
    .action(async (run: string, event: string, given: GivenEvent) => {
      const { at = null, by = null, id = null, seen = null, wait = false, journal, json = false } = given;
      const left = await sendEvent({ journal, run, event, at, by, id, seen, waits: wait });
      if ('problem' in left) return finish('', left.problem, 2);
      const { is, turn } = left.outcome ?? { is: 'taken' };
      const code = is === 'taken' && turn?.isOver !== false ? 0 : 1;
      return finish(json ? `${JSON.stringify(left)}\n` : `${printable(textOf(left))}\n`, null, code);
    });
}

function textOf({ event, post, held, outcome }: LeftEvent): string {
  const turn = outcome?.turn;
  if (turn !== undefined && outcome?.is === 'taken')
    return `${event}, message ${post}: turn ${turn.nth} ${turn.isOver ? `says ${JSON.stringify(turn.said ?? null)}` : 'is open still'}`;
  if (outcome !== undefined) return `${event}, message ${post}: ${outcomeText(outcome)}`;
  const who = held ? 'the process that has the run' : 'the worker that takes the run next';
  return `${event} is left for ${who}, as message ${post}`;
}

/** Adds `belay messages`. */
export function addMessages(program: Command): void {
  program
    .command('messages')
    .argument('<run>', 'the name of the run; belay runs lists them')
    .option(...FILE)
    .option('--json', 'one JSON object a message')
    .addHelpText(
      'after',
      `
Events, complaints, answers, and the words that a run is to end, to stand still
or to go on; and the events that its own program sent under a name.

Examples:
  belay messages order-7
  belay messages order-7 --json | jq 'select(.is == "held")'

Reads beside a running program, and takes nothing from it.
Exit code: 0, also where there are none; 2 when the file or the run cannot be
read, or the command is misused.`,
    )
    .action(async (run: string, { journal, json = false }: { journal: string; json?: boolean }) => {
      const { progress, done } = terminal('rows');
      await tell(await listMessages({ file: journal, run, json, medium: page(), counting: progress }), done);
    });
}
