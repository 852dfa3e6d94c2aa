/**
 * The verbs about boundary configs, `init`, `check`, `review` and `types`: their options, their help, and their calls.
 */
import { relative } from 'node:path';
import { type Command, Option } from 'commander';
import { PROFILES, type Profile } from '../../boundaries/lint/profile.ts';
import { isName } from '../../boundaries/review.ts';
import { checkConfigs, configsAt, exitCode } from '../check/check.ts';
import { FORMATS, type Format, present } from '../check/findings.ts';
import { draftedText, initConfig, isModule } from '../init/init.ts';
import { compareConfigs, comparedCode, FAIL_ON } from '../review/difference.ts';
import { DIFF_FORMATS, presentCompared } from '../review/difference-formats.ts';
import { type Reviewed, reviewConfig, reviewText } from '../review/review.ts';
import { reviewMap } from '../review/review-map.ts';
import { finish, note, page, wantsColours } from '../terminal/console.ts';
import { version } from '../terminal/version.ts';
import { typedText, typesOf } from '../types/types.ts';

interface ReviewGiven {
  machines?: string;
  diff?: boolean;
  failOn?: (typeof FAIL_ON)[number];
  accept?: boolean;
  by?: string;
  json?: boolean;
  format?: (typeof DIFF_FORMATS)[number];
}

/** Adds `belay check`. */
export function addCheck(program: Command): void {
  program
    .command('check')
    .argument('[paths...]', 'configs (docs/boundary-format.md), or directories of *.yaml and *.yml', ['boundaries/'])
    .option(
      '--machines <file>',
      'a built JavaScript module that exports the machines or LangGraph graphs; its code is run',
    )
    .option('--no-exec', 'run no code: configs are not checked against a machine')
    .option('--strict', 'warnings are errors')
    .addOption(new Option('--profile <class>', 'also what agents of that class need from a replay').choices(PROFILES))
    .option('--explain', 'also what becomes of the calls of each tool: replayed, reply lost, found wrong, aborted')
    .addOption(new Option('--format <format>', 'for whom').choices(FORMATS).default('text'))
    .addOption(new Option('--json', 'the same as --format json').conflicts('format'))
    .addHelpText(
      'after',
      `
Without --machines, the module is what the nearest package.json names under
belay.machines; without one, configs are not checked against a machine, and a
note says so. An export "guards" provides the conditions in code.

--profile changes nothing of a run: it warns of what the class of agent lacks.

The command runs the code of that module, and names it on standard error first.
--no-exec runs none.

Examples:
  belay check
  belay check boundaries/schedule-form.yaml --machines dist/machines.js
  belay check boundaries/trip.yaml --machines dist/graph.js
  belay check --strict --format sarif > belay.sarif
  belay check boundaries/shop.yaml --explain --profile payments
  belay check --json | jq '.files[].findings[].code'

Exit code: 0 when nothing is wrong, 1 when there are errors, 2 when something
cannot be read or imported, a directory has no configs, or the command is
misused.`,
    )
    .action(
      async (
        paths: string[],
        options: {
          machines?: string;
          exec: boolean;
          strict?: boolean;
          profile?: Profile;
          explain?: boolean;
          format: Format;
          json?: boolean;
        },
      ) => {
        if (!options.exec && options.machines !== undefined)
          return finish('', '--machines names a module to run, and --no-exec runs none', 2);
        const checked = await checkConfigs({
          paths,
          machines: options.machines ?? null,
          strict: options.strict ?? false,
          exec: options.exec,
          profile: options.profile ?? null,
          explain: options.explain ?? false,
          onModule: (file) => note(`running ${relative('', file)} to read its machines; --no-exec checks without`),
        });
        if ('problem' in checked) return finish('', checked.problem, 2);
        const format = options.json ? 'json' : options.format;
        return finish(present(checked, format, { ...page(), version }), null, exitCode(checked));
      },
    );
}

