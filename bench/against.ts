/**
 * What a step costs beside an older tree: `npm run bench against -- COMMIT`. Lays the older tree beside this one, runs the same steps
 * in both by turns, a process each, and prints the medians over the rounds, their ratio, and whether the goal is met. Asserts nothing.
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';

const GOAL = 1.05;
const OURS = join(import.meta.dirname, '..');

const command = new Command('npm run bench against --')
  .description('compares what a step costs with an older tree, interleaved')
  .argument('<commit>', 'the older tree')
  .option('--rounds <n>', 'how often each tree runs', whole, 10)
  .parse();
const [commit] = command.args as [string];
const { rounds } = command.opts<{ rounds: number }>();

function whole(text: string): number {
  if (!/^[1-9]\d{0,3}$/.test(text)) throw new InvalidArgumentError('a whole number from 1 to 9999 is needed.');
  return Number(text);
}

const median = (values: readonly number[]) => {
  const sorted = [...values].sort((a, b) => a - b);
  return (
    ((sorted[Math.floor((sorted.length - 1) / 2)] as number) + (sorted[Math.ceil((sorted.length - 1) / 2)] as number)) /
    2
  );
};

const step = (tree: string): Record<string, number> =>
  JSON.parse(execFileSync(process.execPath, ['--import', 'tsx', 'bench/step.ts'], { cwd: tree, encoding: 'utf8' }));

const git = (...args: string[]) => execFileSync('git', args, { cwd: OURS, stdio: ['ignore', 'ignore', 'inherit'] });

const folder = mkdtempSync(join(tmpdir(), 'belay-against-'));
const before = join(folder, 'tree');
try {
  git('worktree', 'add', '--detach', before, commit);
  symlinkSync(join(OURS, 'node_modules'), join(before, 'node_modules'));
  for (const file of ['machine.ts', 'step.ts']) copyFileSync(join(OURS, 'bench', file), join(before, 'bench', file));
  const times = { before: [] as Record<string, number>[], now: [] as Record<string, number>[] };
  for (let round = 0; round < rounds; round += 1) {
    const order = round % 2 === 0 ? (['before', 'now'] as const) : (['now', 'before'] as const);
    for (const tree of order) times[tree].push(step(tree === 'now' ? OURS : before));
    if (process.stderr.isTTY) process.stderr.write(`\rround ${round + 1} of ${rounds}`);
  }
  if (process.stderr.isTTY) process.stderr.write('\n');
  console.log(
    `A step (µs): medians of ${rounds} rounds${' '.repeat(5)}${commit.slice(0, 9).padEnd(9)}       now   ratio`,
  );
  for (const name of Object.keys(times.now[0] ?? {})) {
    const [old, now] = [times.before, times.now].map((all) => median(all.map((one) => one[name] as number))) as [
      number,
      number,
    ];
    const ratio = now / old;
    const verdict = `at most ${GOAL}: ${ratio <= GOAL ? 'met' : 'MISSED'}`;
    console.log(
      `  ${name.padEnd(34)}${old.toFixed(1).padStart(9)} ${now.toFixed(1).padStart(9)} ${ratio.toFixed(3).padStart(7)}   ${verdict}`,
    );
  }
} finally {
  git('worktree', 'remove', '--force', before);
  rmSync(folder, { recursive: true, force: true });
}
