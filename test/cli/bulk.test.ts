/** `approve`, `deny`, `settle` and `retry` with `--all`: nothing is done before a list was seen, and only to what was on it. */
import { describe, expect, test } from 'vitest';
import { conditionsIn, holds } from '../../src/cli/bulk/where.ts';
import { answers, asked, desk, LOSES, openOffice } from './office.ts';

openOffice();

const digestIn = (out: string) => /--of ([0-9a-f]{8})/.exec(out)?.[1] ?? '';

describe('approve --all', () => {
  test('prints the calls and a digest, and approves those by the digest alone', async () => {
    for (const run of ['a-1', 'a-2']) await asked(run);
    const list = await desk.ask('approve', '--all', '--by', 'ada', '--where', 'run=a-*');
    expect([list.code, list.err]).toEqual([0, '']);
    expect(list.out).toContain('2 calls would be approved. To do it:\n  belay approve --all --where ');
    expect(await answers('a-1')).toEqual([]);
    const narrower = ['approve', '--all', '--by', 'ada', '--where', 'run=a-1', '--of', digestIn(list.out)];
    expect(await desk.ask(...narrower)).toMatchObject({
      code: 1,
      err: expect.stringContaining('the list has changed'),
    });
    const denied = await desk.ask('deny', '--all', '--by', 'ada', '--where', 'run=a-*', '--of', digestIn(list.out));
    expect(denied).toMatchObject({ code: 1, err: expect.stringContaining('the list has changed') });
    const typed = /belay (approve .*)\n/.exec(list.out)?.[1]?.replaceAll("'", '').split(' ') ?? [];
    const done = await desk.ask(...typed, '--json');
    const told = done.out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect([done.code, told.map(({ run, is }) => [run, is])]).toEqual([
      0,
      [
        ['a-1', 'left'],
        ['a-2', 'left'],
      ],
    ]);
    const again = await desk.ask('approve', '--all', '--by', 'ada', '--where', 'run=a-*');
    expect([again.code, again.out]).toEqual([1, 'no such request waits\n']);
    for (const run of ['a-1', 'a-2']) {
      expect((await desk.ask('resume', run)).code).toBe(0);
      expect((await answers(run)).map(({ verdict, by }) => [verdict, by])).toEqual([['approved', 'ada']]);
    }
  });
});

describe('settle --all', () => {
  test('says the outcome, and the digest is of that outcome', async () => {
    for (const run of ['s-1', 's-2']) {
      const { gate } = await asked(run, ...LOSES);
      await desk.ask('approve', gate, '--by', 'ada');
      await desk.ask('resume', run, ...LOSES);
    }
    const words = ['settle', '--all', '--by', 'ada', '--where', 'run=s-*'];
    expect((await desk.ask(...words)).code).toBe(2);
    const list = await desk.ask(...words, '--as', 'failed');
    expect([list.code, list.out]).toEqual([0, expect.stringContaining('2 calls would be settled as failed.')]);
    const other = await desk.ask(...words, '--as', 'confirmed', '--output', '"sent"', '--of', digestIn(list.out));
    expect([other.code, other.err]).toEqual([1, expect.stringContaining('the list has changed')]);
    const done = await desk.ask(...words, '--as', 'failed', '--of', digestIn(list.out));
    expect([done.code, done.out]).toEqual([0, expect.stringMatching(/s-1 .* left for the process[\s\S]*s-2/)]);
  });
});

test.each([
  ['neither a gate nor all', ['approve', '--by', 'a'], /name one of/],
  ['both', ['approve', '3f2a', '--all', '--by', 'a'], /name one of/],
  ['an unknown field', ['approve', '--all', '--by', 'a', '--where', 'colour=red'], /one of agent=, run=, tool=/],
  ['a field without a text', ['deny', '--all', '--by', 'a', '--where', 'tool='], /names no text/],
  ['a key for runs', ['retry', '--all', '--by', 'a', '--where', 'key=x'], /one of agent=, run=, code=/],
  ['no person', ['retry', '--all'], /needs a name/],
  ['a digest of one', ['retry', 'a-1', '--of', '00000000'], /go with --all/],
])('says what is wrong: %s', async (_, args, text) => {
  const told = await desk.ask(...args);
  expect([told.code, told.out]).toEqual([2, '']);
  expect(told.err).toMatch(text);
});

test('retry --all tells where there is none', async () => {
  expect(await desk.ask('retry', '--all', '--by', 'ada', '--where', 'run=none-*')).toMatchObject({
    code: 1,
    out: 'no such run is parked on a step that threw\n',
  });
});

test.each([
  ['pay', 'pay', true],
  ['pay', 'payment', false],
  ['pay*', 'payment', true],
  ['*ment', 'payment', true],
  ['p*m*t', 'payment', true],
  ['p*x*t', 'payment', false],
  ['*', '', true],
  ['ab*ba', 'aba', false],
  ['a.c', 'abc', false],
])('the pattern %j of %j: %j', (pattern, text, is) => {
  expect(holds([{ field: 'tool', pattern }], { tool: text })).toBe(is);
  expect(holds([{ field: 'tool', pattern }], { tool: null })).toBe(false);
  expect(conditionsIn([`tool=${pattern}`], ['tool'])).toEqual([{ field: 'tool', pattern }]);
});