/** Adds `belay review`. */
export function addReview(program: Command): void {
  program
    .command('review')
    .argument('<file>', 'a config (docs/boundary-format.md), or a directory of them')
    .argument('[new]', 'with --diff: the config that takes its place')
    .option('--machines <file>', 'as for check')
    .option('--diff', 'say what changed in meaning from the first config to the second')
    .addOption(
      new Option('--fail-on <changes>', 'with --diff: the changes that end with 1 (default: any)').choices(FAIL_ON),
    )
    .option('--accept', 'vouch for the content as it is: writes belay-review.lock beside the file')
    .option('--by <name>', 'who vouches')
    .addOption(new Option('--format <format>', 'with --diff: for whom').choices(DIFF_FORMATS))
    .addOption(new Option('--json', 'the same as one JSON object').conflicts('format'))
    .addHelpText(
      'after',
      `
Each change is told with its consequence for runs.
A change is looser where something is done, made again, kept or restored that
the old config refused, waited for or took for touched; stricter where it is the
reverse; other where neither can be said. With a machine, edges are told, too.

Examples:
  belay review boundaries/schedule-form.yaml --machines dist/machines.js
  belay review boundaries
  belay review boundaries/schedule-form.yaml --accept --by "Ada Lovelace"
  git show main:boundaries/order.yaml > old.yaml
  belay review --diff old.yaml boundaries/order.yaml --fail-on looser
  belay review --diff old.yaml boundaries/order.yaml --format markdown

Exit code: 0 when all of it is reviewed, 1 when some is not or cannot be, 2
when something cannot be read, written or imported, or the command is misused.
With --diff: 0 when nothing changed in meaning, 1 when something did (with
--fail-on looser, when something is looser or became recoverable), 2 when one of
the two is no config.`,
    )
    .action((file: string, now: string | undefined, options: ReviewGiven) => {
      const { accept = false, by = null, diff = false } = options;
      if (diff && accept) return finish('', '--diff compares and --accept vouches: take one of the two', 2);
      if (diff && now === undefined) return finish('', '--diff needs two configs: belay review --diff OLD NEW', 2);
      if (!diff && options.failOn !== undefined) return finish('', '--fail-on is about the changes of --diff', 2);
      if (!diff && options.format !== undefined) return finish('', '--format is about the changes of --diff', 2);
      if (!diff && now !== undefined) return finish('', 'two configs need --diff: belay review --diff OLD NEW', 2);
      if (now !== undefined) return compare(file, now, options);
      return accept && !isName(by)
        ? finish('', '--accept needs --by NAME: who vouches for it', 2)
        : review(file, options);
    });
}

/** Reviews a config, or each of a directory. As JSON a file is one object, a directory a list of them. */
async function review(path: string, { machines, accept = false, by, json }: ReviewGiven): Promise<never> {
  const files = configsAt(path);
  if ('problem' in files) return finish('', files.problem, 2);
  const all: Reviewed[] = [];
  for (const file of files) {
    const given = { file, machines: machines ?? null, by: by ?? null };
    const asked = { ...given, accept, now: new Date() };
    const reviewed = reviewMap(asked) ?? (await reviewConfig(asked));
    if ('problem' in reviewed) return finish('', reviewed.problem, 2);
    all.push(reviewed);
  }
  const isOne = files.length === 1 && files[0] === path;
  const text = json
    ? `${JSON.stringify(isOne ? all[0] : all, null, 2)}\n`
    : all.map((each) => reviewText(each, wantsColours())).join('\n');
  return finish(text, null, all.every(({ reviewed }) => reviewed) ? 0 : 1);
}

async function compare(old: string, now: string, given: ReviewGiven): Promise<never> {
  const { machines, json, failOn = 'any', format = json ? 'json' : 'text' } = given;
  const compared = await compareConfigs({ old, now, machines: machines ?? null });
  if ('problem' in compared) return finish('', compared.problem, 2);
  const text = presentCompared(compared, { format, failOn, colours: wantsColours(), version });
  return finish(text, null, comparedCode(compared, failOn));
}

