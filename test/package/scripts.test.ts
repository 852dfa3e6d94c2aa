/** What `npm run` shows: ten scripts, and behind them commands that there are, each with a line. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type Command, GROUPS } from '../../scripts/commands.mjs';
import { read, root } from '../pages.ts';

const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
const commands = Object.entries(GROUPS).flatMap(([group, { own: _, needs: __, ...named }]) =>
  Object.entries(named).map(([name, command]) => ({ name: `${group} ${name}`, command: command as Command })),
);

function run(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['scripts/run.mjs', ...args], {
    cwd: root,
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

test('there are ten scripts, of one line each', () => {
  expect(Object.keys(scripts)).toHaveLength(10);
  for (const script of Object.values(scripts)) expect(script.length).toBeLessThan(80);
});

test('each command says what it is about, needs commands that there are, and runs files that there are', () => {
  expect(commands.length).toBeGreaterThan(60);
  const owns = Object.keys(GROUPS).filter((group) => GROUPS[group]?.own !== undefined);
  for (const { name, command } of commands) {
    const { about, needs = [], run: lines } = command;
    expect([name, about.length > 2]).toEqual([name, true]);
    const isLost = (need: string) => !owns.includes(need) && !commands.some((other) => other.name === need);
    expect([name, needs.filter(isLost)]).toEqual([name, []]);
    const files = lines.flatMap((line) =>
      [...line.matchAll(/(?<![\w./-])(?!build\/)[\w/.-]+\.(?:ts|mjs)(?!\w)/g)].map(String),
    );
    expect([name, files.filter((file) => !existsSync(`${root}/${file}`))]).toEqual([name, []]);
  }
});

test('without a name it lists what there is, and a name that is none is told with those that are', () => {
  const listed = run('prove');
  expect(listed).toMatchObject({ status: 0, stderr: '' });
  for (const name of ['threads', 'mutants', 'soak-claims'])
    expect(listed.stdout).toMatch(new RegExp(`^ {2}${name} `, 'm'));
  expect(run('bench', 'grwoth')).toMatchObject({
    status: 2,
    stdout: '',
    stderr: expect.stringMatching(/^there is no bench "grwoth"; there is:\n/),
  });
  expect(run('toString')).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('build|check|audit|bench|prove'),
  });
});

test('hands on what stands behind a name, and ends as its last line does', () => {
  const helped = run('bench', 'against', '--help');
  expect(helped).toMatchObject({ status: 0, stdout: expect.stringContaining('npm run bench against --') });
  expect(run('bench', 'against', '--rounds', 'many').status).toBe(1);
});

test('says of a command what it runs and which options it takes, before it builds anything', () => {
  const helped = run('prove', 'mutants', '--help');
  expect(helped).toMatchObject({ status: 0, stderr: '' });
  expect(helped.stdout).toMatch(
    /^each rule switched off, .*\n\n {2}tsx test\/mutants\/main\.ts\n\n[\s\S]* {2}--rule C5 {3}the mutants of one rule\n/,
  );
  expect(run('check', 'package', '--help').stdout).toMatch(
    /^what is packed: .*\n\n {2}npm run build\n {2}node package\.check\.mjs\n/,
  );
});
