#!/usr/bin/env node
/** The command `belay`: names its verbs and their options, and turns what they answer into an exit code. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Command, CommanderError, Option } from 'commander';
import { isName } from '../boundaries/review.ts';
import { JOINT_RULES, POLICIES, type Rules } from '../model/decision.ts';
import { checkConfigs, exitCode } from './check.ts';
import { decideTrace, type Form, type Output } from './decide.ts';
import { FORMATS, type Format, present } from './findings.ts';
import { reviewConfig, reviewText } from './review.ts';
import { exportTrace, JOURNAL, listRuns, type Told } from './runs.ts';
import { printable } from './terminal.ts';

/** Widest line of prose that still reads well, in columns. */
const READABLE = 100;
const PROGRESS_EVERY = 200_000;

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));

const program = new Command('belay')
  .description('From which point may failed work be redone, so that everything already promised stays true?')
  .version(version)
  .configureOutput({
    outputError: (text, write) => write(text.trimEnd().split('\n').map(printable).join('\n').concat('\n')),
  })
  .exitOverride()
  .showHelpAfterError('(belay --help lists the verbs, belay VERB --help the options of one)');

program
  .command('decide')
  .description('answer every failure in a trace: what to restore, or why not and what would unblock it')
  .argument('<trace>', 'a trace, JSON lines (docs/trace-format.md); - reads standard input')
  .addOption(new Option('--policy <rule>', 'how the line is computed').choices(POLICIES).default('line'))
  .addOption(
    new Option('--joint <rule>', 'whether commitments of others may be crossed').choices(JOINT_RULES).default('none'),
  )
  .option('--json', 'one JSON object a failure, in order')
  .addOption(
    new Option('--graph <format>', 'draw who depends on whom in each history instead of answering')
      .choices(['dot', 'json'])
      .conflicts('json'),
  )
  .addHelpText(
    'after',
    `
Policies:
  line    the greatest consistent recovery line, from the order of events
  static  the same without the order: sound, and blocks more
  dart    one hop and whole-snapshot restore, as in the DART paper: for comparison

Examples:
  belay decide trace.jsonl
  belay decide trace.jsonl --json | jq .verdict
  belay decide --policy dart - < trace.jsonl
  belay decide trace.jsonl --graph dot | dot -Tsvg > graph.svg

Exit code: 0 when the trace is well-formed, whatever the answers; 2 when it is not, cannot be read, or
the command is misused.`,
  )
  .action(async (file: string, options: Rules & { json?: boolean; graph?: 'dot' | 'json' }) => {
    const form: Form =
      options.graph === 'dot' ? 'dot' : options.graph === 'json' ? 'graph-json' : options.json ? 'json' : 'words';
    const output = terminal();
    process.exitCode = await decideTrace(file, { policy: options.policy, joint: options.joint }, form, output);
    output.done();
  });

program
  .command('check')
  .description('say everything that is wrong with boundary configs, or odd about them, each with its place and mend')
  .argument('[paths...]', 'configs (docs/boundary-format.md), or directories of *.yaml and *.yml', ['boundaries/'])
  .option('--machines <file>', 'a built JavaScript module that exports the xstate machines; its code is run')
  .option('--strict', 'warnings are errors')
  .addOption(new Option('--format <format>', 'for whom').choices(FORMATS).default('text'))
  .addOption(new Option('--json', 'the same as --format json').conflicts('format'))
  .addHelpText(
    'after',
    `
Without --machines, the module is what the nearest package.json names under belay.machines; without one, configs
are not held against a machine, and a note says so. An export "guards" provides the conditions in code.

Examples:
  belay check
  belay check boundaries/schedule-form.yaml --machines dist/machines.js
  belay check --strict --format sarif > belay.sarif
  belay check --json | jq '.files[].findings[].code'

Exit code: 0 when nothing is wrong, 1 when there are errors, 2 when something cannot be read or imported, a
directory has no configs, or the command is misused.`,
  )
  .action(async (paths: string[], options: { machines?: string; strict?: boolean; format: Format; json?: boolean }) => {
    const checked = await checkConfigs({ paths, machines: options.machines ?? null, strict: options.strict ?? false });
    if ('problem' in checked) return finish('', checked.problem, 2);
    const format = options.json ? 'json' : options.format;
    return finish(present(checked, format, { colours: wantsColours(), version }), null, exitCode(checked));
  });