/** Adds `belay init`. */
export function addInit(program: Command): void {
  program
    .command('init')
    .argument(
      '[machine]',
      'the id of the machine, the name of the graph, or the module that exports it; left out, the only one',
    )
    .option('--machines <file>', 'as for check')
    .option('--mcp <file>', 'what an MCP server answered to tools/list, as JSON: schemas are taken, hints are quoted')
    .option('--tools <module>', 'for a loop of that name: the module that exports its tools')
    .option('--out <file>', 'where it is written (default: standard output)')
    .option('--force', 'write over a file that is there')
    .option('--json', 'one JSON object: the config, its TODOs, and what belay check says of it')
    .addHelpText(
      'after',
      `
States, entries, edges and the names of the tools are the machine's; so are the
keys that it assigns by name when a tool answers. Every tool is irreversible and
every boundary is pending until a person says otherwise: a hint of a server,
such as readOnlyHint, relaxes nothing. Of each tool two things are asked: its
class, and what makes two calls one act. The rest has a default that is said.
What is written loads, and what belay check says of it stands on its line.

With --tools it is the config of a loop: the module exports functions by their
names, or tools of the AI SDK or of the OpenAI Agents SDK, as \`tools\`. None of
them is called.

Examples:
  belay init machine.ts
  belay init shop --tools dist/tools.js --out boundaries/shop.yaml
  belay init trip --machines dist/graph.js --out boundaries/trip.yaml
  belay init expenses --out boundaries/expenses.yaml
  belay init expenses --mcp tools.json --out boundaries/expenses.yaml --force

Exit code: 0 when the config is written; 2 when it is not: the machine or the
list of tools cannot be read, the file is there already, or the command is
misused.`,
    )
    .action(
      async (
        machine: string | undefined,
        options: { machines?: string; mcp?: string; tools?: string; out?: string; force?: boolean; json?: boolean },
      ) => {
        const { machines = null, mcp = null, tools = null, out = null, force = false, json = false } = options;
        if (force && out === null) return finish('', '--force writes over the file of --out, and none is named', 2);
        if (isModule(machine ?? null) && machines !== null)
          return finish('', `${machine} and --machines both name a module: name one, and the machine by its id`, 2);
        if (tools !== null && (machines !== null || mcp !== null))
          return finish('', '--tools names the module of a loop: --machines and --mcp go with a machine', 2);
        const onModule = (file: string) => note(`running ${relative('', file)} to read its machines`);
        const drafted = await initConfig({ machine: machine ?? null, machines, mcp, tools, out, force, onModule });
        if ('problem' in drafted) return finish('', drafted.problem, 2);
        return finish(json ? `${JSON.stringify(drafted, null, 2)}\n` : draftedText(drafted), null, 0);
      },
    );
}

/** Adds `belay types`. */
export function addTypes(program: Command): void {
  program
    .command('types')
    .argument('<config>', 'a config (docs/boundary-format.md)')
    .option('--out <file>', 'where it is written, a .d.ts (default: standard output)')
    .option('--json', 'one JSON object: the declarations and the names')
    .addHelpText(
      'after',
      `
Reconcilers, undos, buffers, checks and guards have to be given under the names
of the config, all of them; skeletons and keys given to fail() are those of the
config. A file is written over only if belay types made it (docs/types.md).

Examples:
  belay types boundaries/order.yaml
  belay types boundaries/order.yaml --out boundaries/order.d.ts

Exit code: 0 when they are written; 2 when they are not: the config cannot be
read or has errors, the file was not made by belay types, or the command is
misused.`,
    )
    .action((config: string, { out, json }: { out?: string; json?: boolean }) => {
      const typed = typesOf({ config, out: out ?? null });
      if ('problem' in typed) return finish('', typed.problem, 2);
      return finish(json ? `${JSON.stringify(typed, null, 2)}\n` : typedText(typed), null, 0);
    });
}
