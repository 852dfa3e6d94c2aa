/** The verbs that open an agent, `run`, `resume` and `reconcile`: their options, their help, and their calls. */
import { type Command, Option } from 'commander';
import { SIGNALS, type Signal } from '../../model/failure.ts';
import type { Agent } from '../../xstate/agent.ts';
import { JOURNAL } from '../reading/place.ts';
import { reconciledCode, reconciledJson, reconciledText, reconcileRun } from '../resume/reconciling.ts';
import { resumeRun, SETTLED } from '../resume/resume.ts';
import { type Ending, endingJson, endingText, exitCodeOf } from '../run/ending.ts';
import { type Problem, runAgent } from '../run/run.ts';
import { finish, note, page } from '../terminal/console.ts';
import { table } from '../terminal/table.ts';
import { VERSION } from './version.ts';

/** Options that both verbs take on the command line. */
interface Given {
  journal: string;
  machines?: string;
  input?: string;
  config?: string;
  version?: string;
  reconcilers: boolean;
  failAt?: string;
  when?: 'before' | 'after';
  signal?: Signal;
  json?: boolean;
}

const CODES = `Exit code: 0 when the run is done; 1 when it is parked, stuck, waits for an
event or an approval, or broke off; 2 when it cannot be started or read, or the
command is misused; 130 or 143 when it was told to stop (SIGINT, SIGTERM): it is
closed first, and belay resume takes it up again.`;

/** Adds `belay run`. */
export function addRun(program: Command): void {
  shared(program.command('run'), "the machine's input, as JSON")
    .argument('[agent]', 'the id of its machine; left out, the agents are listed')
    .option('--run <name>', "the name of the run (default: the agent's, and the next free number)")
    .option('--claims', 'wait for other runs of the place that touch the same external keys')
    .addHelpText(
      'after',
      `
The module of the machines, which belay.machines in package.json names, exports
what can be run as "agents" (docs/sidecar.md). The run has a folder of its own
beside the journal, FILE.world/RUN, in which the agent keeps its world.

A step is a tool, or a tool and the number of its call: pay is pay#1. It fails
before it acts, or after it has acted and its reply is lost, as one of TIMEOUT,
TOOL_EXCEPTION, INVALID_OUTPUT (of tools that declare an output) and
GOVERNOR_DENIED (before only).

Examples:
  belay run
  belay run order
  belay run order --run order-7 --input '{"item":"tea"}'
  belay run order --fail-at pay --when after --signal TIMEOUT
  belay run order --fail-at askPrice#2 --signal INVALID_OUTPUT --json

${CODES}`,
    )
    .action(async (agent: string | undefined, given: Given & { run?: string; claims?: boolean }) => {
      const { run = null, claims = false } = given;
      const ended = await runAgent({ ...typed(given), agent: agent ?? null, run, claims });
      if ('problem' in ended || 'ended' in ended) return end(ended, given.json ?? false);
      const list = ended.agents.map(({ machine, about }) => ({ agent: machine.id, about }));
      const text = given.json ? list.map((each) => `${JSON.stringify(each)}\n`).join('') : agentTable(ended.agents);
      return finish(text, null, 0);
    });
}

/** Adds `belay resume`. */
export function addResume(program: Command): void {
  shared(program.command('resume'), 'as for run, where the agent needs it to open its world')
    .argument('<run>', 'the name of the run; belay runs lists them')
    .option('--settle <effect>', 'a call whose outcome is open: its tool, "row N", or its key')
    .addOption(new Option('--as <status>', 'what became of it').choices(SETTLED))
    .option('--output <json>', 'what the call answered, where it is confirmed')
    .option('--by <name>', 'with --settle: the name of the person who says so')
    .option('--why <text>', 'with --settle: the reason, for readers of the journal')
    .option('--rerun', 'start the run over, where a decision advised it')
    .addHelpText(
      'after',
      `
belay explain RUN says what a run waits for, and with which of these it goes
on. Counterparties are asked first, and the answer of a counterparty counts.
The journal keeps who settled a call, where --by says it.

Examples:
  belay resume order-1
  belay resume order-1 --settle pay --as confirmed --output '"no 7"' --by ada
  belay resume order-1 --settle 'row 12' --as failed --by ada
  belay resume order-1 --rerun

${CODES}`,
    )
    .action(
      async (
        run: string,
        given: Given & {
          settle?: string;
          as?: (typeof SETTLED)[number];
          output?: string;
          rerun?: boolean;
          by?: string;
          why?: string;
        },
      ) => {
        const { settle = null, as = null, output = null, rerun = false, by = null, why = null } = given;
        return end(await resumeRun({ ...typed(given), run, settle, as, output, rerun, by, why }), given.json ?? false);
      },
    );
}

