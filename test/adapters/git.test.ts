/** Edits of a repository: one commit each on a hidden ref, undone one by one, and nothing of the user's is touched. */
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type GitAdapter, type GitEdit, GitRefused, gitAdapter } from '../../src/adapters/index.ts';
import { asked, callOf, thrown, undoOf } from './calls.ts';
import { LINES, repository, userGit, usersView } from './git-at-work.ts';
import { killRuns } from './git-kills.ts';

let root: string;
let remove: () => void;
let git: GitAdapter;

beforeEach(() => {
  ({ root, remove } = repository({
    'src/a.ts': `${LINES.join('\n')}\n`,
    'user.txt': 'mine\n',
    '.gitignore': 'out/\n',
  }));
  writeFileSync(join(root, 'user.txt'), 'mine, staged\n');
  userGit(root, 'add', 'user.txt');
  git = gitAdapter({ root, run: 'r1' });
});
afterEach(() => {
  git.close();
  remove();
});

const held = (path: string) => readFileSync(join(root, path), 'utf8');
const keyOf = (nth: number) => JSON.stringify(['r1', 'Edit', `${nth}`, 0, 'edit', 0]);
const edit = (nth: number, input: GitEdit) => git.edit(callOf(input, keyOf(nth)));
const moved = async (nth: number) => git.inverse.moved(undoOf(keyOf(nth)));
const undo = async (nth: number) => git.inverse.undo(undoOf(keyOf(nth)));

/** Changes one line of a file. */
function line(nth: number, path: string, at: number, text: string) {
  const lines = held(path).split('\n');
  lines[at] = text;
  return edit(nth, { path, content: lines.join('\n'), decision: `plan#${nth}`, cost: { cents: nth } });
}

describe('an edit', () => {
  test('is one commit on the hidden ref, and the third of seven is undone alone', async () => {
    const before = usersView(root);
    for (const [index, at] of [3, 10, 20, 30, 40, 50, 55].entries()) {
      expect(await line(index + 1, 'src/a.ts', at, `by ${index + 1}`)).toMatchObject({ added: 1, removed: 1 });
    }
    expect(await moved(3)).toBe(null);
    await undo(3);
    await undo(3);
    const lines = held('src/a.ts').split('\n');
    expect([3, 10, 20, 30, 40, 50, 55].map((at) => lines[at])).toEqual([
      'by 1',
      'by 2',
      'line 20',
      'by 4',
      'by 5',
      'by 6',
      'by 7',
    ]);
    expect(userGit(root, 'show', `${git.ref}:src/a.ts`)).toBe(held('src/a.ts'));
    expect(Number(userGit(root, 'rev-list', '--count', `main..${git.ref}`))).toBe(8);
    const costs = userGit(
      root,
      'log',
      '--reverse',
      '--format=%(trailers:key=Belay-Cost,valueonly,separator=)',
      git.ref,
    );
    expect(costs.trim().split('\n').filter(Boolean)).toEqual([1, 2, 3, 4, 5, 6, 7].map((cents) => `cents=${cents}`));
    expect(usersView(root)).toBe(before);
    userGit(root, 'fsck', '--strict');
  });

  test('is made once under its key, and another request under the key is refused', async () => {
    const first = await line(1, 'src/a.ts', 3, 'x');
    writeFileSync(join(root, 'src/a.ts'), 'by hand');
    expect(await edit(1, { path: 'src/a.ts', content: `${LINES.with(3, 'x').join('\n')}\n` })).toEqual(first);
    expect(held('src/a.ts')).toBe('by hand');
    expect((await thrown(() => edit(1, { path: 'src/a.ts', content: 'y' }))).applied).toBe('unknown');
    expect(await git.reconcile(asked(keyOf(1)))).toEqual({ is: 'applied', output: first });
    expect(await git.reconcile(asked(keyOf(2)))).toEqual({ is: 'not_applied' });
  });

  test('creates, deletes, renames, and keeps mode bits and line ends; each is undone', async () => {
    userGit(root, 'config', 'core.autocrlf', 'true');
    writeFileSync(join(root, 'dos.bat'), 'a\r\nb\r\n');
    chmodSync(join(root, 'src/a.ts'), 0o755);
    await edit(1, { path: 'new/b.ts', content: 'b\n', executable: true });
    await edit(2, { path: 'user.txt', content: null });
    await edit(3, { from: 'src/a.ts', path: 'lib/a.ts' });
    await edit(4, { path: 'dos.bat', content: 'a\r\nc\r\n' });
    expect(statSync(join(root, 'new/b.ts')).mode & 0o111).not.toBe(0);
    expect(statSync(join(root, 'lib/a.ts')).mode & 0o111).not.toBe(0);
    expect([existsSync(join(root, 'user.txt')), existsSync(join(root, 'src/a.ts'))]).toEqual([false, false]);
    for (const nth of [1, 2, 3, 4]) {
      expect(await moved(nth)).toBe(null);
      await undo(nth);
    }
    expect(existsSync(join(root, 'new/b.ts'))).toBe(false);
    expect([held('user.txt'), held('dos.bat')]).toEqual(['mine, staged\n', 'a\r\nb\r\n']);
    expect([statSync(join(root, 'src/a.ts')).mode & 0o777, existsSync(join(root, 'lib/a.ts'))]).toEqual([0o755, false]);
  });
});

