/**
 * What an edit of the git adapter costs: `npm run bench git`.
 *
 * 1. The time of an edit with the commands that stay, in a repository of 3,000 files (goal: p95 of at most 20 ms).
 * 2. What seven edits of one line in a file of 93 KB add to the repository, beside whole copies of the file before and after.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gitAdapter } from '../src/adapters/index.ts';

const FILES = 3_000;
const EDITS = 300;
const MOST_P95 = 20;
const LINES = 2_000;

const root = mkdtempSync(join(tmpdir(), 'belay-git-'));
const git = (...args: string[]) =>
  execFileSync('git', ['-C', root, '-c', 'user.name=u', '-c', 'user.email=u@u', ...args]);
const signal = new AbortController().signal;

/** The bytes of all files below a folder. */
function sizeOf(folder: string): number {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => statSync(join(folder, name)))
    .reduce((sum, each) => sum + (each.isFile() ? each.size : 0), 0);
}

git('init', '-q', '-b', 'main');
for (let nth = 0; nth < FILES; nth += 1) {
  mkdirSync(join(root, `dir${nth % 30}`), { recursive: true });
  writeFileSync(join(root, `dir${nth % 30}/${nth}.txt`), `${nth}\n`);
}
const lines = Array.from({ length: LINES }, (_, nth) => `line ${nth} of a file that is edited line by line`);
writeFileSync(join(root, 'long.txt'), lines.join('\n'));
git('add', '-A');
git('commit', '-q', '-m', 'start');

const adapter = gitAdapter({ root, run: 'bench' });
const edit = (path: string, content: string, key: string) => adapter.edit({ input: { path, content }, key, signal });
try {
  const before = sizeOf(join(root, '.git'));
  for (let nth = 0; nth < 7; nth += 1) {
    lines[nth * 200] += ` by ${nth}`;
    await edit('long.txt', lines.join('\n'), `long ${nth}`);
  }
  const added = sizeOf(join(root, '.git')) - before;
  const copies = 14 * statSync(join(root, 'long.txt')).size;
  const times: number[] = [];
  for (let nth = 0; nth < EDITS; nth += 1) {
    const start = performance.now();
    await edit(`dir${nth % 30}/${nth}.txt`, `${nth}, edited\n`, `edit ${nth}`);
    times.push(performance.now() - start);
  }
  times.sort((one, other) => one - other);
  const at = (share: number) => (times[Math.floor(times.length * share)] as number).toFixed(1);
  console.log(
    `an edit in ${FILES} files: p50 ${at(0.5)} ms, p95 ${at(0.95)} ms (goal: ${MOST_P95} ms), ${EDITS} edits`,
  );
  console.log(
    `7 edits of one line: ${Math.round(added / 1000)} kB in the repository, ${Math.round(copies / 1000)} kB as 14 whole copies`,
  );
  process.exitCode = Number(at(0.95)) <= MOST_P95 ? 0 : 1;
} finally {
  adapter.close();
  rmSync(root, { recursive: true, force: true });
}
