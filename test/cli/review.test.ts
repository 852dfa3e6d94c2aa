import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, test } from 'vitest';
import { readConfig, readLock } from '../../src/boundaries/directory.ts';
import { isReviewed } from '../../src/boundaries/review.ts';
import { PLAIN } from '../boundaries/config.ts';
import { scratchFolder } from '../scratch.ts';
import { belay } from './belay.ts';

const fixtures = fileURLToPath(new URL('../boundaries/fixtures', import.meta.url));
const root = scratchFolder('review');

let number = 0;
let folder = '';
let file = '';
beforeEach(() => {
  number += 1;
  folder = join(root, String(number));
  mkdirSync(folder);
  file = join(folder, 'm.yaml');
  writeFileSync(file, PLAIN);
});
const lockFile = () => join(folder, 'belay-review.lock');

describe('belay review', () => {
  test('says that a config is not reviewed yet, and ends with 1', async () => {
    const { code, out, err } = await belay(['review', file]);
    expect([code, err]).toEqual([1, '']);
    expect(out).toMatch(/m\.yaml: m, digest [0-9a-f]{16}: not reviewed yet\n/);
    expect(out).toContain('No machine was given');
    expect(existsSync(lockFile())).toBe(false);
  });

  test('writes down who has vouched for which content, and says so from then on', async () => {
    const accepted = await belay(['review', file, '--accept', '--by', 'Ada Lovelace']);
    expect([accepted.code, accepted.err]).toEqual([0, '']);
    const digest = readConfig(file).config?.digest;
    const lock = JSON.parse(readFileSync(lockFile(), 'utf8'));
    expect(lock).toEqual({
      version: 1,
      reviews: {
        'm.yaml': { agent: 'm', digest, by: 'Ada Lovelace', when: expect.stringMatching(/^\d{4}-\d\d-\d\dT/) },
      },
    });
    const again = await belay(['review', file]);
    expect(again.code).toBe(0);
    expect(again.out).toMatch(/: reviewed by Ada Lovelace on \d{4}-\d\d-\d\d\n/);
    expect(readdirSync(folder).sort()).toEqual(['belay-review.lock', 'm.yaml']);
  });

  test('shows and accepts each config of a directory, and ends with 1 where one is not reviewed', async () => {
    writeFileSync(join(folder, 'n.yaml'), PLAIN.replace('agent: m', 'agent: n'));
    const first = await belay(['review', folder]);
    expect([first.code, first.err]).toEqual([1, '']);
    expect(first.out).toMatch(/m\.yaml: m, digest [0-9a-f]{16}: not reviewed yet\n/);
    expect(first.out).toMatch(/n\.yaml: n, digest [0-9a-f]{16}: not reviewed yet\n/);
    await belay(['review', file, '--accept', '--by', 'Ada']);
    const half = await belay(['review', folder, '--json']);
    expect([half.code, JSON.parse(half.out).map(({ reviewed }: { reviewed: boolean }) => reviewed)]).toEqual([
      1,
      [true, false],
    ]);
    expect((await belay(['review', folder, '--accept', '--by', 'Ada'])).code).toBe(0);
    const empty = join(folder, 'empty');
    mkdirSync(empty);
    expect(await belay(['review', empty])).toEqual({
      code: 2,
      out: '',
      err: `${empty}: no_config there is no *.yaml or *.yml in it\n`,
    });
  });

  test('has belay check warn once the content is not the reviewed one any more', async () => {
    const stale = async () =>
      (await belay(['check', file])).out.includes(' warning review_stale it has changed since Ada ');
    expect(await stale()).toBe(false);
    await belay(['review', file, '--accept', '--by', 'Ada']);
    expect(await stale()).toBe(false);
    writeFileSync(file, PLAIN.replace('effect: none', 'effect: idempotent'));
    expect(await stale()).toBe(true);
    writeFileSync(lockFile(), '{');
    expect((await belay(['check', file])).out).toContain('warning review_stale the review lock beside it is not read');
  });

  test('says how the content differs from what was reviewed, but not for comments', async () => {
    await belay(['review', file, '--accept', '--by', 'Ada']);
    writeFileSync(file, `# a comment\n${PLAIN}`);
    expect((await belay(['review', file])).code).toBe(0);
    writeFileSync(file, PLAIN.replace('effect: none', 'effect: idempotent'));
    const { code, out } = await belay(['review', file]);
    expect(code).toBe(1);
    expect(out).toMatch(/: changed since Ada on \d{4}-\d\d-\d\d reviewed [0-9a-f]{16}\n/);
    const read = readLock(file);
    const config = readConfig(file).config;
    if (config === null || 'problem' in read) throw new Error('unreadable');
    expect(isReviewed(read.lock, config)).toBe(false);
  });

  test('keeps the reviews of other files, sorted', async () => {
    const other = join(folder, 'a.yaml');
    writeFileSync(other, PLAIN.replace('agent: m', 'agent: a'));
    await belay(['review', file, '--accept', '--by', 'Ada']);
    await belay(['review', other, '--accept', '--by', 'Grace']);
    const { reviews } = JSON.parse(readFileSync(lockFile(), 'utf8'));
    expect(Object.keys(reviews)).toEqual(['a.yaml', 'm.yaml']);
    expect(reviews['m.yaml'].by).toBe('Ada');
  });

  test('knows the content under another name', async () => {
    await belay(['review', file, '--accept', '--by', 'Ada']);
    const renamed = join(folder, 'renamed.yaml');
    writeFileSync(renamed, PLAIN);
    expect(await belay(['review', renamed])).toMatchObject({
      code: 0,
      out: expect.stringContaining('reviewed by Ada'),
    });
  });

  test('vouches for nothing that is wrong', async () => {
    writeFileSync(file, PLAIN.replace('effect: none', 'effect: non'));
    const { code, out } = await belay(['review', file, '--accept', '--by', 'Ada']);
    expect(code).toBe(1);
    expect(out).toContain('not_one_of "non" is not known as "effect"');
    expect(existsSync(lockFile())).toBe(false);
  });

  test('vouches for nothing that does not fit its machine', async () => {
    const path = join(folder, 'schedule-form.yaml');
    writeFileSync(
      path,
      readFileSync(`${fixtures}/schedule-form.yaml`, 'utf8').replace(
        'at: SUBMITTING -> DONE',
        'at: SUBMITTING -> DOEN',
      ),
    );
    const { code, out } = await belay([
      'review',
      path,
      '--machines',
      `${fixtures}/machines.mjs`,
      '--accept',
      '--by',
      'Ada',
    ]);
    expect(code).toBe(1);
    expect(out).toContain('unknown_state "DOEN" is not a state of schedule-form');
    expect(existsSync(lockFile())).toBe(false);
  });

  test('shows the edges that are not recoverable, and proposes nothing: belay init does', async () => {
    const { out } = await belay(['review', `${fixtures}/schedule-form.yaml`, '--machines', `${fixtures}/machines.mjs`]);
    expect(out).toContain(
      'Legal but not recoverable:\n  SUBMITTING -> SLOT_READY (xstate.error.actor.0.schedule-form.SUBMITTING) leaves Submit: no boundary lies on it\n',
    );
    expect(out).not.toContain('A skeleton could own');
  });

  test('is loud about conditions in code', async () => {
    writeFileSync(file, PLAIN.replace("'memory.out[?entity].hasValue()'", '{ guard: ready@0123456789abcdef }'));
    const { out } = await belay(['review', file]);
    expect(out).toContain(
      'CODE THAT THIS CONFIG TRUSTS, and that no reader of it can see:\n  ready@0123456789abcdef decides "done" of Unit\n',
    );
    expect(out).toContain('warning guard_missing');
  });

  test('--json is the same for a program', async () => {
    await belay(['review', file, '--accept', '--by', 'Ada']);
    const { code, out } = await belay(['review', file, '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      file,
      agent: 'm',
      reviewed: true,
      review: { by: 'Ada' },
      guards: [],
      notRecoverable: null,
    });
  });
});

