/** The figures of the documents: each names a command and code that there are, and is found stale once its code changes. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { GROUPS } from '../../scripts/commands.mjs';
import {
  allFigures,
  changedSince,
  type Figure,
  figuresOf,
  staleness,
  unsaid,
} from '../../scripts/evidence/figures.mjs';
import { read, root } from '../pages.ts';

const all = allFigures(root);
const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
/** What a command is run by: a script, with the name of one of its commands behind it. */
const named = [
  ...Object.keys(scripts),
  ...Object.entries(GROUPS).flatMap(([group, commands]) => Object.keys(commands).map((name) => `${group} ${name}`)),
];
const figure: Figure = { name: 'sum', page: 'docs/a.md', command: 'npm run sum', about: ['src'], says: [] };

test('each has a name of its own, a script and paths that there are, and its numbers in its page', () => {
  expect(all.length).toBeGreaterThan(8);
  expect(new Set(all.map(({ name }) => name)).size).toBe(all.length);
  for (const { name, page, command, about, says } of all) {
    const [group = '', own = ''] = command.split(' ').slice(2);
    expect([name, named]).toEqual([name, expect.arrayContaining([/^\w/.test(own) ? `${group} ${own}` : group])]);
    expect([name, about.filter((path) => !existsSync(join(root, path)))]).toEqual([name, []]);
    const text = read(page)
      .replace(/<!--[\s\S]*?-->/g, '')
      .replace(/\s+/g, ' ');
    expect([name, says.filter((each) => !text.includes(each))]).toEqual([name, []]);
  }
});

test('each mark of a page that a command writes is a figure, and each mark is well-formed', () => {
  const page = read('docs/evidence.md');
  const written = [...page.matchAll(/<!-- (?:figures|growth|load|parked|list): written by (.+?) -->/g)];
  expect(written.length).toBe(5);
  for (const [, command] of written) expect(all.map((each) => each.command)).toContain(command);
  const begun = page.match(/<!-- figure /g)?.length;
  expect(figuresOf('docs/evidence.md', page).length).toBe(begun);
});

test('what is noted as computed is a figure of the documents', () => {
  const computed = JSON.parse(read('scripts/evidence/computed.json')) as Record<string, { commit: string }>;
  expect(Object.keys(computed).filter((name) => !all.some((each) => each.name === name))).toEqual([]);
  for (const { commit } of Object.values(computed)) expect(commit).toMatch(/^[0-9a-f]{40}$/);
});

test.each([
  ['305,184 histories', 'histories  305184\n', []],
  ['305,184 histories', '305,184', []],
  ['2.5 times', 'ratio 2.5 ×', []],
  ['305,184 histories', '1305184 and 3051840', ['305,184 histories']],
  ['28 times', '28.4 times', ['28 times']],
])('a command says %j where it prints %j: lacking %j', (says, printed, lacking) => {
  expect(unsaid({ says: [says] }, printed)).toEqual(lacking);
});

test('is stale where it was never computed, by another command, at a lost commit, or before a change', () => {
  const computed = { sum: { command: 'npm run sum', commit: 'abc' } };
  const none = () => [];
  expect(staleness(figure, computed, none)).toBe(null);
  expect(staleness(figure, {}, none)).toBe('never computed');
  expect(staleness({ ...figure, command: 'npm run sum -- 2' }, computed, none)).toContain('by another command');
  expect(staleness(figure, computed, () => null)).toContain('does not have');
  expect(staleness(figure, computed, () => ['src/a.ts', 'src/b.ts'])).toContain(
    '2 files have changed since: src/a.ts, …',
  );
});

test('changes are those of commits, of files that are edited, and of files that are new, under the paths alone', () => {
  const folder = mkdtempSync(join(tmpdir(), 'belay-evidence-'));
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.c', ...args], { cwd: folder, encoding: 'utf8' });
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
  git('init', '-q');
  for (const name of ['src', 'docs']) mkdirSync(join(folder, name));
  write('src/a.ts', '1');
  write('docs/a.md', '1');
  git('add', '-A');
  git('commit', '-qm', 'one');
  const first = git('rev-parse', 'HEAD').trim();
  const changed = changedSince(folder);
  write('docs/a.md', '2');
  expect(changed(first, ['src'])).toEqual([]);
  write('src/b.ts', '1');
  expect(changed(first, ['src'])).toEqual(['src/b.ts']);
  write('src/a.ts', '2');
  git('add', '-A');
  git('commit', '-qm', 'two');
  expect(changed(first, ['src'])).toEqual(['src/a.ts', 'src/b.ts']);
  expect(changed(git('rev-parse', 'HEAD').trim(), ['src'])).toEqual([]);
  expect(changed('0'.repeat(40), ['src'])).toBe(null);
  rmSync(folder, { recursive: true });
});
