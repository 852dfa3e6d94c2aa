/** The verbs `migrate` and `drains`: their options, their help, and their calls. */
import { relative } from 'node:path';
import { type Command, Option } from 'commander';
import { drainsOf, drainsText } from '../migrate/drains.ts';
import { draftedMap } from '../migrate/init.ts';
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
  map?: string;
  from?: string;
  tools?: boolean;
}

const FROM = [
  '--from <module>',
  'the module of the release before: runs of a map may go on from where they stand',
] as const;

const FROM_ALONE = '--from needs the reviewed map that leads from that release: --map FILE';

const onModule = (file: string) => note(`running ${relative('', file)} to read its machines`);

/** Adds `belay migrate`, with `init`, `plan` and `apply`. */
export function addMigrate(program: Command): void {
  const migrate = program.command('migrate');
  addInit(migrate);
  addPlan(migrate);
  addApply(migrate);
}

function addInit(migrate: Command): void {
  migrate
    .command('init')
    .description('draft a map of the names that a release has given anew')
    .argument('<old>', 'the module of the release before')
    .argument('<new>', 'the module of the release that runs are to be moved to')
    .option('--agent <name>', 'the agent, where the modules have several')
    .addHelpText(
      'after',
      `
The draft goes to the standard output. A name is guessed where one is gone and
one is new beside it, and marked TODO. Complete the file, have it reviewed, and
hand it to plan and apply.

Examples:
  belay migrate init dist-1/agents.js dist-2/agents.js > migrations/order-2.yaml
  belay review migrations/order-2.yaml --accept --by "Ada Lovelace"
  belay migrate plan dist-2/agents.js --map migrations/order-2.yaml

Exit code: 0 when the draft is written; 2 when a module cannot be read, has no
config, or the command is misused.`,
    )
    .action(async (from: string, to: string, { agent }: Given) => {
      const drafted = await draftedMap({ from, to, agent: agent ?? null, onModule });
      return 'problem' in drafted ? finish('', drafted.problem, 2) : finish(drafted.text, null, 0);
    });
}

function addPlan(migrate: Command): void {
  migrate
    .command('plan')
    .description('say of each run whether it goes over to the release of a module; nothing moves')
    .argument('[module]', 'the module that exports the machines or agents (default: what package.json names)')
    .option('--run <names...>', 'only these runs')
    .option('--map <file>', 'a map of the names that are others')
    .option(...FROM)
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

With --map and --from, a run whose past goes another way may go on from where it
stands: where nothing that is done is done again, and nothing is left out.

Examples:
  belay migrate plan dist/agents.js
  belay migrate plan dist/agents.js --run order-7 --json
  belay migrate plan dist/agents.js --journal recorded.sqlite --format junit

Exit code: 0 when all runs go over, or are there already; 1 when one stays; 2
when a file, a config or the module cannot be read, or the command is misused.`,
    )
    .action(async (module: string | undefined, given: Given) => {
      const { journal, run, config, map, from, json = false, format } = given;
      if (from !== undefined && map === undefined) return finish('', FROM_ALONE, 2);
      const asked = {
        journal,
        machines: module ?? null,
        config: config ?? null,
        runs: run ?? null,
        map: map ?? null,
        from: from ?? null,
        onModule,
      };
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
    .option('--map <file>', 'a reviewed map of the names that are others')
    .option(...FROM)
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

With --map, the past is read in the names of the map, which leads from the
release of the run to that of the module (belay migrate init).

With --back, the module and the config are those of the earlier release. Names
that a map has given anew are then those of before.

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
      const misuse = misuseOf(run, given);
      if (misuse !== null) return finish('', misuse, 2);
      const moved = await moveRuns({
        ...{ journal, run: run ?? null, agent: agent ?? null, back, by: by ?? null, onModule },
        ...{ machines: machines ?? null, config: config ?? null, version: version ?? null, map: given.map ?? null },
        from: given.from ?? null,
      });
      if ('problem' in moved) return finish('', moved.problem, 2);
      const text = json ? `${JSON.stringify({ runs: moved })}\n` : movedText(moved, page());
      return finish(text, null, moved.some(isLeft) ? 1 : 0);
    });
}

/** The reason why options do not go together; null where they do. */
function misuseOf(run: string | undefined, { agent, back = false, map, from }: Given): string | null {
  if ((run === undefined) === (agent === undefined)) return 'name one of: a run, --agent NAME';
  if (back && map !== undefined) return '--back leads back by the map that the run came by';
  return from !== undefined && map === undefined ? FROM_ALONE : null;
}

function isLeft({ is }: Moved): boolean {
  return is === 'stays' || is === 'held';
}

/** Adds `belay drains`. */
export function addDrains(program: Command): void {
  program
    .command('drains')
    .option('--agent <name>', 'only the runs of this agent')
    .option('--tools', 'the versions of tools whose calls the runs have, too')
    .option('--journal <file>', 'the SQLite file of the runs', JOURNAL)
    .option('--json', 'one JSON object')
    .addHelpText(
      'after',
      `
A release is a machine with a config, by their digests, and the version that the
program has named. A release that is not listed has no run that is not over: it
is drained, and its code may go. belay_runs of belay work --health counts the same.
With --tools, each run is read: an entry NAME@VERSION of the config may go once it
is not listed under CALLS OF. A run is listed by the names of its own release.

Examples:
  belay drains
  belay drains --tools
  belay drains --agent order --json | jq '.releases[] | {version, runs}'

Exit code: 0 when the runs were read; 2 when the journal cannot be read, or the
command is misused.`,
    )
    .action(async ({ journal, agent, tools = false, json = false }: Given) => {
      const drains = await drainsOf({ journal, agent: agent ?? null, hasTools: tools });
      if ('problem' in drains) return finish('', drains.problem, 2);
      return finish(json ? `${JSON.stringify(drains)}\n` : drainsText(drains, page()), null, 0);
    });
}
