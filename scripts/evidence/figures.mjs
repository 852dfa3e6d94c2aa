/**
 * The figures of the documents. A figure is marked by a comment behind the text that names it:
 *
 *     <!-- figure NAME: COMMAND
 *     about: PATHS OF ITS CODE
 *     says: NUMBERS THAT THE TEXT AND THE COMMAND SAY; ANOTHER -->
 *
 * The last line may be left out: of a table that its command writes, or of a text that names no number.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const MARK = /<!-- figure ([\w-]+): (.+)\n\s*about: (.+?)(?:\n\s*says: (.+?))?\s*-->/g;

/** The pages that may name figures. */
function pages(root) {
  const docs = readdirSync(join(root, 'docs')).filter((name) => name.endsWith('.md'));
  return ['README.md', ...docs.map((name) => `docs/${name}`)];
}

/** The figures that a page marks. */
export function figuresOf(page, text) {
  return [...text.matchAll(MARK)].map(([, name, command, about, says]) => ({
    name,
    page,
    command,
    about: about.split(/\s+/),
    says: says === undefined ? [] : says.split(/;\s*/),
  }));
}

/** Every figure of the documents. */
export function allFigures(root) {
  return pages(root).flatMap((page) => figuresOf(page, readFileSync(join(root, page), 'utf8')));
}

/** What a figure says that a command has not printed, by its first number; thousands may be set apart or not. */
export function unsaid({ says }, printed) {
  const bare = printed.replace(/(?<=\d)[,_\u202f](?=\d{3})/g, '');
  return says.filter((each) => {
    const number = /\d[\d,.]*\d|\d/.exec(each)?.[0].replaceAll(',', '') ?? each;
    return !new RegExp(`(?<![\\d.])${number.replaceAll('.', '\\.')}(?![\\d]|\\.\\d)`).test(bare);
  });
}

/** Why a figure is stale; null if its command and its code are those of the commit at which it was computed. */
export function staleness(figure, computed, changed) {
  const known = computed[figure.name];
  if (known === undefined) return 'never computed';
  if (known.command !== figure.command) return `computed by another command: ${known.command}`;
  const files = changed(known.commit, figure.about);
  if (files === null) return `computed at ${known.commit.slice(0, 8)}, which this clone does not have`;
  if (files.length === 0) return null;
  return `computed at ${known.commit.slice(0, 8)}; ${files.length} ${files.length === 1 ? 'file has' : 'files have'} changed since: ${files[0]}${files.length > 1 ? ', …' : ''}`;
}

/** The files under some paths that differ from a commit, those that are not committed included; null for an unknown commit. */
export function changedSince(root) {
  return (commit, paths) => {
    const git = (...args) => spawnSync('git', args, { cwd: root, encoding: 'utf8' });
    const { status, stdout } = git('diff', '--name-only', commit, '--', ...paths);
    if (status !== 0) return null;
    const unknown = git('ls-files', '--others', '--exclude-standard', '--', ...paths).stdout;
    return [...stdout.split('\n'), ...unknown.split('\n')].filter((name) => name !== '');
  };
}
