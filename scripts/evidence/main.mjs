/**
 * `npm run evidence`: computes the figures of the documents by their commands, or those that are named, and notes the
 * commit. `--stale` lists the figures that are older than their code, and exits with 1 if there is one. `--list` lists all.
 */
import { spawn, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { allFigures, changedSince, staleness, unsaid } from './figures.mjs';

const root = join(import.meta.dirname, '../..');
const NOTED = join(root, 'scripts/evidence/computed.json');

const { values, positionals } = parseArgs({
  options: { stale: { type: 'boolean' }, list: { type: 'boolean' } },
  allowPositionals: true,
});
const figures = allFigures(root);
const computed = JSON.parse(readFileSync(NOTED, 'utf8'));
const changed = changedSince(root);

const unknown = positionals.filter((name) => !figures.some((figure) => figure.name === name));
if (unknown.length > 0) {
  console.error(`no figure is called ${unknown.join(', ')}; npm run evidence -- --list names all`);
  process.exitCode = 2;
} else if (values.list) {
  for (const { name, page, command } of figures) console.log(`${name}  ${page}  ${command}`);
} else if (values.stale) list();
else await compute(figures.filter(({ name }) => positionals.length === 0 || positionals.includes(name)));

function list() {
  const stale = figures.flatMap((figure) => {
    const why = staleness(figure, computed, changed);
    return why === null ? [] : [`${figure.page}: ${figure.name} (${figure.command}): ${why}`];
  });
  for (const each of stale) console.log(each);
  console.log(`${stale.length} of ${figures.length} figures are older than their code`);
  if (stale.length > 0) process.exitCode = 1;
}

/** Runs each command, one after the other, and notes each figure as soon as it is computed. */
async function compute(asked) {
  const commit = spawnSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8' }).stdout.trim();
  for (const figure of asked) {
    const { name, command, about } = figure;
    const uncommitted = changed(commit, about);
    console.log(`\n${name}: ${command}`);
    if (uncommitted?.length !== 0) {
      refuse(`${name}: ${uncommitted?.[0] ?? 'its code'} is not committed, so no commit would stand for the figure`);
      continue;
    }
    const { code, printed } = await run(command);
    const missing = unsaid(figure, printed);
    if (code !== 0) refuse(`${name}: the command ended with ${code}`);
    else if (missing.length > 0) refuse(`${name}: ${figure.page} says ${missing.join('; ')}, the command does not`);
    else {
      computed[name] = { command, commit };
      const names = Object.keys(computed).sort();
      const sorted = Object.fromEntries(names.map((each) => [each, computed[each]]));
      writeFileSync(NOTED, `${JSON.stringify(sorted, null, 2)}\n`);
    }
  }
}

function refuse(text) {
  console.error(text);
  process.exitCode = 1;
}

async function run(command) {
  const child = spawn(command, { cwd: root, shell: true, stdio: ['ignore', 'pipe', 'inherit'] });
  let printed = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    printed += text;
    process.stdout.write(text);
  });
  const code = await new Promise((resolve) => child.on('close', resolve));
  return { code, printed };
}
