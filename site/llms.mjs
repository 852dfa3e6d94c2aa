/** Writes the documents as plain text: `llms.txt` lists the pages, `llms-full.txt` has them, and each page has its source. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { address, groups, source, summaryOf, titleOf } from './pages.mjs';

/** The groups that a model needs for the use of the package; the others are listed as optional. */
const OPTIONAL = new Set(['Evidence', 'The code', 'More', 'Rehearsals', 'Decisions']);
/** Pages that have nothing to read. */
const UNREAD = new Set(['playground.md']);

export function writeTexts(folder) {
  const listed = groups().map(([group, paths]) => [group, paths.filter((path) => !UNREAD.has(path))]);
  const readme = source('README.md');
  const parts = [`# ${titleOf(readme)}`, `> ${summaryOf(readme)}`];
  const optional = [];
  for (const [group, paths] of listed) {
    const lines = paths.map((path) => `- [${titleOf(source(path))}](/${address(path)}): ${summaryOf(source(path))}`);
    if (OPTIONAL.has(group)) optional.push(...lines);
    else parts.push(`## ${group}`, lines.join('\n'));
  }
  parts.push('## Optional', optional.join('\n'));
  writeFileSync(join(folder, 'llms.txt'), `${parts.join('\n\n')}\n`);

  const needed = listed.filter(([group]) => !OPTIONAL.has(group)).flatMap(([, paths]) => paths);
  const whole = needed.map((path) => `<!-- ${path} -->\n\n${source(path).trim()}\n`);
  writeFileSync(join(folder, 'llms-full.txt'), whole.join('\n'));

  for (const path of listed.flatMap(([, paths]) => paths)) {
    const file = join(folder, address(path));
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, source(path));
  }
}
