#!/usr/bin/env node
/** `npm run audit`: every case under every strategy, what is refused by force, and whether that is what the cases say. */
import { Command, CommanderError, Option } from 'commander';
import { agents } from '../domains/agents.ts';
import { type Case, CaseError, freeze, readCases, STRATEGIES, type Strategy, thawed } from './case.ts';
import { type JudgedCase, judge } from './judge.ts';
import { isSound, summaryOf, textOf } from './report.ts';

interface Options {
  readonly domain?: string;
  readonly case?: string;
  readonly strategy?: Strategy;
  readonly list?: boolean;
  readonly json?: boolean;
  readonly freeze?: boolean;
  readonly by?: string;
}

const program = new Command('npm run audit --')
  .description('Runs agents that fail, under Belay and without it, and counts what happened to their worlds.')
  .option('--domain <name>', 'only the cases of one agent')
  .option('--case <name>', 'only one case')
  .addOption(new Option('--strategy <name>', 'only one way of recovering').choices(STRATEGIES))
  .option('--list', 'name the cases and what each probes, and run none')
  .option('--json', 'everything that was observed, as one JSON object')
  .option('--freeze', 'vouch for the cases as they are now (with --by)')
  .option('--by <name>', 'who vouches')
  .addHelpText(
    'after',
    `
Examples:
  npm run audit
  npm run audit -- --case receipt-after-submit
  npm run audit -- --strategy belay --json

Exit code: 0 when everything is as frozen, nothing admitted was unsafe and Belay blocked nothing needlessly; 1 when not;
2 when the command is misused, a case is none, or one is not what somebody has vouched for.`,
  )
  .exitOverride();

async function audit(options: Options): Promise<number> {
  const all = readCases();
  if (options.freeze === true) {
    if (options.by === undefined || options.by.trim() === '')
      return complain('--freeze needs --by NAME: who vouches for the cases');
    freeze(all, options.by);
    process.stdout.write(`${all.length} cases are frozen as they are, by ${options.by}\n`);
    return 0;
  }
  const chosen = all.filter(
    ({ domain, name }) => (options.domain ?? domain) === domain && (options.case ?? name) === name,
  );
  if (chosen.length === 0)
    return complain(`there is no such case. There are: ${all.map(({ name }) => name).join(', ')}`);
  if (options.list === true) {
    for (const { domain, name, probes } of chosen) process.stdout.write(`${domain}/${name}: ${probes}\n`);
    return 0;
  }
  const changed = thawed(all);
  if (changed.length > 0)
    return complain(`not as somebody has vouched for: ${changed.join(', ')}. Look at them, and run --freeze --by NAME`);
  const judged = await judgeAll(chosen, options.strategy === undefined ? STRATEGIES : [options.strategy]);
  const summary = summaryOf(judged);
  const colours = wantsColours();
  const columns = Math.min(process.stdout.columns ?? 100, 120);
  const text =
    options.json === true
      ? `${JSON.stringify({ summary, cases: judged }, null, 2)}\n`
      : textOf(judged, columns, colours);
  await new Promise((resolve) => process.stdout.write(text, resolve));
  return isSound(summary) ? 0 : 1;
}

async function judgeAll(cases: readonly Case[], strategies: readonly Strategy[]): Promise<readonly JudgedCase[]> {
  const judged: JudgedCase[] = [];
  for (const [index, each] of cases.entries()) {
    progress(`${index + 1} of ${cases.length}: ${each.name}`);
    const agent = Object.values(agents).find(({ machine }) => machine.id === each.domain);
    if (agent === undefined) throw new CaseError(`there is no agent ${each.domain}`);
    judged.push(await judge(agent, each, strategies));
  }
  progress('');
  return judged;
}

function progress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${text}`);
}

function complain(text: string): number {
  process.stderr.write(`${text}\n`);
  return 2;
}

/** NO_COLOR says no, FORCE_COLOR yes; else a terminal has colours, and a pipe or a file has none. */
function wantsColours(): boolean {
  const { NO_COLOR = '', FORCE_COLOR = '', TERM } = process.env;
  if (NO_COLOR !== '') return false;
  if (FORCE_COLOR !== '') return FORCE_COLOR !== '0';
  return process.stdout.isTTY === true && TERM !== 'dumb';
}

try {
  program.parse();
  process.exitCode = await audit(program.opts<Options>());
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2;
  else if (error instanceof CaseError) process.exitCode = complain(error.message);
  else throw error;
}
