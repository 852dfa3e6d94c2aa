/** CONTRIBUTING.md against the repository: short, and every file, script and check that it names is there. */
import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { GROUPS } from '../../scripts/commands.mjs';
import { read, root } from '../pages.ts';

const page = read('CONTRIBUTING.md');
const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
const isThere = (name: string, command: string) => GROUPS[name]?.[command] !== undefined;

test('has at most 900 words, in lines of at most 120 columns', () => {
  expect(page.trim().split(/\s+/).length).toBeLessThanOrEqual(900);
  expect(page.split('\n').filter((line) => line.length > 120)).toEqual([]);
});

test('names only scripts that there are, and each check of the gate', () => {
  const named = [...page.matchAll(/npm run ([a-z:]+)(?: ([a-z][\w-]*))?/g)];
  expect(named.length).toBeGreaterThan(8);
  const isLost = ([, name = '', command]: RegExpMatchArray) =>
    scripts[name] === undefined || (command !== undefined && !isThere(name, command));
  expect(named.filter(isLost).map(String)).toEqual([]);
  const lanes = /LANES = (\[[\s\S]*?\]);/.exec(read('check.mjs'))?.[1] ?? '';
  const gate = [...lanes.matchAll(/'(\w+)'/g)].map(([, name]) => name as string);
  const listed = [...page.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name);
  expect(listed).toEqual(gate);
});

test('names only files that there are', () => {
  const links = [...page.matchAll(/\]\(([^)#]+)\)/g)].map(([, file]) => file as string);
  const quoted = [...page.matchAll(/`((?:src|docs|test|site|\.github)\/[\w./-]+)`/g)].map(([, file]) => file as string);
  const run = [...page.matchAll(/\b(test\/[\w/-]+\.test\.ts)\b/g)].map(([, file]) => file as string);
  const files = [...links, ...quoted, ...run];
  expect(files.length).toBeGreaterThan(15);
  expect(files.filter((file) => !existsSync(`${root}/${file}`))).toEqual([]);
});
