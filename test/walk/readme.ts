/**
 * Follows the README in an empty folder, as a new user would: packs the package, installs the file, asks for the first answer, attaches
 * the example machine. Prints each command with its time and output, and ends with 1 where the output is not the README's.
 *
 *     npm run walk:readme
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { blocks, files, read, root } from '../pages.ts';

/** A command of the README, its output, and the output that the README shows (null: it shows none). */
export interface Step {
  readonly command: string;
  readonly ms: number;
  readonly output: string;
  readonly shown: string | null;
}

/**
 * Follows the README.
 * @param compiles true: the package and native modules are built anew; false: those of this clone are copied, which takes a minute less.
 * @param tell receives each step as it ends.
 */
export function walkReadme(compiles: boolean, tell: (step: Step) => void): void {
  const readme = read('README.md');
  const commands = blocks(readme, 'sh').flatMap((block) =>
    block.split('\n').map((line) => line.replace(/\s+#.*$/, '').trim()),
  );
  const [answer, decisions] = blocks(readme, 'text');
  const folder = mkdtempSync(join(tmpdir(), 'belay-readme-'));
  const project = join(folder, 'project');
  const step = (typed: string | undefined, cwd: string, shown: string | null, more = ''): void => {
    if (typed === undefined) throw new Error('the README has lost a command that this walk follows');
    const [program, ...args] = `${typed}${more}`.split(' ') as [string, ...string[]];
    const start = performance.now();
    const output = execFileSync(program, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
    tell({ command: typed, ms: performance.now() - start, output, shown });
  };
  try {
    mkdirSync(project);
    const packs = commands.find((command) => command.includes('npm pack'))?.split(' && ')[1];
    // A test must not build while others read what is built.
    step(packs, root, null, ` --pack-destination ${project}${compiles ? '' : ' --ignore-scripts'}`);
    for (const begins of ['npm init', 'npm pkg'])
      step(
        commands.find((command) => command.startsWith(begins)),
        project,
        null,
      );
    step(
      commands.find((command) => command.startsWith('npm install')),
      project,
      null,
      compiles ? '' : ' --ignore-scripts',
    );
    if (!compiles)
      cpSync(join(root, 'node_modules/better-sqlite3/build'), join(project, 'node_modules/better-sqlite3/build'), {
        recursive: true,
      });
    step(
      commands.find((command) => command.startsWith('npx belay decide')),
      project,
      answer ?? '',
    );
    for (const [name, content] of files(readme)) {
      mkdirSync(dirname(join(project, name)), { recursive: true });
      writeFileSync(join(project, name), content);
    }
    step('npx tsx run.ts', project, decisions ?? '');
    step('npx belay runs', project, null);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  walkReadme(true, ({ command, ms, output, shown }) => {
    console.log(`$ ${command}   (${(ms / 1000).toFixed(1)} s)\n${output.trimEnd()}\n`);
    if (shown === null || shown === output) return;
    console.log(`The README shows:\n${shown}`);
    process.exitCode = 1;
  });
}
