/** The verb `notify`: its options, its help, and its call. */
import type { Command } from 'commander';
import { QUEUE } from '../../workers/client.ts';
import { listNotices, notify, SECRET_VARIABLE } from '../notify/notify.ts';
import { JOURNAL } from '../reading/place.ts';
import { finish, page, tell, terminal } from '../terminal/console.ts';
import { count } from '../terminal/wording.ts';
import { timeOf } from './time-option.ts';

interface Given {
  webhook?: string;
  secretFile?: string;
  unsigned?: boolean;
  channel?: string;
  queue: string;
  poll: number;
  once?: boolean;
  list?: boolean;
  journal: string;
  json?: boolean;
}

/** Adds `belay notify`. */
export function addNotify(program: Command): void {
  program
    .command('notify')
    .option('--webhook <url>', 'where messages are posted')
    .option('--secret-file <file>', `the secret that signs them; left out, ${SECRET_VARIABLE}`)
    .option('--unsigned', 'send them without a signature')
    .option('--channel <name>', 'the receivers, by a name: each channel is told by itself')
    .option('--queue <name>', 'the queue whose crashed runs are told of', QUEUE)
    .option('--poll <time>', 'the time between two looks', timeOf, 5_000)
    .option('--once', 'look once, send what is due, and end')
    .option('--list', 'list what was told and what waits to be told, and end')
    .option('--journal <file>', 'the SQLite file of the runs', JOURNAL)
    .option('--json', 'one JSON object a line')
    .addHelpText(
      'after',
      `
A run that waits for an approval, is parked, stuck or paused, or that no worker
takes any more is told once: to one channel by one message, however many
processes of this command run and however often they are started again. Once it
needs no one any more, that is told, too. A message that was not taken (no
answer within 10 s, or none of 200 to 299) is sent again, later each time, with
the same webhook-id: a receiver that was told twice knows it by that.

Messages are signed as Standard Webhooks says, and hold the tool, its key, its
redacted arguments, the error, and commands that answer (docs/notify.md).

Examples:
  belay notify --webhook https://ops.example/belay --secret-file hook.secret
  belay notify --webhook https://hooks.example/ops --unsigned --channel chat
  belay notify --webhook https://ops.example/belay --once --json
  belay notify --list

Exit code: 0 when it was told to stop, or everything was told; 1 with --once
where messages wait to be sent again; 2 when it cannot begin, or the command is
misused.`,
    )
    .action(async (given: Given) => {
      const { webhook, secretFile = null, channel, queue, poll, once = false, journal, json = false } = given;
      if (given.list === true) {
        if (webhook !== undefined || once) return finish('', '--list sends nothing: leave --webhook and --once out', 2);
        const shown = { channel: channel ?? null, json, medium: page(), now: Date.now() };
        return tell(await listNotices(journal, shown), terminal('rows').done);
      }
      if (webhook === undefined) return finish('', 'name the receiver with --webhook, or --list what was told', 2);
      const to = { url: webhook, secretFile, unsigned: given.unsigned ?? false, channel: channel ?? 'default' };
      const ended = await notify({ journal, ...to, queue, poll, once, json });
      if ('problem' in ended) return finish('', ended.problem, 2);
      const left = ended.left === 0 ? '' : `; ${count(ended.left, 'message')} left to be sent again`;
      const text = `${count(ended.sent, 'message')} sent${left}`;
      const out = json ? JSON.stringify({ is: 'stopped', ...ended }) : text;
      return finish(`${out}\n`, null, once && ended.left > 0 ? 1 : 0);
    });
}
