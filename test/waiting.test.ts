/** Waiting in the sources: by the clock of the process (src/clock), and nowhere else. */
import { expect, test } from 'vitest';
import { read, sources } from './pages.ts';

/** The code of a file, without its comments. */
const codeOf = (file: string) => read(file).replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '');
const filesWith = (what: RegExp) =>
  sources('src')
    .filter((file) => what.test(codeOf(file)))
    .map((file) => file.slice('src/'.length));

test('no file but the clock of a process, and the one that a test drives, sets a timer of the platform', () => {
  expect(filesWith(/(?<!readonly )\bset(Timeout|Interval)\(/)).toEqual(['clock/clock.ts', 'testing/driven-clock.ts']);
});

test('no file waits by promises of the platform', () => {
  expect(filesWith(/timers\/promises/)).toEqual([]);
});
