/** What a user, or an enemy, may hand to the command: every refusal has a place, a code and a sentence, and no stack trace. */
import { constants } from 'node:buffer';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { answer } from '../../src/cli/decide/answer.ts';
import { History } from '../../src/history/history.ts';
import { decide } from '../../src/recovery/decide.ts';
import { vetoes } from '../../src/recovery/vetoes.ts';
import { belay, file, MAIN, trace } from './belay.ts';

const A = ['S', 'A', 0];
const begin = { do: 'trace', id: 't1' };
const asked = trace(begin, { do: 'enter', in: A }, { do: 'fail', in: A });

describe('a malformed trace ends with exit 2 and the place; answers before it stand', () => {
  test.each([
    ['not JSON', '{"do":"read"', 'not_json'],
    ['an event before its enter', trace({ do: 'read', in: ['S', 'B', 0], key: 'x' }), 'not_entered S::B::0'],
    ['a failure before its enter', trace({ do: 'fail', in: ['S', 'B', 0] }), 'not_entered S::B::0'],
    ['a second enter', trace({ do: 'enter', in: A }), 'entered_twice'],
    [
      'a starter that was never entered',
      trace({ do: 'enter', in: ['S', 'B', 0], by: ['S', 'C', 0] }),
      'starter_not_entered',
    ],
    ['an unknown class', trace({ do: 'effect', in: A, class: 'safe', status: 'failed' }), 'unknown_class'],
    ['an unknown field', trace({ do: 'enter', in: ['S', 'B', 0], By: A }), 'unknown_field'],
    ['no key', trace({ do: 'write', in: A, key: 'a//b' }), 'bad_key'],
    ['bytes that are no text', Uint8Array.from([0x7b, 0xff, 0x7d, 0x0a]), 'not_utf8'],
    ['a line without an end', 'x'.repeat(5 * 1024 * 1024), 'line_too_long'],
  ])('%s', async (_name, line, complaint) => {
    const before = await belay(['decide', '-', '--json'], asked);
    const input = Buffer.concat([Buffer.from(asked), typeof line === 'string' ? Buffer.from(line) : line]);
    const { code, out, err } = await belay(['decide', file('malformed.jsonl', input), '--json']);
    expect(code).toBe(2);
    expect(out).toBe(before.out);
    expect(err).toMatch(new RegExp(`^\\S+malformed.jsonl:4: ${complaint}.*\n$`));
  });

  test('an event before the first trace line', async () => {
    const { code, err } = await belay(['decide', '-'], trace({ do: 'enter', in: A }));
    expect([code, err]).toEqual([2, '-:1: no_trace a history begins with a line {"do":"trace","id":"..."}\n']);
  });

  test('a boundary while an outcome is open', async () => {
    const effect = { do: 'effect', in: A, class: 'none', status: 'intended', id: 'e' };
    const lines = trace(begin, { do: 'enter', in: A }, effect, { do: 'boundary', in: A, kind: 'outcome' });
    expect(await belay(['decide', '-'], lines)).toMatchObject({
      code: 2,
      err: expect.stringContaining('-:4: outcome_open'),
    });
    const closed = trace(
      begin,
      { do: 'enter', in: A },
      effect,
      { ...effect, status: 'failed' },
      { do: 'boundary', in: A, kind: 'commit' },
    );
    expect(await belay(['decide', '-'], closed)).toMatchObject({ code: 0 });
  });

  test('the message itself is harmless', async () => {
    const { code, err } = await belay(['decide', '-'], `${JSON.stringify(begin)}\n{"do":"\u009b31m"}\n`);
    expect([code, err.includes('\u009b')]).toEqual([2, false]);
    expect(err).toContain('-:2: unknown_do "\\u{9b}31m" is none of');
    const named = await belay(['decide', file('\u001b[2Jx', '')]);
    expect([named.code, named.err.includes('\u001b')]).toEqual([0, false]);
    expect(named.err).toContain('\\u{1b}[2Jx: no "fail" line, so nothing was asked\n');
  });
});