describe('belay review ends with 2 and one line', () => {
  test.each([
    ['an acceptance by nobody', ['--accept'], '--accept needs --by NAME: who vouches for it\n'],
    ['an acceptance by spaces', ['--accept', '--by', '  '], '--accept needs --by NAME: who vouches for it\n'],
    ['a name with controls', ['--accept', '--by', '\u001b[31mAda'], '--accept needs --by NAME: who vouches for it\n'],
  ])('for %s', async (_what, args, complaint) => {
    expect(await belay(['review', file, ...args])).toEqual({ code: 2, out: '', err: complaint });
    expect(existsSync(lockFile())).toBe(false);
  });

  test('for a file that is not there', async () => {
    expect(await belay(['review', join(folder, 'none.yaml')])).toMatchObject({
      code: 2,
      out: '',
      err: expect.stringMatching(/none\.yaml: cannot_read ENOENT.*\n$/),
    });
  });

  test('for a lock that is none: it vouches for nothing and is not written over', async () => {
    writeFileSync(lockFile(), '{"version":1');
    const { code, err } = await belay(['review', file, '--accept', '--by', 'Ada']);
    expect([code, err]).toEqual([2, `the review lock beside ${file}: cannot_read it is not JSON\n`]);
    expect(readFileSync(lockFile(), 'utf8')).toBe('{"version":1');
  });

  test('for a lock that cannot be written', async () => {
    mkdirSync(lockFile());
    const { code, err } = await belay(['review', file, '--accept', '--by', 'Ada']);
    expect(code).toBe(2);
    expect(err).toMatch(/the review lock beside .*: cannot_read EISDIR.*\n$/);
  });
});
