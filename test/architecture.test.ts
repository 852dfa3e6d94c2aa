/** docs/architecture.md against the folders: a room that is not on the page, or a file that it names and that is gone, is found here. */
import { existsSync, readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { read, root } from './pages.ts';

const page = read('docs/architecture.md');
const table = page.slice(page.indexOf('| room |'), page.indexOf('Beside `src/`'));
const rooms = [...table.matchAll(/^\| ((?:`\w+`(?:, )?)+) \|/gm)].flatMap(([, names]) =>
  [...(names as string).matchAll(/\w+/g)].map(String),
);
const folders = readdirSync(`${root}/src`, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

describe('the plan of the house', () => {
  test('has every folder of src as a room, and no room that is no folder', () => {
    expect([...rooms].sort()).toEqual([...folders].sort());
  });

  test('names only files that there are', () => {
    const files = [...page.matchAll(/`((?:[\w-]+\/)+[\w-]+\.ts)`/g)].map(([, file]) => file as string);
    expect(files.length).toBeGreaterThan(20);
    expect(files.filter((file) => !existsSync(`${root}/src/${file}`))).toEqual([]);
  });

  test('has the way of a step, and of a failure, visit at most fifteen files each', () => {
    for (const way of ['The way of a step', 'The way of a failure']) {
      const section = page.split(`## ${way}`)[1]?.split('\n## ')[0] ?? '';
      const files = new Set([...section.matchAll(/`((?:[\w-]+\/)+[\w-]+\.ts)`/g)].map(([, file]) => file));
      expect([way, files.size > 5, files.size <= 15]).toEqual([way, true, true]);
    }
  });
});

describe('the sizes of the house', () => {
  const filesOf = (folder: string) =>
    readdirSync(`${root}/${folder}`, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());

  test.each([
    ['src', 500, 92],
    ['test', 500, 101],
  ])('no file of %s has more than %i lines, and half of them at most %i', (folder, most, median) => {
    const sources = filesOf(folder)
      .map(({ parentPath, name }) => `${parentPath}/${name}`.slice(root.length))
      .filter((file) => file.endsWith('.ts'));
    expect(sources.length).toBeGreaterThan(100);
    const lines = sources.map((file) => [read(file).trimEnd().split('\n').length, file] as const);
    expect(lines.filter(([count]) => count > most)).toEqual([]);
    expect(lines.map(([count]) => count).toSorted((a, b) => a - b)[Math.floor(lines.length / 2)]).toBeLessThanOrEqual(
      median,
    );
  });

  test('no test has a limit of time of its own: a busy machine would break it, and the one of all finds a hang', () => {
    const limited = filesOf('test')
      .filter(({ name }) => name.endsWith('.test.ts'))
      .map(({ parentPath, name }) => `${parentPath}/${name}`.slice(root.length))
      .filter((file) => /^\s*\}, \d+_000\);$|^\s*\d+_000,\n\s*\);$|, \{ timeout: \d+_000 \}, /m.test(read(file)));
    expect(limited).toEqual([]);
  });
});
