/** What a user, or an enemy, may hand to the command: every refusal has a place, a code and a sentence, and no stack trace. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { belay, file, trace } from './belay.ts';

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
    ['a line without an end', 'x'.repeat(3 * 1024 * 1024), 'line_too_long'],
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
    const { err } = await belay(['decide', '-'], `${JSON.stringify(begin)}\n{"do":"\u001b[2J"}\n\u009b31m\n`);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
    expect(err.replaceAll('\n', '')).not.toMatch(/[\u0000-\u001f\u0080-\u009f]/);
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
    [['decide', 'a', '--jsno'], /Did you mean --json/],
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
  const main = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
  const many = file('many.jsonl', asked + trace({ do: 'fail', in: A }).repeat(200_000));
  const child = spawn(process.execPath, [main, 'decide', many, '--json']);
  let err = '';
  child.stderr.on('data', (chunk) => {
    err += chunk;
  });
  await once(child.stdout, 'data');
  child.stdout.destroy();
  const [code] = await once(child, 'close');
  expect([code, err]).toEqual([0, '']);
});

test('a history of a hundred thousand events over a hundred thousand keys is answered', async () => {
  const lines = [JSON.stringify(begin), JSON.stringify({ do: 'enter', in: A })];
  for (let n = 0; n < 100_000; n += 1) lines.push(JSON.stringify({ do: 'write', in: A, key: `a/${n}` }));
  lines.push(JSON.stringify({ do: 'fail', in: A, key: 'a/5/x' }));
  const { code, out } = await belay(['decide', '-', '--json'], lines.join('\n'));
  expect([code, JSON.parse(out).verdict]).toEqual([0, 'restore']);
});
