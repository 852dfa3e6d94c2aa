/** The verbs that hand runs out, `start`, `send` and `work`: their options, their help, and their calls. */
import { type Command, InvalidArgumentError } from 'commander';
import { parseTime } from '../../boundaries/page/time.ts';
import { QUEUE } from '../../workers/client.ts';
import { JOURNAL } from '../reading/place.ts';
import { finish } from '../terminal/console.ts';
import { printable } from '../terminal/printable.ts';
import { startRun } from '../workers/leaving.ts';
import { timeOf } from './time-option.ts';
import { VERSION } from './version.ts';

const FILE = ['--journal <file>', 'the SQLite file of the runs', JOURNAL] as const;

/** Adds `belay start`. */
export function addStart(program: Command): void {
  program
    .command('start')
    .argument('<run>', 'the name of the run')
    .requiredOption('--agent <name>', 'its agent, by the id of its machine or the name of its program')
    .option('--input <file>', 'its input, a file of JSON; - for standard input')
    .option('--queue <name>', 'the queue whose workers take it', QUEUE)
    .option(...FILE)
    .option('--json', 'one JSON object')
    .addHelpText(
      'after',
      `
The request is durable when the command ends. The same command again changes
nothing; with another agent, input or queue it is refused (run_exists). belay
work takes the run.

Examples:
  belay start order-7 --agent order --input order-7.json
  echo '{"item":"tea"}' | belay start order-7 --agent order --input -
  belay start order-7 --agent order --queue slow --store postgres://db/orders

Exit code: 0 when the run is left, or was before; 2 when it is refused, the
input or the store cannot be read or written, or the command is misused.`,
    )
    .action(
      async (run: string, given: { agent: string; input?: string; queue: string; journal: string; json?: boolean }) => {
        const { agent, input = null, queue, journal } = given;
        const left = await startRun({ journal, run, agent, input, queue });
        if ('problem' in left) return finish('', left.problem, 2);
        if (given.json) return finish(`${JSON.stringify(left)}\n`, null, 0);
        const said = left.started ? `is left for workers of queue ${queue}` : 'was left before, and nothing changes';
        return finish(`${printable(`${run} ${said}\n`.trimEnd())}\n${printable(left.next)}\n`, null, 0);
      },
    );
}

/** Options of `work` on the command line. */
interface Given {
  journal: string;
  module?: string;
  machines?: string;
  queue: string;
  version?: string;
  adopt?: boolean;
  concurrency: number;
  poll: number;
  drain: number;
  retain?: number;
  archive?: string;
  health?: number;
  healthAt: string;
  json?: boolean;
}

/** Adds `belay work`. */
export function addWork(program: Command): void {
  program
    .command('work')
    .option('--module <file>', 'a built JavaScript module that exports the agents; its code is run')
    .option('--machines <file>', 'the same, as for run')
    .option('--queue <name>', 'the queue', QUEUE)
    .option(...VERSION)
    .option('--adopt', 'move runs at rest of other releases to this one, where they go over')
    .option('--concurrency <runs>', 'the most runs at once', numberOf(1, 10_000), 16)
    .option('--poll <time>', 'the time between two looks for runs', timeOf, 1_000)
    .option('--drain <time>', 'the longest wait for calls under way at the end', timeOf, 30_000)
    .option('--retain <time>', 'delete runs that ended longer ago than that, as 30d', ageOf)
    .option('--archive <folder>', 'keep each there before it is deleted, whole')
    .option('--health <port>', 'serve /healthz and /metrics; 0 for any free port', numberOf(0, 65_535))
    .option('--health-at <host>', 'the address that they are served at', '127.0.0.1')
    .option(...FILE)
    .option('--json', 'one JSON object a line')
    .addHelpText(
      'after',
      `
Takes runs that belay start has left, whose delay is over, whose approval was
answered or whose worker is gone, if it carries their agent with the machine and
the config that they went on under. Others are told as unserved. A run that has
ended three processes is told as worker_crashed; belay resume sets it going.

Runs begin under the agents of the module; under its "releases", older releases,
runs only go on. With --adopt, runs at rest of other releases are moved by the
plan of belay migrate; one that stays is told with the reason.

On SIGTERM or SIGINT it takes no more runs, waits for the calls under way, and
gives the rest back. Told twice, it ends at once.

Examples:
  belay work --module dist/agents.js
  belay work --store postgres://db/orders --concurrency 32 --health 9464
  belay work --queue slow --json
  belay work --module dist/agents.js --adopt --version 2.4.1

Exit code: 0 when it was told to stop and has given everything back; 2 when it
cannot begin, or the command is misused.`,
    )
    .action(async (given: Given) => {
      const { journal, queue, concurrency, poll, drain, retain = null, archive = null, health, healthAt } = given;
      if (archive !== null && retain === null) return finish('', '--archive keeps what --retain deletes: name both', 2);
      // Loaded with the worker's own code: verbs that leave a run should not wait for it.
      const { work } = await import('../workers/work.ts');
      const ended = await work({
        ...{ journal, queue, concurrency, poll, drain, retain, archive },
        version: given.version ?? null,
        adopt: given.adopt ?? false,
        machines: given.module ?? given.machines ?? null,
        health: health === undefined ? null : { host: healthAt, port: health },
        json: given.json ?? false,
      });
      if ('problem' in ended) return finish('', ended.problem, 2);
      const text = `has taken ${ended.taken} and ended ${ended.done + ended.cancelled + ended.compensated}`;
      return finish(given.json ? `${JSON.stringify({ is: 'stopped', ...ended })}\n` : `${text}\n`, null, 0);
    });
}

function numberOf(least: number, most: number): (text: string) => number {
  return (text) => {
    const number = /^\d+$/.test(text) ? Number(text) : Number.NaN;
    if (number >= least && number <= most) return number;
    throw new InvalidArgumentError(`It is a whole number from ${least} to ${most}.`);
  };
}

function ageOf(text: string): number {
  const days = /^(\d{1,5})d$/.exec(text)?.[1];
  const time = days === undefined ? parseTime(text) : Number(days) * 86_400_000;
  if (time > 0) return time;
  throw new InvalidArgumentError('It is a time such as 12h or 30d.');
}
