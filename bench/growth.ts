/**
 * What grows with a run: `npm run bench growth`, or one workload with `-- --workload NAME --size N`. Every figure names its workload and its
 * size, and is printed as met or missed. `--write` puts the table into docs/evidence.md. Asserts nothing: a busy machine is no defect.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command, InvalidArgumentError, Option } from 'commander';
import { linesOf, type Measured, tableOf } from './growth-figures.ts';
import { WORKLOADS } from './growth-workloads.ts';

const RUNS = 'runs';
/** The sizes of each workload, unless one is named. */
const SIZES: Readonly<Record<string, readonly number[]>> = {
  steps: [1_000, 10_000, 100_000, 1_000_000],
  instances: [1_000, 10_000, 100_000],
  calls: [1_000, 10_000, 100_000],
  timers: [1_000, 10_000, 100_000],
  turns: [400, 4_000],
  rounds: [400, 1_600, 12_800],
  [RUNS]: [1_000, 10_000],
};
const PAGE = join(import.meta.dirname, '../docs/evidence.md');
const MARKS = ['<!-- growth: written by npm run bench growth -- --write -->', '<!-- end of growth -->'] as const;

const { workload, size, folder, write } = new Command('npm run bench growth --')
  .description('measures what grows with a run')
  .addOption(
    new Option('--workload <name>', 'which, instead of all').choices([...Object.keys(WORKLOADS), RUNS]).default(null),
  )
  .addOption(
    new Option('--size <n>', 'how many units, instead of the usual numbers').default(null).argParser((text) => {
      if (!/^[1-9]\d{0,6}$/.test(text) || Number(text) < 20)
        throw new InvalidArgumentError('a whole number from 20 to 9999999 is needed.');
      return Number(text);
    }),
  )
  .option('--folder <path>', 'where the journals lie; in memory, no figure waits for a disk', tmpdir())
  .option('--write', `put the table into docs/evidence.md`, false)
  .parse()
  .opts<{ workload: string | null; size: number | null; folder: string; write: boolean }>();

function measure(name: string, units: number): Measured {
  const args = ['--max-old-space-size=12288', '--import', 'tsx', join(import.meta.dirname, 'growth-run.ts')];
  const out = execFileSync(process.execPath, [...args, name, String(units), folder], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const unit = WORKLOADS[name]?.().unit ?? 'runs of ten steps in one file';
  return { workload: name, size: units, unit, figures: JSON.parse(out) };
}

const all: Measured[] = [];
for (const [name, sizes] of Object.entries(SIZES)) {
  if (workload !== null && workload !== name) continue;
  for (const units of size === null ? sizes : [size]) {
    const measured = measure(name, units);
    all.push(measured);
    console.log(linesOf(measured).join('\n'));
  }
}

if (write) {
  const page = readFileSync(PAGE, 'utf8');
  const [from, to] = [page.indexOf(MARKS[0]), page.indexOf(MARKS[1])];
  if (from === -1 || to === -1) throw new Error(`${PAGE} has lost its marks`);
  const where = `${cpus().length} × ${cpus()[0]?.model ?? 'a processor'}, Node ${process.versions.node}, journals in \`${folder}\``;
  const text = `${MARKS[0]}\n\n${where}.\n\n${tableOf(all)}\n\n`;
  writeFileSync(PAGE, `${page.slice(0, from)}${text}${page.slice(to)}`);
}
