/**
 * `npm run check release`: what npm would publish, without a network, and what stands against it. `--tag v1.2.3` holds a
 * release to more. `--date VERSION` dates the newest section of CHANGELOG.md; `npm version` calls it.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { released } from './changelog.mjs';
import { complaints } from './publishable.mjs';

const { values } = parseArgs({ options: { tag: { type: 'string' }, date: { type: 'string' } } });
const changelog = readFileSync('CHANGELOG.md', 'utf8');

if (values.date !== undefined) {
  writeFileSync('CHANGELOG.md', released(changelog, values.date, new Date().toISOString().slice(0, 10)));
} else {
  const json = (name) => JSON.parse(readFileSync(name, 'utf8'));
  const found = { manifest: json('package.json'), locked: json('package-lock.json').version, changelog };
  const release = values.tag === undefined ? null : { tag: values.tag };
  const wrong = complaints(found, release);
  // A dry run asks no server, and `--offline` holds it to that.
  const dry = ['publish', '--dry-run', '--offline', '--ignore-scripts', '--json'];
  const { status, stdout, stderr } = spawnSync('npm', dry, { encoding: 'utf8' });
  if (status !== 0) wrong.push(`npm publish --dry-run failed:\n${stderr}`);
  else console.log(`npm publish --dry-run: ${summary(JSON.parse(stdout))}`);
  if (
    release !== null &&
    spawnSync('npm', ['run', '--silent', 'evidence', '--', '--stale'], { stdio: 'inherit' }).status
  )
    wrong.push('figures of the documents are older than their code: compute them anew (npm run evidence)');
  for (const each of wrong) console.error(each);
  process.exitCode = wrong.length === 0 ? 0 : 1;
}

function summary(printed) {
  const { id, entryCount, unpackedSize } = printed.id === undefined ? Object.values(printed)[0] : printed;
  return `${id}, ${entryCount} files, ${unpackedSize} bytes unpacked`;
}
