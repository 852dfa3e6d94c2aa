/** A release: the changelog is dated, and what stands against a release is said. */
import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { released, sectionsOf } from '../../scripts/changelog.mjs';
import { complaints } from '../../scripts/publishable.mjs';
import { read, root } from '../pages.ts';

const CHANGELOG = '# Changelog\n\nA rule.\n\n## 0.2.0 (unreleased)\n\n- New.\n\n## 0.1.0 (2026-01-02)\n\n- Old.\n';
const MANIFEST = {
  version: '0.2.0',
  publishConfig: { access: 'public', provenance: true },
  repository: { type: 'git', url: 'https://example.org/belay.git' },
};
const FOUND = { manifest: MANIFEST, locked: '0.2.0', changelog: CHANGELOG };

test('dates the newest section and leaves the others, and refuses where nothing is unreleased', () => {
  const dated = released(CHANGELOG, '0.3.0', '2026-02-03');
  expect(sectionsOf(dated)).toEqual([
    { version: '0.3.0', date: '2026-02-03', body: '- New.' },
    { version: '0.1.0', date: '2026-01-02', body: '- Old.' },
  ]);
  expect(() => released(dated, '0.4.0', '2026-03-04')).toThrow('(unreleased)');
});

test('lets a package through on the way, and a release once the section is dated', () => {
  expect(complaints(FOUND, null)).toEqual([]);
  expect(complaints(FOUND, { tag: 'v0.2.0' })).toEqual([expect.stringContaining('0.2.0, unreleased')]);
  const changelog = released(CHANGELOG, '0.2.0', '2026-02-03');
  expect(complaints({ ...FOUND, changelog }, { tag: 'v0.2.0' })).toEqual([]);
});

test.each([
  ['another version in the lockfile', { ...FOUND, locked: '0.1.9' }, null, 'package-lock.json 0.1.9'],
  ['no section', { ...FOUND, changelog: '# Changelog\n' }, null, 'has no section'],
  [
    'an empty section',
    { ...FOUND, changelog: '## 0.2.0 (unreleased)\n\n## 0.1.0 (2026-01-02)\n\n- Old.' },
    null,
    'says nothing',
  ],
  ['no provenance', { ...FOUND, manifest: { ...MANIFEST, publishConfig: { access: 'public' } } }, null, 'provenance'],
  ['no access', { ...FOUND, manifest: { ...MANIFEST, publishConfig: { provenance: true } } }, null, 'access'],
  [
    'another tag',
    { ...FOUND, changelog: released(CHANGELOG, '0.2.0', '2026-02-03') },
    { tag: 'v0.2.1' },
    'the tag is v0.2.1',
  ],
  [
    'no repository',
    {
      ...FOUND,
      manifest: { ...MANIFEST, repository: undefined },
      changelog: released(CHANGELOG, '0.2.0', '2026-02-03'),
    },
    { tag: 'v0.2.0' },
    'names no repository',
  ],
])('says what is wrong with %s', (_, found, release, said) => {
  expect(complaints(found, release)).toEqual([expect.stringContaining(said)]);
});

test('the package of this repository may be packed as it is', () => {
  const [manifest, lock] = [JSON.parse(read('package.json')), JSON.parse(read('package-lock.json'))];
  expect(complaints({ manifest, locked: lock.version, changelog: read('CHANGELOG.md') }, null)).toEqual([]);
});

test('the workflow of a release signs without a token, and runs files and scripts that there are', () => {
  const { permissions, jobs } = parse(read('.github/workflows/release.yml'));
  expect(permissions).toEqual({ contents: 'read', 'id-token': 'write' });
  const runs: string[] = jobs.publish.steps.flatMap(({ run }: { run?: string }) => run ?? []);
  expect(runs.at(-1)).toBe('npm publish');
  const files = runs.flatMap((run) => [...run.matchAll(/(?:bash|node) (\S+)/g)].map(([, file]) => file as string));
  expect(files).toEqual(['.ci/run', 'scripts/release.mjs']);
  expect(files.filter((file) => !existsSync(`${root}/${file}`))).toEqual([]);
});
