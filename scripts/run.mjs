/**
 * What stands behind `npm run build`, `check`, `audit`, `bench` and `prove`: runs the group's own lines, or those of one of its names. `npm run prove` lists
 * the names; `npm run prove threads -- --seed 3` hands what stands behind `--` on.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { GROUPS } from './commands.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const PATH = `${join(root, 'node_modules/.bin')}${delimiter}${process.env.PATH}`;
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/** Runs one line of a command, with arguments behind it. Ends this process where the line fails, as it does. */
function runLine(line, args) {
  const given = { cwd: root, stdio: 'inherit', env: { ...process.env, PATH, npm_package_version: version } };
  const { status, signal, error } = spawnSync('sh', ['-c', `${line} "$@"`, 'sh', ...args], given);
  if (error !== undefined) throw error;
  if (signal !== null) process.kill(process.pid, signal);
  if (status !== 0) process.exit(status ?? 1);
}

/** What a command is about, its lines, and what the comment at the top of its file says of its options. */
function help({ about, needs = [], run }) {
  const [file] = /[\w/.-]+\.ts\b/.exec(run.at(-1)) ?? [];
  const [, comment = ''] =
    /^\/\*\*([\s\S]*?)\*\//.exec(file === undefined ? '' : readFileSync(join(root, file), 'utf8')) ?? [];
  const said = comment
    .split('\n')
    .map((line) => line.replace(/^ \* ?/, '').trimEnd())
    .join('\n')
    .trim();
  return [about, '', ...needs.map((need) => `  npm run ${need}`), ...run.map((line) => `  ${line}`), '', said]
    .join('\n')
    .trim();
}

function runAll({ needs = [], run, about, helps = false }, args) {
  if (about !== undefined && !helps && args.some((arg) => arg === '--help' || arg === '-h')) {
    console.log(help({ about, needs, run }));
    return;
  }
  for (const each of needs) runAll(...commandOf(each.split(' ')));
  for (const line of run) runLine(line, line === run.at(-1) ? args : []);
}

/** The command that some words name, and what is handed to it. */
function commandOf([name, ...args]) {
  const { own, needs, ...named } = GROUPS[name];
  const found = Object.hasOwn(named, args[0] ?? '') ? named[args[0]] : undefined;
  if (found !== undefined) return [found, args.slice(1)];
  if (own !== undefined && (args[0] === undefined || args[0].startsWith('-'))) return [{ needs, run: own }, args];
  const widest = Math.max(...Object.keys(named).map(({ length }) => length));
  const lines = Object.entries(named).map(([key, { about }]) => `  ${key.padEnd(widest)}  ${about}`);
  const isAsked = args[0] === undefined || args[0].startsWith('-');
  const head = isAsked ? [] : [`there is no ${name} ${JSON.stringify(args[0])}; there is:`];
  console[isAsked ? 'log' : 'error']([...head, ...lines].join('\n'));
  process.exit(isAsked ? 0 : 2);
}

const [group = '', ...given] = process.argv.slice(2);
if (!Object.hasOwn(GROUPS, group)) {
  console.error(`node scripts/run.mjs ${Object.keys(GROUPS).join('|')} [NAME] [ARGUMENTS]`);
  process.exit(2);
}
runAll(...commandOf([group, ...given]));
