/** Verbs on an encrypted journal: each opens it with its key alone, and none shows what the config redacts. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { Desk } from './agents.ts';
import { belay } from './belay.ts';

const desk = new Desk(fileURLToPath(new URL('fixtures/till/agents.mjs', import.meta.url)));
afterAll(() => desk.clear());

const KEY = '0f'.repeat(32);
const CARD = '4111-1111-1111-1111';
const keyed = ['--key-file', 'key'];
writeFileSync(join(desk.folder, 'key'), `${KEY}\n`);
writeFileSync(join(desk.folder, 'raw'), Buffer.from(KEY, 'hex'));
writeFileSync(join(desk.folder, 'base64'), Buffer.from(KEY, 'hex').toString('base64'));
writeFileSync(join(desk.folder, 'other'), 'ab'.repeat(32));
writeFileSync(join(desk.folder, 'short'), 'ab'.repeat(16));

/** Asks with the key, and holds all that is said against the values. */
async function quiet(...args: string[]) {
  const asked = await desk.ask(...args, ...keyed);
  for (const secret of [CARD, 'tok_secret_9f']) expect(asked.out + asked.err).not.toContain(secret);
  return asked;
}

describe('a run of an agent that redacts', () => {
  test('is not begun in a file without a key, and leaves none behind', async () => {
    const { code, err } = await desk.ask('run', 'till');
    expect([code, err]).toEqual([2, expect.stringContaining('redaction_needs_encryption')]);
    expect((await desk.ask('runs')).err).toContain('is empty or not there');
  });

  test('shows neither card nor token in any verb, and its file holds neither', async () => {
    const input = ['--input', JSON.stringify({ card: CARD, loses: true })];
    expect((await quiet('run', 'till', '--run', 'lost', ...input)).code).toBe(1);
    const { gate, args } = JSON.parse((await quiet('approvals', '--json')).out);
    expect(args).toEqual({ card: '[redacted]', cents: 80 });
    expect((await quiet('approvals')).out).toContain(`belay approve ${gate} --by NAME --key-file key\n`);
    await quiet('approve', gate, '--by', 'Ada', '--why', `she has ${CARD}`);
    expect((await quiet('resume', 'lost', ...input)).out).toContain('parked');
    const said = await Promise.all(
      [
        ['runs'],
        ['show', 'lost'],
        ['show', 'lost', '--json'],
        ['ledger', 'lost'],
        ['ledger', 'lost', '--json'],
        ['explain', 'lost'],
        ['explain', 'lost', '--json'],
        ['approvals', '--all'],
        ['approvals', '--all', '--json'],
        ['export', 'lost', '--trace'],
      ].map((args) => quiet(...args)),
    );
    expect(said.map(({ code }) => code)).toEqual(said.map(() => 0));
    const all = said.map(({ out }) => out).join('');
    expect(all).toContain('connection reset by /pay?card=[redacted]');
    expect(all).toContain('she has [redacted]');
    for (const suffix of ['', '-wal', '-anchor', '-shm'])
      expect(tried(join(desk.folder, `belay.sqlite${suffix}`))).not.toContain(CARD);
  });

  test('is done with an output that shows neither', async () => {
    const input = ['--input', JSON.stringify({ card: CARD })];
    await quiet('run', 'till', '--run', 'paid', ...input);
    const { gate } = JSON.parse((await quiet('approvals', 'paid', '--json')).out);
    await quiet('approve', gate, '--by', 'Ada');
    const { code, out } = await quiet('resume', 'paid', '--json', ...input);
    expect(code).toBe(0);
    expect(JSON.parse(out).output).toEqual({
      paidWith: '[redacted]',
      receipt: { token: '[redacted]', card: '[redacted]' },
    });
  });
});

describe('an encrypted file', () => {
  test.each(['raw', 'base64'])('opens with the same key as %s', async (file) => {
    expect((await desk.ask('runs', '--key-file', file)).code).toBe(0);
  });

  test('opens with the key of the environment', async () => {
    const { code, out } = await belay(['runs', '--json'], '', { BELAY_JOURNAL_KEY: KEY }, desk.folder);
    expect([code, out]).toEqual([0, expect.stringContaining('"run":"lost"')]);
  });

  test.each<[string, string[], string]>([
    ['no key', [], 'journal_key_missing'],
    ['another key', ['--key-file', 'other'], 'journal_key_wrong'],
    ['half a key', ['--key-file', 'short'], 'journal_key_bad'],
    ['a file that is not there', ['--key-file', 'nowhere'], 'journal_key_bad'],
  ])('is refused with %s by every verb that reads it, with exit 2', async (_, key, code) => {
    for (const verb of [
      ['runs'],
      ['show', 'lost'],
      ['approvals'],
      ['approve', 'abcd', '--by', 'Ada'],
      ['resume', 'lost'],
    ]) {
      const asked = await desk.ask(...verb, ...key);
      // What no key can be known for is refused before the file is opened.
      const needed = verb[0] === 'resume' && key.length === 0 ? /journal_key_missing|redaction_needs/ : code;
      expect([asked.code, asked.out, asked.err]).toEqual([2, '', expect.stringMatching(needed)]);
      expect(asked.err).not.toContain('abababab');
    }
  });
});

function tried(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}