program
  .command('review')
  .description('show what a person should see before vouching for a config, and write down who has')
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

program
  .command('runs')
  .description('list the runs of a journal file')
  .option('--journal <file>', 'the SQLite file that the program gives to sqliteStore', JOURNAL)
  .option('--json', 'one JSON object a run, in the order of their beginning')
  .addHelpText(
    'after',
    `
Examples:
  belay runs
  belay runs --journal orders.sqlite --json | jq -r .run

Reads beside a running program, and takes nothing from it.
Exit code: 0, also where there are no runs; 2 when the file cannot be read or the command is misused.`,
  )
  .action(async ({ journal, json = false }: { journal: string; json?: boolean }) =>
    tell(await listRuns(journal, json)),
  );

program
  .command('export')
  .description('write what a run did as a trace, for belay decide')
  .argument('<run>', 'the name of the run')
  .requiredOption('--trace', 'as a trace, JSON lines (docs/trace-format.md)')
  .option('--journal <file>', 'the SQLite file that the program gives to sqliteStore', JOURNAL)
  .addHelpText(
    'after',
    `
A trace knows no restore: after each, the events that are kept begin another trace, RUN#1, RUN#2 and so on. Each
decision that asked for a line stands there as a "fail" line; what was settled, or fitted no instance, does not.

Examples:
  belay export order-1 --trace > order-1.jsonl
  belay export order-1 --trace | belay decide -

Exit code: 0; 2 when the file or the run cannot be read, or the command is misused.`,
  )
  .action(async (run: string, { journal }: { journal: string }) => tell(await exportTrace(journal, run)));

async function tell({ pieces, problem }: Told): Promise<void> {
  const output = terminal();
  for (const piece of pieces) await output.answers(piece);
  if (problem === null) return;
  output.notes(problem);
  process.exitCode = 2;
}

/** Says everything and ends, whatever a module that was imported may still be waiting for. */
async function finish(text: string, complaint: string | null, code: 0 | 1 | 2): Promise<never> {
  if (complaint !== null) process.stderr.write(`${printable(complaint)}\n`);
  await new Promise((resolve) => process.stdout.write(text, resolve));
  process.exit(code);
}

function terminal(): Output & { done(): void } {
  const { stdout, stderr } = process;
  let announced = 0;
  let shown = false;
  const clear = () => {
    if (shown) stderr.write('\r\u001b[K');
    shown = false;
  };
  return {
    medium: { columns: Math.min(stdout.columns ?? READABLE, READABLE), colours: wantsColours() },
    done: clear,
    notes: (line) => {
      clear();
      stderr.write(`${printable(line)}\n`);
    },
    progress: (lines) => {
      if (!stderr.isTTY || lines < announced + PROGRESS_EVERY) return;
      announced = lines;
      shown = true;
      stderr.write(`\r${lines.toLocaleString('en')} lines read`);
    },
    answers: async (text) => {
      clear();
      if (!stdout.write(text)) await once(stdout, 'drain');
    },
  };
}

/** NO_COLOR says no, FORCE_COLOR yes; else a terminal that can has colours, and a pipe or a file has none. */
function wantsColours(): boolean {
  const { NO_COLOR = '', FORCE_COLOR = '', TERM } = process.env;
  if (NO_COLOR !== '') return false;
  if (FORCE_COLOR !== '') return FORCE_COLOR !== '0';
  return process.stdout.isTTY === true && TERM !== 'dumb';
}

// A reader that has seen enough, such as `head`, closes the pipe: that is no failure of ours. A full disk is one to report.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  process.stderr.write(`belay: cannot_write ${printable(error.message)}\n`);
  process.exit(2);
});

try {
  await program.parseAsync();
} catch (error) {
  if (!(error instanceof CommanderError)) throw error;
  process.exitCode = error.exitCode === 0 ? 0 : 2;
}
