#!/usr/bin/env node
/** `npm run audit`: every case under every strategy, what is refused by force, and whether that is what the cases say. */
import './by-script.ts';
import { writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { stringify } from 'yaml';
import { type Case, CaseError, FROZEN, freeze, readCases, STRATEGIES, type Strategy, thawed } from './case.ts';
import type { Threads } from './conduct.ts';
import { GUARDS, type Guard } from './guards.ts';
import { ALL } from './judge.ts';
import type { Report } from './report.ts';
import { ROOT } from './root.ts';
import { progressLine, wantsColours } from './terminal.ts';

interface Options {
  readonly domain?: string;
  readonly case?: string;
  readonly strategy?: Strategy;
  readonly without?: Guard;
  readonly only?: Part;
  readonly full?: boolean;
  readonly repeat: number;
  readonly list?: boolean;
  readonly observe?: boolean;
  readonly json?: boolean;
  readonly freeze?: boolean;
  readonly record?: string;
  readonly by?: string;
  readonly report: string;
}

/** The parts of the audit that can be run alone. */
const PARTS = ['cases', 'langgraph', 'interruptions', 'atomix'] as const;
type Part = (typeof PARTS)[number];

const program = new Command('npm run audit --')
  .description('Runs agents that fail, under five ways of recovering, and counts what happened to their worlds.')
  .option('--domain <name>', 'only the cases of one agent')
  .option('--case <name>', 'only one case')
  .addOption(new Option('--strategy <name>', 'only one way of recovering').choices(STRATEGIES))
  .addOption(new Option('--without <guard>', 'Belay without one of its guards').choices(Object.keys(GUARDS)))
  .addOption(
    new Option(
      '--only <part>',
      'only the cases and what belongs to them, or only the study on LangGraph; or the study of interruptions or the tables of Atomix, which run nowhere else',
    ).choices(PARTS),
  )
  .option('--full', 'every call of a run failed in turn, too, and docs/dart.md written')
  .option('--repeat <n>', 'how often each case is run, each time with another seed', counted, ALL.repeat)
  .option('--list', 'name the cases and what each probes, and run none')
  .option('--observe', 'print what was observed as a case would say it, and compare nothing')
  .option('--json', 'everything that was observed, as one JSON object')
  .option('--freeze', 'vouch for the cases as they are now (with --by)')
  .option('--by <name>', 'who vouches')
  .option('--record <file>', 'ask the endpoint at PLANNER_ADDRESS, and keep what it answers')
  .option('--report <folder>', 'where the report is left', join(ROOT, 'audit', 'report'))
  .addHelpText(
    'after',
    `
Examples:
  npm run audit
  npm run audit -- --domain schedule-form --case receipt-after-submit
  npm run audit -- --strategy belay --json
  npm run audit -- --without live_readers
  npm run audit -- --only langgraph --repeat 1
  npm run audit -- --only interruptions --domain navigation
  npm run audit -- --only atomix
  npm run audit -- --full

The report is left in audit/report/: index.html, report.json, report.txt and junit.xml. How a case is written: audit/README.md.

Exit code: 0 when everything is as frozen, nothing admitted was unsafe and nothing was blocked needlessly; 1 when not;
2 when the command is misused, a case is none, or one is not what somebody has vouched for.`,
  )
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
  if (options.record !== undefined) return recordIn(options.record, chosen);
  const changed = thawed();
  if (changed.length > 0)
    return complain(`not as somebody has vouched for: ${changed.join(', ')}. Look at them, and run --freeze --by NAME`);
  const { full = false, repeat } = options;
  const report = await conducted(options, chosen, chosen.length === all.length);
  const [{ leaveReport }, { jsonOf }, { textOf }] = await Promise.all([
    import('./leave.ts'),
    import('./report.ts'),
    import('./text.ts'),
  ]);
  leaveReport(report, options.report);
  if (full && report.experiments.swept.length > 0) await leaveDart(report, repeat);
  const columns = Math.max(80, Math.min(process.stdout.columns ?? 120, 160));
  const text =
    options.json === true ? `${JSON.stringify(jsonOf(report), null, 2)}\n` : textOf(report, columns, wantsColours());
  await new Promise((resolve) => process.stdout.write(text, resolve));
  if (options.json !== true)
    process.stdout.write(`The page: ${relative(process.cwd(), join(options.report, 'index.html'))}\n`);
  return report.summary.wrong.length === 0 ? 0 : 1;
}

