/** Devices, links, folders and locks that are none: refused without an end being waited for. */
import { readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { configFiles, readConfig, readLock, writeLock } from '../../src/boundaries/directory.ts';
import { isReviewed, parseLock } from '../../src/boundaries/review.ts';
import { scratchFolder } from '../scratch.ts';

describe('a lock that is no lock', () => {
  const good = { agent: 'm', digest: 'a'.repeat(64), by: 'Ada', when: '2026-01-01T00:00:00.000Z' };
  const lockOf = (reviews: unknown) => JSON.stringify({ version: 1, reviews });
  test.each([
    ['nothing', ''],
    ['not JSON', '{'],
    ['null', 'null'],
    ['a list', '[]'],
    ['another version', JSON.stringify({ version: 2, reviews: {} })],
    ['a list of reviews', lockOf([good])],
    ['a review without a digest', lockOf({ f: { ...good, digest: undefined } })],
    ['a digest that is too short', lockOf({ f: { ...good, digest: 'a' } })],
    ['a reviewer without a name', lockOf({ f: { ...good, by: ' ' } })],
    ['a reviewer with a terminal command', lockOf({ f: { ...good, by: '\u001b[31m' } })],
    ['a time that is none', lockOf({ f: { ...good, when: 'yesterday' } })],
    ['megabytes', ' '.repeat(2_000_000)],
  ])('%s', (_what, text) => {
    expect('problem' in parseLock(text)).toBe(true);
  });

  test('names of the prototype in it vouch for nothing', () => {
    const read = parseLock(`{"version":1,"reviews":{"__proto__":${JSON.stringify(good)}}}`);
    expect('lock' in read && isReviewed(read.lock, { agent: 'm', digest: 'b'.repeat(64) })).toBe(false);
    expect('lock' in read && isReviewed(read.lock, { agent: 'n', digest: good.digest })).toBe(false);
    expect('lock' in read && isReviewed(read.lock, { agent: 'm', digest: good.digest })).toBe(true);
  });
});

describe('files that are no files', () => {
  const folder = scratchFolder('config');

  test('a device without an end is read as far as a config may go', () => {
    expect(readConfig('/dev/zero').findings).toMatchObject([{ code: 'too_large' }]);
  });

  test('a directory, a link to nowhere and nothing at all cannot be read', () => {
    symlinkSync(join(folder, 'nowhere'), join(folder, 'dangling.yaml'));
    for (const path of [folder, join(folder, 'dangling.yaml'), join(folder, 'none')]) {
      expect(readConfig(path).findings).toMatchObject([{ code: 'cannot_read' }]);
    }
  });

  test('a directory gives its YAML files by name, and no other', () => {
    for (const name of ['b.yml', 'a.yaml', 'c.json', 'd.yaml.bak']) writeFileSync(join(folder, name), '');
    expect(configFiles(folder).map((path) => path.slice(folder.length + 1))).toEqual([
      'a.yaml',
      'b.yml',
      'dangling.yaml',
    ]);
  });

  test('a lock without an end is no lock', () => {
    const lock = join(folder, 'belay-review.lock');
    symlinkSync('/dev/zero', lock);
    expect(readLock(join(folder, 'a.yaml'))).toEqual({ problem: 'it is larger than any lock' });
    rmSync(lock);
  });

  test('a lock is written whole, replaces what was there, and leaves no draft', () => {
    const review = { agent: 'm', digest: 'a'.repeat(64), by: 'Ada', when: '2026-01-01T00:00:00.000Z' };
    const file = join(folder, 'a.yaml');
    expect(readLock(file)).toEqual({ lock: new Map() });
    writeLock(file, new Map([['a.yaml', review]]));
    writeLock(
      file,
      new Map([
        ['b.yml', review],
        ['a.yaml', review],
      ]),
    );
    expect(readLock(file)).toEqual({
      lock: new Map([
        ['a.yaml', review],
        ['b.yml', review],
      ]),
    });
    expect(() => writeLock(join(folder, 'no', 'x.yaml'), new Map())).toThrow(/ENOENT/);
    expect(readdirSync(folder).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });
});
