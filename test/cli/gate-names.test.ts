/** Gates named at the terminal: by their beginning, by what does not fit, and in another file. */
import { createHash } from 'node:crypto';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { keyOf } from '../../src/effects/keys.ts';
import { EntryDecoder, EntryEncoder } from '../../src/journal/entry-codec.ts';
import type { StoredRow } from '../../src/journal/journal.ts';
import { sqliteStore } from '../../src/journal/sqlite/store.ts';
import type { Entry } from '../../src/model/entry.ts';
import { asked, desk, LOSES, openOffice } from './office.ts';

openOffice();

beforeAll(async () => {
  for (const run of ['tale', 'other']) await asked(run);
});

describe('a gate is named', () => {
  const secret = 'ab'.repeat(32);

  /** The gate of a run under that secret, as the run will name it. */
  function gateOf(run: string): string {
    const key = keyOf(JSON.stringify([run, 'Letter', 'ada', 0, 'send', 0]), secret);
    return createHash('sha256')
      .update(JSON.stringify([key, 0, 0]))
      .digest('hex')
      .slice(0, 12);
  }

  /** Has a run begin as `like` did, under that secret, and stop there; what goes on with it comes to the gate that can be told beforehand. */
  async function foretold(run: string, like: string) {
    const store = sqliteStore(join(desk.folder, 'belay.sqlite'));
    const [row] = store.read(like);
    const begin = new EntryDecoder().entry(row as StoredRow);
    const journal = await store.open(run, 'create');
    journal.append(new EntryEncoder().rows({ ...(begin as Extract<Entry, { do: 'begin' }>), secret }, () => {}));
    await journal.close();
    await store.close();
    await desk.ask('resume', run);
    const [gate] = await desk.json('approvals', run);
    return gate as { gate: string };
  }

  test('by its beginning, unless that fits two', async () => {
    await asked('one');
    const seen = new Map<string, string>();
    let pair: readonly [string, string] | null = null;
    for (let number = 0; pair === null; number += 1) {
      const beginning = gateOf(`n${number}`).slice(0, 4);
      const other = seen.get(beginning);
      if (other !== undefined) pair = [other, `n${number}`];
      seen.set(beginning, `n${number}`);
    }
    const [a, b] = [await foretold(pair[0], 'one'), await foretold(pair[1], 'one')];
    expect([a.gate, b.gate]).toEqual(pair.map(gateOf));
    const { code, out, err } = await desk.ask('approve', a.gate.slice(0, 4), '--by', 'Ada');
    expect([code, out]).toEqual([2, '']);
    expect(err).toBe(`"${a.gate.slice(0, 4)}" fits 2 gates: ${a.gate} (${pair[0]}), ${b.gate} (${pair[1]})\n`);
    expect((await desk.ask('approve', b.gate, '--by', 'Ada')).code).toBe(0);
  });

  test.each<[string, string[], string | RegExp]>([
    [
      'that is not there',
      ['approve', 'zzzz', '--by', 'Ada'],
      /^there is no gate "zzzz" in belay\.sqlite\. .*belay approvals/,
    ],
    ['by too little', ['approve', 'abc', '--by', 'Ada'], /^"abc" is too short for a gate: its first 4/],
    ['by nobody', ['approve', 'abcd'], /^error: required option '--by <name>' not specified/],
    ['by an empty name', ['deny', 'abcd', '--by', ' '], '--by needs a name: who says so?\n'],
    ['by a long name', ['deny', 'abcd', '--by', 'x'.repeat(201)], '--by: a name has at most 200 characters\n'],
    [
      'for a long reason',
      ['deny', 'abcd', '--by', 'x', '--why', 'x'.repeat(2001)],
      /^--why: a reason has at most 2000/,
    ],
    ['without an outcome', ['settle', 'abcd', '--by', 'Ada'], /^error: required option '--as <status>' not specified/],
    ['as what it cannot be', ['settle', 'abcd', '--as', 'perhaps', '--by', 'Ada'], /^error: /],
    [
      'with an output of nothing',
      ['settle', 'abcd', '--as', 'failed', '--output', '1', '--by', 'Ada'],
      /^--output goes/,
    ],
    ['with no JSON', ['settle', 'abcd', '--as', 'confirmed', '--output', '{', '--by', 'Ada'], /^--output is not JSON/],
    ['in no file', ['approve', 'abcd', '--by', 'Ada', '--journal', 'no.sqlite'], /^no\.sqlite: journal_cannot_read/],
    ['of no run', ['approvals', 'tael'], /run_unknown There is no run "tael"\. Did you mean "tale"\?/],
  ])('%s: refused in one sentence, with exit 2', async (_name, args, complaint) => {
    const { code, out, err } = await desk.ask(...args);
    expect([code, out]).toEqual([2, '']);
    expect(err).toMatch(complaint);
  });

  test('with an output that is too large to be left', async () => {
    const { gate } = await asked('large', ...LOSES);
    await desk.ask('approve', gate, '--by', 'Ada');
    await desk.ask('resume', 'large', ...LOSES);
    const [outcome] = await desk.json('approvals', 'large');
    const output = JSON.stringify('x'.repeat(70_000));
    const { code, err } = await desk.ask(
      'settle',
      outcome.gate,
      '--as',
      'confirmed',
      '--output',
      output,
      '--by',
      'Ada',
    );
    expect([code, err]).toEqual([2, expect.stringMatching(/^belay\.sqlite: post_too_large /)]);
  });

  test('in another file, and its commands name that', async () => {
    copyFileSync(join(desk.folder, 'belay.sqlite'), join(desk.folder, 'my letters.sqlite'));
    const { out } = await desk.ask('approvals', 'other', '--journal', 'my letters.sqlite');
    expect(out).toMatch(/\n {2}belay approve [0-9a-f]{12} --by NAME --journal 'my letters\.sqlite'\n/);
  });
});