/** Writes the page on the paper, and what it is laid out from. */
async function leaveDart(report: Report, repeat: number): Promise<void> {
  const { dartPage, recordedOf, recordedText } = await import('./dart/page.ts');
  const recorded = recordedOf(report, repeat);
  writeFileSync(join(ROOT, 'audit', 'dart', 'recorded.jsonl'), recordedText(recorded));
  writeFileSync(join(ROOT, 'docs', 'dart.md'), dartPage(recorded));
}

/** Runs what is wanted. What is measured besides the cases belongs to whole domains. */
async function conducted(options: Options, chosen: readonly Case[], all: boolean): Promise<Report> {
  const { strategy, without = null, repeat, only, full = false } = options;
  const partial = strategy !== undefined || without !== null || options.case !== undefined;
  const isWanted = (part: Part) => only === undefined || only === part;
  const strategies = strategy === undefined ? STRATEGIES : [strategy];
  const line = progressLine();
  const threads = await startThreads(line);
  try {
    const [{ NONE, reportOf }, { readPaper }] = await Promise.all([import('./report.ts'), import('./paper.ts')]);
    const cases = isWanted('cases') ? chosen : [];
    const judged = await threads.judge(cases, { strategies, repeat, without, probes: without === null });
    const domains = new Set(chosen.map(({ domain }) => domain));
    const isChosen = (domain: string) => domains.has(domain);
    const study = partial || !isWanted('langgraph') ? {} : await threads.study(isChosen, repeat);
    const besides = partial || !isWanted('cases') ? {} : await threads.experiments(isChosen);
    const interrupted = partial || only !== 'interruptions' ? {} : await threads.interruptions(isChosen);
    const atomix = partial || only !== 'atomix' ? {} : await threads.atomix();
    const isFull = !partial && full && all && only === undefined;
    const swept = isFull ? await threads.sweep() : [];
    const drafted = isFull ? (await import('./candidates/candidates.ts')).candidates() : [];
    const experiments = { ...NONE, ...study, ...besides, ...interrupted, ...atomix, swept, candidates: drafted };
    return reportOf(judged, experiments, readPaper(), { whole: all && !partial && isWanted('cases'), without });
  } finally {
    line.done();
    await threads.close();
  }
}

/** Records what an endpoint answers in the runs of cases. */
async function recordIn(file: string, chosen: readonly Case[]): Promise<number> {
  const [{ record }, { endpointFrom, live }] = await Promise.all([
    import('./record.ts'),
    import('../domains/planner/live.ts'),
  ]);
  const { runs, unfinished, answers, prompt, completion, milliseconds } = await record(
    file,
    live(endpointFrom(process.env)),
    chosen,
  );
  process.stdout.write(
    `${runs} runs, ${unfinished} without an end; ${answers} answers in ${file}: ${prompt} and ${completion} tokens, ${milliseconds} ms\n`,
  );
  return 0;
}

/** Prints the `expect` of cases as they were observed, for the author of a case. A person has to check it. */
async function observe(chosen: readonly Case[]): Promise<number> {
  const line = progressLine();
  const threads = await startThreads(line);
  const wanted = { ...ALL, strategies: FROZEN, repeat: 2, probes: false };
  const judged = await threads.judge(chosen, wanted).finally(async () => {
    line.done();
    await threads.close();
  });
  for (const { domain, name, rows } of judged) {
    const expect = Object.fromEntries(
      rows.filter(({ seed }) => seed === 0).map(({ strategy, shown }) => [strategy, shown]),
    );
    const told = rows.map(({ strategy, seed, status, safe, checks, difference, shown }) => {
      const isOther = JSON.stringify(shown) !== JSON.stringify(expect[strategy]);
      const marks = `${safe ? '' : ', NOT SAFE'}${isOther ? ', NOT AS WITH SEED 0' : ''}`;
      return `# ${strategy}, seed ${seed}: ${status}${marks} ${JSON.stringify({ ...checks, ...difference })}\n`;
    });
    process.stdout.write(
      `--- # ${domain}/${name}\n${told.join('')}${stringify({ expect }, { lineWidth: 0, singleQuote: true })}`,
    );
  }
  return 0;
}

/** The threads, which tell their progress in a line. Agents and graphs are loaded by what runs them alone: a list or a word of help waits for none. */
async function startThreads(line: ReturnType<typeof progressLine>): Promise<Threads> {
  const { Threads } = await import('./conduct.ts');
  return new Threads(tellIn(line));
}

/** Tells the progress of runs in a line. */
function tellIn(line: ReturnType<typeof progressLine>) {
  return (done: number, all: number, what: string) =>
    line.show(`${done} of ${all}, ${Math.round(performance.now() / 1_000)} s  ${what}`);
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