describe('a later change', () => {
  test('of the same lines is named by its call, and the undo changes nothing', async () => {
    await line(4, 'src/a.ts', 30, 'by 4');
    await line(5, 'src/a.ts', 3, 'by 5');
    await line(8, 'src/a.ts', 30, 'by 8');
    expect(await moved(4)).toBe(`src/a.ts: the same lines were changed by ${keyOf(8)}`);
    const before = held('src/a.ts');
    await expect(undo(4)).rejects.toThrow('later calls');
    expect(held('src/a.ts')).toBe(before);
    await undo(8);
    expect(await moved(4)).toBe(null);
    await undo(4);
    expect(held('src/a.ts').split('\n').slice(29, 31)).toEqual(['line 29', 'line 30']);
  });

  test('by hand is never overwritten', async () => {
    await line(1, 'src/a.ts', 3, 'x');
    writeFileSync(join(root, 'src/a.ts'), 'by hand');
    await expect(line(2, 'src/a.ts', 0, 'y')).rejects.toMatchObject({ code: 'moved' });
    expect(await moved(1)).toContain('src/a.ts was changed');
    await expect(undo(1)).rejects.toThrow('was changed');
    expect(held('src/a.ts')).toBe('by hand');
  });

  test('put back by hand after the call stays as it is over a restart', async () => {
    const was = held('src/a.ts');
    await line(1, 'src/a.ts', 3, 'x');
    writeFileSync(join(root, 'src/a.ts'), was);
    const again = gitAdapter({ root, run: 'r1' });
    expect((await again.reconcile(asked(keyOf(1)))).is).toBe('applied');
    again.close();
    expect(held('src/a.ts')).toBe(was);
  });
});

test('two runs on one checkout, and one in a worktree, have a ref each', async () => {
  const other = gitAdapter({ root, run: 'r2' });
  const each = Array.from({ length: 10 }, (_, nth) => nth);
  await Promise.all(
    each.flatMap((nth) => [
      edit(nth, { path: `p${nth}`, content: 'p' }),
      other.edit(callOf({ path: `q${nth}`, content: 'q' }, `q${nth}`)),
    ]),
  );
  const count = (ref: string) => Number(userGit(root, 'rev-list', '--count', `main..${ref}`));
  expect([count(git.ref), count(other.ref)]).toEqual([10, 10]);
  other.close();
  userGit(root, 'worktree', 'add', '-q', '--detach', '../second');
  const second = gitAdapter({ root: join(root, '../second'), run: 'r3' });
  await second.edit(callOf({ path: 'src/a.ts', content: 'second' }, 'w'));
  second.close();
  expect([held('src/a.ts').startsWith('line 0'), count(second.ref)]).toEqual([true, 1]);
});

test('ignored files are named', async () => {
  mkdirSync(join(root, 'out'));
  writeFileSync(join(root, 'out/x'), '');
  expect(await git.ignored()).toEqual(['out/']);
});

test('what leads elsewhere is refused, and nothing is changed', async () => {
  symlinkSync('/', join(root, 'link'));
  mkdirSync(join(root, 'inner/.git'), { recursive: true });
  const paths = [
    '../a',
    '/a',
    'a//b',
    './a',
    '.git/config',
    'src/.GIT/x',
    '.git./x',
    'git~1/x',
    'a\nb',
    '-a',
    'src/-a',
  ];
  for (const path of [...paths, 'link/a', 'inner/a', 'src', '']) {
    const refused = await edit(1, { path, content: 'x' }).catch((error: unknown) => error);
    expect([path, refused instanceof GitRefused && refused.code]).toEqual([path, 'bad_path']);
  }
  await expect(edit(1, { path: 'a', from: '../b' })).rejects.toMatchObject({ code: 'bad_path' });
  await expect(edit(1, { path: 'a' })).rejects.toMatchObject({ code: 'bad_input' });
  await expect(edit(1, { path: 'a', content: 'x', cost: { 'a\n': 1 } })).rejects.toMatchObject({ code: 'bad_input' });
  expect(userGit(root, 'for-each-ref', 'refs/belay').trim()).toBe('');
  expect(() => gitAdapter({ root: join(root, 'src'), run: 'r' })).toThrow('top of a checkout');
});

test('processes killed at any moment leave each edit once, the ref as the files, and the user alone', async () => {
  const { kills, wrong } = await killRuns({ kills: 8, seed: 7 });
  expect(wrong).toEqual([]);
  expect(kills).toBeGreaterThanOrEqual(8);
});
