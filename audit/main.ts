#!/usr/bin/env node
/** `npm run audit`: every case under every strategy, what is refused by force, and whether that is what the cases say. */
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { Piscina } from 'piscina';
import { stringify } from 'yaml';
import { type Case, CaseError, FROZEN, freeze, readCases, STRATEGIES, type Strategy, thawed } from './case.ts';
import { GUARDS, type Guard } from './guards.ts';
import { ALL, type JudgedCase, type Wanted } from './judge.ts';

interface Options {
  readonly domain?: string;
  readonly case?: string;
  readonly strategy?: Strategy;
  readonly without?: Guard;
  readonly repeat: number;
  readonly list?: boolean;
  readonly observe?: boolean;
  readonly json?: boolean;
  readonly freeze?: boolean;
  readonly by?: string;
}

const program = new Command('npm run audit --')
  .description('Runs agents that fail, under five ways of recovering, and counts what happened to their worlds.')
  .option('--domain <name>', 'only the cases of one agent')
  .option('--case <name>', 'only one case')
  .addOption(new Option('--strategy <name>', 'only one way of recovering').choices(STRATEGIES))
  .addOption(new Option('--without <guard>', 'Belay without one of its guards').choices(Object.keys(GUARDS)))
  .option('--repeat <n>', 'how often each case is run, each time with another seed', counted, ALL.repeat)
  .option('--list', 'name the cases and what each probes, and run none')
  .option('--observe', 'print what was observed as a case would say it, and compare nothing')
  .option('--json', 'everything that was observed, as one JSON object')
  .option('--freeze', 'vouch for the cases as they are now (with --by)')
  .option('--by <name>', 'who vouches')
  .exitOverride();

function counted(text: string): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number) || number < 1) throw new InvalidArgumentError('It is a number from 1.');
  return number;
}

async function audit(options: Options): Promise<number> {
  if (options.freeze === true) {
    if (options.by === undefined || options.by.trim() === '')
      return complain('--freeze needs --by NAME: who vouches for the cases');
    process.stdout.write(`${freeze(options.by)} pages are frozen as they are, by ${options.by}\n`);
    return 0;
  }
  const all = readCases();
  const chosen = all.filter(
    ({ domain, name }) => (options.domain ?? domain) === domain && (options.case ?? name) === name,
  );
  if (chosen.length === 0)
    return complain(
      `there is no such case. There are: ${all.map(({ domain, name }) => `${domain}/${name}`).join(', ')}`,
    );
  if (options.list === true) {
    for (const { domain, name, probes } of chosen) process.stdout.write(`${domain}/${name}: ${probes}\n`);
    return 0;
  }
  if (options.observe === true) return observe(chosen);
  const changed = thawed();
  if (changed.length > 0)
    return complain(`not as somebody has vouched for: ${changed.join(', ')}. Look at them, and run --freeze --by NAME`);
  const strategies = options.strategy === undefined ? STRATEGIES : [options.strategy];
  const judged = await judgeAll(chosen, {
    ...ALL,
    strategies,
    repeat: options.repeat,
    without: options.without ?? null,
  });
  process.stdout.write(`${JSON.stringify(judged, null, 2)}\n`);
  return 0;
}

/** Prints the `expect` of cases as they were observed, for whoever writes one. Somebody has to look at it. */
async function observe(chosen: readonly Case[]): Promise<number> {
  const judged = await judgeAll(chosen, { ...ALL, strategies: FROZEN, repeat: 2, probes: false });
  for (const { domain, name, rows } of judged) {
    const expect = Object.fromEntries(
      rows.filter(({ seed }) => seed === 0).map(({ strategy, shown }) => [strategy, shown]),
    );
    const told = rows.map(
      ({ strategy, seed, status, safe, checks, difference }) =>
        `# ${strategy}, seed ${seed}: ${status}${safe ? '' : ', NOT SAFE'} ${JSON.stringify({ ...checks, ...difference })}\n`,
    );
    process.stdout.write(
      `--- # ${domain}/${name}\n${told.join('')}${stringify({ expect }, { lineWidth: 0, singleQuote: true })}`,
    );
  }
  return 0;
}

async function judgeAll(cases: readonly Case[], wanted: Wanted): Promise<readonly JudgedCase[]> {
  const pool = new Piscina({
    filename: fileURLToPath(new URL('./worker.js', import.meta.url)),
    maxThreads: Math.max(2, Math.min(availableParallelism(), 4)),
  });
  let done = 0;
  try {
    return await Promise.all(
      cases.map(async ({ domain, name }) => {
        const judged: JudgedCase = await pool.run({ domain, name, wanted });
        done += 1;
        progress(`${done} of ${cases.length}: ${domain}/${name}`);
        return judged;
      }),
    );
  } finally {
    progress('');
    await pool.destroy();
  }
}

function progress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${text}`);
}

function complain(text: string): number {
  process.stderr.write(`${text}\n`);
  return 2;
}

try {
  program.parse();
  process.exitCode = await audit(program.opts<Options>());
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2;
  else if (error instanceof CaseError) process.exitCode = complain(error.message);
  else throw error;
}