describe('a command that cannot be carried out ends with exit 2 and one sentence', () => {
  test.each([
    [['decide', 'no-such-file.jsonl'], /^no-such-file.jsonl: cannot_read ENOENT/],
    [['decide', 'src'], /^src: cannot_read EISDIR/],
    [['decide'], /missing required argument 'trace'/],
    [['decide', 'a', 'b'], /too many arguments/],
    [['decide', 'a', '--policy', 'best'], /Allowed choices are line, static, dart/],
    [['decide', 'a', '--joint', 'some'], /Allowed choices are all, none/],
    [['decide', 'a', '--graph', 'png'], /Allowed choices are dot, json/],
    [['decide', 'a', '--graph', 'dot', '--json'], /cannot be used with/],
    [['decide', 'a', '--jsno'], /^error: unknown option '--jsno'\n\(Did you mean --json\?\)\n/],
    [['decyde', 'a'], /unknown command 'decyde'/],
    [[], /Usage: belay/],
  ])('belay %j', async (args, complaint) => {
    const { code, out, err } = await belay(args);
    expect([code, out]).toEqual([2, '']);
    expect(err).toMatch(complaint);
    expect(err).not.toMatch(/\n\s+at /);
  });

  test('help and version are no mistakes', async () => {
    expect(await belay(['--help'])).toMatchObject({ code: 0, err: '', out: expect.stringContaining('decide') });
    expect(await belay(['decide', '--help'])).toMatchObject({
      code: 0,
      err: '',
      out: expect.stringContaining('Examples:'),
    });
    expect((await belay(['--version'])).out).toMatch(/^\d+\.\d+\.\d+\n$/);
  });
});

test('a reader that has seen enough may close the pipe', async () => {
  const many = file('many.jsonl', asked + trace({ do: 'fail', in: A }).repeat(200_000));
  const child = spawn(process.execPath, [MAIN, 'decide', many, '--json']);
  let err = '';
  child.stderr.on('data', (chunk) => {
    err += chunk;
  });
  await once(child.stdout, 'data');
  child.stdout.destroy();
  const [code] = await once(child, 'close');
  expect([code, err]).toEqual([0, '']);
});

test.runIf(existsSync('/dev/full'))('a full disk is reported', async () => {
  const path = file('full.jsonl', asked);
  const child = spawn('sh', ['-c', `"$0" "$1" decide "$2" > /dev/full`, process.execPath, MAIN, path]);
  let err = '';
  child.stderr.on('data', (chunk) => {
    err += chunk;
  });
  const [code] = await once(child, 'close');
  expect([code, err]).toEqual([2, 'belay: cannot_write ENOSPC: no space left on device, write\n']);
});

test('a key of a hundred thousand segments is a key', async () => {
  const deep = Array(100_000).fill('a').join('/');
  const lines = trace(
    begin,
    { do: 'enter', in: A },
    { do: 'enter', in: ['S', 'B', 0] },
    { do: 'write', in: A, key: deep },
    { do: 'read', in: ['S', 'B', 0], key: `${deep}/**` },
    { do: 'fail', in: A },
  );
  const { code, out } = await belay(['decide', '-', '--json'], lines);
  expect([code, JSON.parse(out).level]).toEqual([0, 1]);
});

test('an answer with more vetoes than a string can hold is told in pieces', () => {
  const history = new History();
  // Every veto names it: the longer its name is, the fewer make a long answer.
  const failed = { skeleton: 'S', entity: 'A'.repeat(2_000), ordinal: 0 };
  history.apply({ do: 'enter', in: failed, by: null });
  for (let n = 0; n < 800; n += 1) {
    history.apply({ do: 'effect', in: failed, id: null, class: 'irreversible', status: 'confirmed', undo: null });
    history.apply({ do: 'boundary', in: failed, kind: 'commit' });
  }
  const decision = decide(history, { in: failed, key: null });
  let told = 0;
  for (const _ of vetoes(decision)) told += 1;
  expect(told).toBe((800 * 801) / 2);
  let longest = 0;
  let ends = '';
  let length = 0;
  for (const piece of answer('t1', history, decision)) {
    longest = Math.max(longest, piece.length);
    length += piece.length;
    ends = piece.slice(-3);
  }
  expect([longest < 100_000, length > constants.MAX_STRING_LENGTH, ends]).toEqual([true, true, ']}\n']);
});

test('a history of a hundred thousand events over a hundred thousand keys is answered', async () => {
  const lines = [JSON.stringify(begin), JSON.stringify({ do: 'enter', in: A })];
  for (let n = 0; n < 100_000; n += 1) lines.push(JSON.stringify({ do: 'write', in: A, key: `a/${n}` }));
  lines.push(JSON.stringify({ do: 'fail', in: A, key: 'a/5/x' }));
  const { code, out } = await belay(['decide', '-', '--json'], lines.join('\n'));
  expect([code, JSON.parse(out).verdict]).toEqual([0, 'restore']);
});
