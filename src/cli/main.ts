#!/usr/bin/env node
/** The command `belay`: names its verbs and their options, and turns what they answer into an exit code. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Command, CommanderError, Option } from 'commander';
import { JOINT_RULES, POLICIES, type Rules } from '../model/decision.ts';
import { decideTrace, type Form, type Output } from './decide.ts';
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
