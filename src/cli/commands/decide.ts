/** The verb `decide`: its options, its help, and its call. */
import { type Command, Option } from 'commander';
import { JOINT_RULES, POLICIES, type Rules } from '../../model/decision.ts';
import { decideTrace, type Form } from '../decide/decide.ts';
import { terminal } from '../terminal/console.ts';

/** Adds `belay decide`. */
export function addDecide(program: Command): void {
  program
    .command('decide')
    .argument('<trace>', 'a trace, JSON lines (docs/trace-format.md); - reads standard input')
    .addOption(new Option('--policy <rule>', 'how the line is computed').choices(POLICIES).default('line'))
    .addOption(
      new Option('--joint <rule>', 'whether commitments of others may be crossed').choices(JOINT_RULES).default('none'),
    )
    .addOption(
      new Option('--exits <rule>', 'whether exits with no instance behind them may be restored')
        .choices(JOINT_RULES)
        .default('none'),
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
  dart    one hop and whole-snapshot restore, as in DART's paper: for comparison

Examples:
  belay decide trace.jsonl
  belay decide trace.jsonl --json | jq .verdict
  belay decide --policy dart - < trace.jsonl
  belay decide trace.jsonl --graph dot | dot -Tsvg > graph.svg

Exit code: 0 when the trace is well-formed, whatever the answers; 2 when it is
not, cannot be read, or the command is misused.`,
    )
    .action(async (file: string, options: Rules & { json?: boolean; graph?: 'dot' | 'json' }) => {
      const form: Form =
        options.graph === 'dot' ? 'dot' : options.graph === 'json' ? 'graph-json' : options.json ? 'json' : 'words';
      const { policy, joint, exits = 'none' } = options;
      const output = terminal();
      process.exitCode = await decideTrace(file, { policy, joint, exits }, form, output);
      output.done();
    });
}