/** Adds `belay reconcile`. */
export function addReconcile(program: Command): void {
  program
    .command('reconcile')
    .argument('<run>', 'the name of the run; belay runs lists them')
    .option('--journal <file>', 'the SQLite file of its journal', JOURNAL)
    .option('--machines <file>', 'a built JavaScript module that exports the agents; its code is run')
    .option('--input <json>', 'as for run, where the agent needs it to open its world')
    .option('--config <file>', "another boundary config than the agent's own")
    .option(...VERSION)
    .option('--json', 'one JSON object')
    .addHelpText(
      'after',
      `
Opens the agent as belay resume does and takes the run up, which finishes what
was decided, a recovery or a commit, and asks about every open call. Its machine
does not go on: belay resume RUN does that, by what is known then.

Examples:
  belay reconcile order-1
  belay reconcile order-1 --json | jq '.calls[] | {tool, status, next}'

Exit code: 0 when nothing is unknown any more; 1 when something still is; 2 when
the run cannot be read or taken up, or the command is misused.`,
    )
    .action(
      async (run: string, given: Pick<Given, 'journal' | 'machines' | 'input' | 'config' | 'version' | 'json'>) => {
        const options = typed({ ...given, reconcilers: true });
        const reconciled = await reconcileRun({ ...options, run });
        if ('problem' in reconciled) return finish('', reconciled.problem, 2);
        const text = given.json ? reconciledJson(reconciled) : reconciledText(reconciled, page());
        return finish(text, null, reconciledCode(reconciled));
      },
    );
}

function shared(command: Command, input: string): Command {
  return command
    .option('--journal <file>', 'the SQLite file of its journal', JOURNAL)
    .option('--machines <file>', 'a built JavaScript module that exports the agents; its code is run')
    .option('--input <json>', input)
    .option('--config <file>', "another boundary config than the agent's own")
    .option(...VERSION)
    .option('--no-reconcilers', 'ask no counterparty what became of a call')
    .option('--fail-at <step>', 'rehearse a failure: TOOL or TOOL#N, the Nth call of a tool')
    .addOption(
      new Option('--when <time>', 'whether it fails before it acts or after (default: after)').choices([
        'before',
        'after',
      ]),
    )
    .addOption(new Option('--signal <signal>', 'as what it fails (default: TOOL_EXCEPTION)').choices(SIGNALS))
    .option('--json', 'one JSON object, with the decisions and the rows of the world');
}

function typed({ journal, machines, input, config, version, reconcilers, failAt, when, signal }: Given) {
  return {
    journal,
    machines: machines ?? null,
    input: input ?? null,
    config: config ?? null,
    version: version ?? null,
    reconcilers,
    failAt: failAt ?? null,
    when: when ?? null,
    signal: signal ?? null,
  };
}

/** Prints how it ended, and exits: the agent's module may still be waiting for something. */
async function end(ended: Ending | Problem, json: boolean): Promise<never> {
  if ('problem' in ended) {
    const { problem, agents = [], code = 2 } = ended;
    note(problem);
    process.stderr.write(agents.length === 0 ? '' : agentTable(agents));
    return finish('', null, code);
  }
  return finish(json ? endingJson(ended) : endingText(ended, page()), null, exitCodeOf(ended.ended.stop));
}

function agentTable(agents: readonly Agent[]): string {
  const rows = agents.map(({ machine, about }) => [machine.id, about]);
  return table([{ name: 'AGENT' }, { name: 'WHAT IT DOES' }], rows, page());
}
