/**
 * Belay beside the runtimes that users compare it with: `npm run bench peers`. The same chain of steps in each, interleaved, in one run; medians,
 * p99, CPU, bytes and growth, and each goal as met or missed. `--write` puts the tables into docs/evidence.md. Asserts nothing.
 */
import { tmpdir } from 'node:os';
import { Command, Option } from 'commander';
import { tenOrMore, whole } from './comparison/arguments.ts';
import { startDatabase } from './comparison/database.ts';
import type { Figures } from './comparison/figures.ts';
import { GOALS, judged } from './comparison/goals.ts';
import { installPeers, peersInstalled } from './comparison/lanes.ts';
import { machineText } from './comparison/machine.ts';
import { measureGroup } from './comparison/measure.ts';
import { writePage } from './comparison/page.ts';
import { GROUPS, type Group, isPeer, ROWS, type Row } from './comparison/rows.ts';
import { figureTables, goalTable, inColumns, meanings } from './comparison/tables.ts';

interface Options {
  readonly rounds: number;
  readonly steps: number;
  readonly long: number;
  readonly only: readonly string[] | null;
  readonly json: boolean;
  readonly write: boolean;
  readonly installed: boolean;
}

const options = new Command('npm run bench peers --')
  .description('measures Belay beside other runtimes, interleaved, in one run')
  .option('--rounds <n>', 'how often each row has its turn', whole, 10)
  .option('--steps <n>', 'the steps of a turn', tenOrMore, 200)
  .option('--long <n>', 'the steps of the chains that show growth', tenOrMore, 2_000)
  .addOption(
    new Option('--only <name...>', 'these rows, instead of all').choices(ROWS.map(({ id }) => id)).default(null),
  )
  .option('--json', 'the figures as one line of JSON', false)
  .option('--write', 'put the tables into docs/evidence.md', false)
  .option('--installed', 'measure where the peers are installed, and install none', false)
  .parse()
  .opts<Options>();
if (options.write && options.only !== null) throw new Error('--write needs all rows: leave --only out');

/** What is not for a program that reads the figures. */
const say = (text: string) => (options.json ? console.error(text) : console.log(text));

async function measured(rows: readonly Row[]): Promise<Map<string, Figures>> {
  const database = rows.some(({ needs }) => needs === 'PostgreSQL') ? await startDatabase() : null;
  const all = new Map<string, Figures>();
  try {
    for (const [group, title] of Object.entries(GROUPS) as [Group, string][]) {
      const own = rows.filter((row) => row.group === group);
      if (own.length === 0) continue;
      say(`${title}:`);
      for (const [id, figures] of await measureGroup(own, options, database, say)) all.set(id, figures);
    }
  } finally {
    await database?.stop();
  }
  return all;
}

const machine = machineText();

function where(): string {
  const { rounds, steps, long } = options;
  return `${machine}; ${rounds} turns of ${steps} steps each, and 3 chains of ${long.toLocaleString('en')} for growth`;
}

async function main(): Promise<void> {
  const rows = ROWS.filter(({ id }) => options.only === null || options.only.includes(id));
  if (rows.some(isPeer) && !peersInstalled()) {
    if (options.installed) {
      say('The peers are not installed, so that nothing is measured beside them: npm run bench peers installs them.');
      return;
    }
    installPeers(say);
  }
  const figures = await measured(rows);
  const goals = judged(GOALS, figures);
  if (options.json) {
    const told = goals.map(({ goal, value, peer, is }) => ({ goal: goal.text, value, most: goal.most, is, peer }));
    console.log(JSON.stringify({ where: where(), figures: Object.fromEntries(figures), goals: told }));
  } else {
    const tables = figureTables(figures).split('\n\n').map(inColumns);
    console.log(`\n${where()}, files in ${tmpdir()}\n\n${tables.join('\n\n')}\n\n${inColumns(goalTable(goals))}`);
  }
  if (options.write) {
    writePage({
      meanings: meanings(),
      figures: `${where()}.\n\n${figureTables(figures)}\n\n${goalTable(goals)}`,
    });
  }
}

await main();
