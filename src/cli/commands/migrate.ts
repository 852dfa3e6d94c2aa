/** The verbs `migrate` and `drains`: their options, their help, and their calls. */
import { relative } from 'node:path';
import { type Command, Option } from 'commander';
import { drainsOf, drainsText } from '../migrate/drains.ts';
import { type Moved, movedText, moveRuns } from '../migrate/move.ts';
import { FORMATS, type Format, planRuns, planText } from '../migrate/plan.ts';
import { JOURNAL } from '../reading/place.ts';
import { finish, note, page } from '../terminal/console.ts';
import { VERSION } from './version.ts';

interface Given {
  journal: string;
  machines?: string;
  config?: string;
  run?: string[];
  agent?: string;
  json?: boolean;
  format?: Format;
  by?: string;
  back?: boolean;
  version?: string;
}

const onModule = (file: string) => note(`running ${relative('', file)} to read its machines`);

/** Adds `belay migrate`, with `plan` and `apply`. */
export function addMigrate(program: Command): void {
  const migrate = program.command('migrate');
  addPlan(migrate);
  addApply(migrate);
}

function addPlan(migrate: Command): void {
  migrate
    .command('plan')
    .description('say of each run whether it goes over to the release of a module; nothing moves')
    .argument('[module]', 'the module that exports the machines or agents (default: what package.json names)')
    .option('--run <names...>', 'only these runs')
    .option('--config <file>', "another config than the agent's own")
    .option('--journal <file>', 'the SQLite file of the runs', JOURNAL)
    .addOption(new Option('--format <format>', 'for a build server').choices(FORMATS))
    .option('--json', 'one JSON object')
    .addHelpText(
      'after',
      `
Each run that is not over is gone through on paper by the machine of the module:
nothing is called, and nothing is written. A run goes where every step comes to
the same, its calls ask the same, and the same delays are armed where it stands.
Otherwise it stays, and the step that goes another way is named.

Examples:
  belay migrate plan dist/agents.js
  belay migrate plan dist/agents.js --run order-7 --json
  belay migrate plan dist/agents.js --journal recorded.sqlite --format junit

Exit code: 0 when all runs go over, or are there already; 1 when one stays; 2
when a file, a config or the module cannot be read, or the command is misused.`,
    )
    .action(async (module: string | undefined, { journal, run, config, json = false, format }: Given) => {
      const asked = { journal, machines: module ?? null, config: config ?? null, runs: run ?? null, onModule };
      const planned = await planRuns(asked);
      if ('problem' in planned) return finish('', planned.problem, 2);
      const as = json ? 'json' : (format ?? 'text');
      return finish(planText(planned, as, journal, page()), null, planned.stays > 0 ? 1 : 0);
    });
}

function addApply(migrate: Command): void {
  migrate
    .command('apply')
    .description('move runs to the release of a module, where that takes their past the same way')
    .argument('[run]', 'the name of the run; belay runs lists them')
    .option('--agent <name>', 'every run of this agent that is not over')
    .option('--back', 'back to the release that the run was moved from last')
    .option('--by <name>', 'the name of the person who says so')
    .option('--machines <file>', 'the module that exports the machines or agents')
    .option('--config <file>', "another config than the agent's own")
    .option('--journal <file>', 'the SQLite file of the runs', JOURNAL)
    .option(...VERSION)
    .option('--json', 'one JSON object')
    .addHelpText(
      'after',
      `
Each run is planned again and moved by one entry of its journal; it goes on once
a process of the new release takes it. A run that a process has is refused: let
that process give it back first. A run that stays is named with the reason, and
goes on with the release that it is under. A crash leaves a run under the one
release or under the other.

With --back, the module and the config are those of the earlier release.

Examples:
  belay migrate apply order-7 --machines dist/agents.js --by ada
  belay migrate apply --agent order --by ada --version 2.4.1
  belay migrate apply order-7 --back --machines dist-1/agents.js --by ada

Exit code: 0 when all runs are moved, or were there already; 1 when one stays or
is held; 2 when there is no such run, a file cannot be read or written, or the
command is misused.`,
    )
    .action(async (run: string | undefined, given: Given) => {
      const { journal, agent, back = false, by, machines, config, version, json = false } = given;
      if ((run === undefined) === (agent === undefined)) return finish('', 'name one of: a run, --agent NAME', 2);
      const moved = await moveRuns({
        ...{ journal, run: run ?? null, agent: agent ?? null, back, by: by ?? null, onModule },
        ...{ machines: machines ?? null, config: config ?? null, version: version ?? null },
      });
      if ('problem' in moved) return finish('', moved.problem, 2);
      const text = json ? `${JSON.stringify({ runs: moved })}\n` : movedText(moved, page());
      return finish(text, null, moved.some(isLeft) ? 1 : 0);
    });
}

function isLeft({ is }: Moved): boolean {
  return is === 'stays' || is === 'held';
}

/** Adds `belay drains`. */
export function addDrains(program: Command): void {
  program
    .command('drains')
    .option('--agent <name>', 'only the runs of this agent')
    .option('--journal <file>', 'the SQLite file of the runs', JOURNAL)
    .option('--json', 'one JSON object')
    .addHelpText(
      'after',
      `
A release is a machine with a config, by their digests, and the version that the
program has named. A release that is not listed has no run that is not over: it
is drained, and its code may go. belay_runs of belay work --health counts the same.

Examples:
  belay drains
  belay drains --agent order --json | jq '.releases[] | {version, runs}'

Exit code: 0 when the runs were read; 2 when the journal cannot be read, or the
command is misused.`,
    )
    .action(async ({ journal, agent, json = false }: Given) => {
      const drains = await drainsOf(journal, agent ?? null);
      if ('problem' in drains) return finish('', drains.problem, 2);
      return finish(json ? `${JSON.stringify({ releases: drains })}\n` : drainsText(drains, page()), null, 0);
    });
}
