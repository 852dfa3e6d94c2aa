/** The verbs about boundary configs, `check` and `review`: their options, their help, and their calls. */
import { relative } from 'node:path';
import { type Command, Option } from 'commander';
import { isName } from '../../boundaries/review.ts';
import { checkConfigs, exitCode } from '../check/check.ts';
import { FORMATS, type Format, present } from '../check/findings.ts';
import { reviewConfig, reviewText } from '../review/review.ts';
import { finish, note, version, wantsColours } from '../terminal/console.ts';

/** Adds `belay check`. */
export function addCheck(program: Command): void {
  program
    .command('check')
    .description('report the errors and likely mistakes of boundary configs, each with its place and its fix')
    .argument('[paths...]', 'configs (docs/boundary-format.md), or directories of *.yaml and *.yml', ['boundaries/'])
    .option('--machines <file>', 'a built JavaScript module that exports the xstate machines; its code is run')
    .option('--no-exec', 'run no code: configs are not checked against a machine')
    .option('--strict', 'warnings are errors')
    .addOption(new Option('--format <format>', 'for whom').choices(FORMATS).default('text'))
    .addOption(new Option('--json', 'the same as --format json').conflicts('format'))
    .addHelpText(
      'after',
      `
Without --machines, the module is what the nearest package.json names under belay.machines; without one, configs
are not checked against a machine, and a note says so. An export "guards" provides the conditions in code.

The command runs the code of that module, and names it on standard error first. --no-exec runs none.

Examples:
  belay check
  belay check boundaries/schedule-form.yaml --machines dist/machines.js
  belay check --strict --format sarif > belay.sarif
  belay check --json | jq '.files[].findings[].code'

Exit code: 0 when nothing is wrong, 1 when there are errors, 2 when something cannot be read or imported, a
directory has no configs, or the command is misused.`,
    )
    .action(
      async (
        paths: string[],
        options: { machines?: string; exec: boolean; strict?: boolean; format: Format; json?: boolean },
      ) => {
        if (!options.exec && options.machines !== undefined)
          return finish('', '--machines names a module to run, and --no-exec runs none', 2);
        const checked = await checkConfigs({
          paths,
          machines: options.machines ?? null,
          strict: options.strict ?? false,
          exec: options.exec,
          onModule: (file) => note(`running ${relative('', file)} to read its machines; --no-exec checks without`),
        });
        if ('problem' in checked) return finish('', checked.problem, 2);
        const format = options.json ? 'json' : options.format;
        return finish(present(checked, format, { colours: wantsColours(), version }), null, exitCode(checked));
      },
    );
}

/** Adds `belay review`. */
export function addReview(program: Command): void {
  program
    .command('review')
    .description('show what a person should see before vouching for a config, and record who has')
    .argument('<file>', 'a config (docs/boundary-format.md)')
    .option('--machines <file>', 'as for check')
    .option('--accept', 'vouch for the content as it is: writes belay-review.lock beside the file')
    .option('--by <name>', 'who vouches')
    .option('--json', 'the same as one JSON object')
    .addHelpText(
      'after',
      `
Examples:
  belay review boundaries/schedule-form.yaml --machines dist/machines.js
  belay review boundaries/schedule-form.yaml --accept --by "Ada Lovelace"

Exit code: 0 when this content is reviewed, 1 when it is not or cannot be, 2 when something cannot be read, written
or imported, or the command is misused.`,
    )
    .action(async (file: string, options: { machines?: string; accept?: boolean; by?: string; json?: boolean }) => {
      const { machines = null, accept = false, by = null } = options;
      if (accept && !isName(by)) return finish('', '--accept needs --by NAME: who vouches for it', 2);
      const reviewed = await reviewConfig({ file, machines, by, accept, now: new Date() });
      if ('problem' in reviewed) return finish('', reviewed.problem, 2);
      const text = options.json ? `${JSON.stringify(reviewed, null, 2)}\n` : reviewText(reviewed, wantsColours());
      return finish(text, null, reviewed.reviewed ? 0 : 1);
    });
}
