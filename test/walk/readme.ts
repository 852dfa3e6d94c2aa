/**
 * Follows the README from an empty folder, as a new user would: each of its commands as it stands there, in its order, each of its files written
 * as it is shown, and nothing else but the packed file. Prints each command with its time and output, and ends with 1 where one differs.
 *
 *     npm run prove walk-readme
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { allBlocks, type Block, read, root } from '../pages.ts';

/** A command of the README, its output, and the output that the README shows (null: it shows none). */
export interface Step {
  readonly command: string;
  readonly ms: number;
  readonly output: string;
  readonly shown: string | null;
}

/** What the README leads to in the folder of the project. */
export interface Walked {
  /** The packages whose installation runs a script, but for those that `tsx` brings. */
  readonly scripts: readonly string[];
  /** The lines of the payments of the run whose worker was killed. */
  readonly payments: readonly string[];
}

/** From this heading on the README is about a clone. */
const END = '\n## In a clone\n';
/** The remark of a command that the README has typed in two terminals, the first of which is killed. */
const TWICE = 'in two terminals';
const LONGEST = 300_000;

/**
 * Follows the README.
 * @param compiles true: the package is built anew, and its native module is compiled or downloaded; false: the installation is
 *   served from npm's cache, and finds the binary of this clone where it looks for one, which takes minutes less.
 * @param tell receives each step as it ends.
 */
export async function walkReadme(compiles: boolean, tell: (step: Step) => void): Promise<Walked> {
  const folder = mkdtempSync(join(tmpdir(), 'belay-readme-'));
  const project = join(folder, 'project');
  mkdirSync(project);
  try {
    const pack = ['pack', '--silent', '--pack-destination', project, ...(compiles ? [] : ['--ignore-scripts'])];
    execFileSync('npm', pack, { cwd: root, stdio: 'pipe' });
    const env = { ...process.env, NO_COLOR: '1', FORCE_COLOR: undefined, ...(compiles ? {} : served(folder)) };
    const readme = read('README.md');
    const page = allBlocks(readme.slice(0, readme.indexOf(END)));
    for (const [index, block] of page.entries()) {
      if (block.file !== null) write(join(project, block.file), block.content);
      if (block.language !== 'sh') continue;
      const lines = block.content.trimEnd().split('\n');
      for (const line of lines) {
        const shown = line === lines.at(-1) ? shownAfter(page, index) : null;
        await step(line, shown, { cwd: project, env }, tell);
      }
    }
    return { scripts: scripted(project), payments: paid(project) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Terminal {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

async function step(line: string, shown: string | null, terminal: Terminal, tell: (step: Step) => void): Promise<void> {
  const [, command = '', remark = ''] = /^(.*?)(?:\s+# (.*))?$/.exec(line) ?? [];
  const start = performance.now();
  const output =
    remark === TWICE
      ? await killedBeside(command, terminal)
      : execFileSync('sh', ['-c', command], { ...terminal, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  tell({ command, ms: performance.now() - start, output, shown });
}

/** The output that the README shows right behind a block of commands. */
function shownAfter(page: readonly Block[], index: number): string | null {
  const next = page[index + 1];
  return next?.language === 'text' && next.file === null ? next.content : null;
}

/** Has an installation find what it would download: the packages in npm's cache, the binary of better-sqlite3 in a folder. */
function served(folder: string): NodeJS.ProcessEnv {
  const sqlite = join(root, 'node_modules/better-sqlite3');
  const { version } = JSON.parse(readFileSync(join(sqlite, 'package.json'), 'utf8')) as { version: string };
  const { platform, arch, versions } = process;
  const libc = existsSync('/etc/alpine-release') ? 'musl' : '';
  const name = `better-sqlite3-v${version}-node-v${versions.modules}-${platform}${libc}-${arch}.tar.gz`;
  execFileSync('tar', ['czf', join(folder, name), '-C', sqlite, 'build/Release/better_sqlite3.node']);
  return { npm_config_better_sqlite3_local_prebuilds: folder, npm_config_prefer_offline: 'true' };
}

/** Runs a worker in two processes, kills the one that takes a run, and stops the other once that has ended the run. */
async function killedBeside(command: string, terminal: Terminal): Promise<string> {
  const printed: string[] = [];
  const numbers: number[] = [];
  const ends: Promise<unknown>[] = [];
  const killed = new Set<number>();
  await new Promise<void>((resolve, reject) => {
    const limit = setTimeout(() => reject(new Error(`no worker ended the run:\n${printed.join('\n')}`)), LONGEST);
    for (const index of [0, 1]) {
      const child = spawn('sh', ['-c', `exec ${command}`], { ...terminal, stdio: ['ignore', 'pipe', 'pipe'] });
      ends.push(once(child, 'exit'));
      createInterface({ input: child.stdout }).on('line', (line) => {
        printed.push(line);
        numbers[index] ??= Number(/\d+/.exec(line)?.[0]);
        const number = numbers[index] as number;
        if (line.includes(': taken') && killed.size === 0) process.kill(number, 'SIGKILL') && killed.add(number);
        if (!line.includes(': done')) return;
        clearTimeout(limit);
        resolve();
      });
    }
  });
  for (const number of numbers) if (!killed.has(number)) process.kill(number, 'SIGTERM');
  await Promise.all(ends);
  return printed.join('\n');
}

/** The packages of which npm's lock file says that installing them runs a script. esbuild comes with `tsx`, fsevents with esbuild's kin. */
function scripted(project: string): string[] {
  const lock = JSON.parse(readFileSync(join(project, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { hasInstallScript?: boolean }>;
  };
  return Object.entries(lock.packages)
    .filter(([, { hasInstallScript }]) => hasInstallScript === true)
    .map(([path]) => path.replace(/^.*node_modules\//, ''))
    .filter((name) => name !== 'esbuild' && name !== 'fsevents');
}

function paid(project: string): string[] {
  const file = join(project, 'belay.sqlite.world/order-2/payments.jsonl');
  return readFileSync(file, 'utf8').trimEnd().split('\n');
}

function write(file: string, content: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { scripts, payments } = await walkReadme(process.argv[2] !== 'quick', ({ command, ms, output, shown }) => {
    console.log(`$ ${command}   (${(ms / 1000).toFixed(1)} s)\n${output.trimEnd()}\n`);
    if (shown === null || shown === output) return;
    console.log(`The README shows:\n${shown}`);
    process.exitCode = 1;
  });
  console.log(
    `install scripts: ${scripts.join(', ')}; payments of the run whose worker was killed: ${payments.length}`,
  );
  if (scripts.length > 1 || payments.length !== 1) process.exitCode = 1;
}
