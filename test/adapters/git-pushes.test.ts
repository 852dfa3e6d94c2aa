/** Commits for people and pushes of the git adapter, against a bare repository that stands for the server. */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type GitAdapter, type GitCommit, type GitPush, gitAdapter } from '../../src/adapters/index.ts';
import { asked, callOf, thrown, undoOf } from './calls.ts';
import { repository, userGit, usersView } from './git-at-work.ts';

let root: string;
let server: string;
let remove: () => void;
let git: GitAdapter;

beforeEach(() => {
  ({ root, remove } = repository({ 'a.txt': 'one\ntwo\n', 'user.txt': 'mine\n' }));
  server = join(dirname(root), 'server.git');
  execFileSync('git', ['init', '-q', '--bare', server]);
  userGit(root, 'remote', 'add', 'origin', server);
  userGit(root, 'push', '-q', 'origin', 'main');
  git = gitAdapter({ root, run: 'r1' });
});
afterEach(() => {
  git.close();
  remove();
});

const keyOf = (tool: string, nth: number) => JSON.stringify(['r1', 'Work', `${nth}`, 0, tool, 0]);
const edit = (nth: number, content: string, path = 'a.txt') => git.edit(callOf({ path, content }, keyOf('edit', nth)));
const commit = (nth: number, input: Partial<GitCommit> = {}) =>
  git.commit(callOf({ message: `change ${nth}`, ...input }, keyOf('commit', nth)));
const push = (nth: number, input: Partial<GitPush>) =>
  git.push(callOf({ commit: '', branch: 'fix', ...input } as GitPush, keyOf('push', nth)));
const look = (nth: number) => git.reconcile(asked(keyOf('push', nth)));
const onServer = (ref: string) =>
  execFileSync('git', ['-C', server, 'for-each-ref', '--format=%(objectname)', ref], { encoding: 'utf8' }).trim();
const told = (ref: string, format: string) => userGit(root, 'log', '-1', `--format=${format}`, ref).trim();

/** A clone in which another person works on the branch. */
function colleague(): { at: string; push(...args: string[]): void } {
  const at = join(dirname(root), 'colleague');
  execFileSync('git', ['clone', '-q', server, at], { stdio: 'pipe' });
  userGit(at, 'checkout', '-q', '-B', 'fix', onServer('refs/heads/fix') === '' ? 'origin/main' : 'origin/fix');
  writeFileSync(join(at, 'theirs.txt'), 'theirs\n');
  userGit(at, 'add', '-A');
  userGit(at, 'commit', '-q', '-m', 'theirs');
  return { at, push: (...args) => void userGit(at, 'push', '-q', ...args) };
}

describe('a commit for people', () => {
  test('holds all edits since the last, on the commit that the run began on, and is on no branch', async () => {
    const before = usersView(root);
    await edit(1, 'one\n2\n3\n');
    await edit(2, 'new\n', 'b.txt');
    const first = await commit(1, { author: { name: 'A. Gent', email: 'a@g' }, message: 'Say 2\n\nand why' });
    expect(first).toMatchObject({ files: 2, added: 3, removed: 1 });
    await edit(3, 'one\n2\n');
    const second = await commit(2);
    expect(second).toMatchObject({ files: 1, added: 0, removed: 1 });
    expect(userGit(root, 'log', '--format=%an %s', second.commit).trim().split('\n')).toEqual([
      'belay change 2',
      'A. Gent Say 2',
      'u start',
    ]);
    expect(told(first.commit, '%B').trim()).toBe('Say 2\n\nand why');
    expect(usersView(root)).toBe(before);
    userGit(root, 'gc', '-q', '--prune=now');
    userGit(root, 'fsck', '--strict', second.commit);
    expect(await commit(2)).toEqual(second);
    expect(await git.reconcile(asked(keyOf('commit', 2)))).toEqual({ is: 'applied', output: second });
  });

  test('is undone where none stands on it, and the next one then stands on the one before', async () => {
    await edit(1, 'one\n2\n');
    const first = await commit(1);
    await edit(2, 'one\n2\n3\n');
    await commit(2);
    expect(await git.inverse.moved(undoOf(keyOf('commit', 1)))).toBe(
      `the commit of ${keyOf('commit', 2)} stands on it`,
    );
    const both = { ...undoOf(keyOf('commit', 1)), undoneBefore: [keyOf('commit', 2)] };
    expect(await git.inverse.moved(both)).toBe(null);
    await git.inverse.undo(undoOf(keyOf('commit', 2)));
    const third = await commit(3);
    expect(told(third.commit, '%P')).toBe(first.commit);
    await expect(commit(2)).rejects.toThrow('was undone');
  });

  test('is refused without a change, a message or an author that git can write', async () => {
    expect(await thrown(() => commit(1))).toMatchObject({ applied: 'no' });
    await edit(1, 'x\n');
    for (const bad of [{ message: ' ' }, { message: 'a\0b' }, { author: { name: 'a>', email: 'b' } }, { author: 'me' }])
      await expect(commit(2, bad as Partial<GitCommit>)).rejects.toMatchObject({ code: 'bad_input' });
    await commit(3);
    await expect(commit(4)).rejects.toMatchObject({ code: 'bad_input' });
    expect(userGit(root, 'log', '--first-parent', '--format=%s', git.ref).trim().split('\n')).toEqual([
      'commit: change 3',
      'write a.txt',
      'start',
    ]);
  });
});

describe('a push', () => {
  test('sends the commit alone to a branch and to a tag, once under its key', async () => {
    await edit(1, 'one\n2\n');
    const { commit: oid } = await commit(1);
    expect(await push(1, { commit: oid })).toEqual({ remote: 'origin', ref: 'refs/heads/fix', commit: oid });
    expect(await push(2, { commit: oid, branch: undefined as never, tag: 'v1' })).toMatchObject({
      ref: 'refs/tags/v1',
    });
    expect([onServer('refs/heads/fix'), onServer('refs/tags/v1')]).toEqual([oid, oid]);
    expect(execFileSync('git', ['-C', server, 'log', '--format=%s', 'fix'], { encoding: 'utf8' })).toBe(
      'change 1\nstart\n',
    );
    expect(onServer('refs/belay')).toBe('');
    expect(await push(1, { commit: oid })).toMatchObject({ commit: oid });
    await expect(push(1, { commit: oid, branch: 'other' })).rejects.toThrow('names another request');
    expect(await git.inverse.moved(undoOf(keyOf('push', 1)))).toBe('others have refs/heads/fix of origin');
    await expect(git.inverse.undo(undoOf(keyOf('push', 1)))).rejects.toThrow('nothing that can be undone');
    expect(told(git.ref, '%s')).toBe(`push ${oid} to refs/tags/v1 of origin`);
  });

  test('whose reply was lost is found, also under later commits, and after the branch was merged and deleted', async () => {
    await edit(1, 'one\n2\n');
    const { commit: oid } = await commit(1);
    expect(await look(1)).toEqual({ is: 'not_applied' });
    await push(1, { commit: oid });
    const found = { is: 'applied', output: { remote: 'origin', ref: 'refs/heads/fix', commit: oid } };
    expect(await look(1)).toEqual(found);
    const { at, push: theirs } = colleague();
    theirs('origin', 'fix');
    const other = gitAdapter({ root, run: 'r1' });
    expect(await other.reconcile(asked(keyOf('push', 1)))).toEqual(found);
    // The same call again, by a process that lost the reply: the branch has moved on, and stays.
    expect(await other.push(callOf({ commit: oid, branch: 'fix' }, keyOf('push', 1)))).toMatchObject({ commit: oid });
    expect(onServer('refs/heads/fix')).toBe(userGit(at, 'rev-parse', 'fix').trim());
    other.close();
    theirs('origin', `${oid}:refs/pull/1/head`);
    theirs('origin', ':fix');
    expect(await look(1)).toEqual(found);
  });

  test('never overwrites: a branch that others moved refuses it, and a branch that others rewrote is not known', async () => {
    await edit(1, 'one\n2\n');
    const { commit: oid } = await commit(1);
    const { push: theirs } = colleague();
    theirs('origin', 'fix');
    const theirOid = onServer('refs/heads/fix');
    expect(await thrown(() => push(1, { commit: oid }))).toMatchObject({ applied: 'no' });
    await expect(push(1, { commit: oid })).rejects.toMatchObject({ code: 'moved' });
    expect([onServer('refs/heads/fix'), await look(1)]).toEqual([theirOid, { is: 'unknown' }]);
  });

  test('is refused where the server declines it, and unknown where the server cannot be reached', async () => {
    await edit(1, 'one\n2\n');
    const { commit: oid } = await commit(1);
    const hook = join(server, 'hooks/pre-receive');
    writeFileSync(hook, '#!/bin/sh\nexit 1\n');
    chmodSync(hook, 0o755);
    await expect(push(1, { commit: oid })).rejects.toMatchObject({ code: 'declined' });
    expect(await look(1)).toEqual({ is: 'not_applied' });
    userGit(root, 'remote', 'set-url', 'origin', join(dirname(root), 'gone.git'));
    expect((await thrown(() => push(2, { commit: oid }))).applied).toBe('unknown');
    await expect(look(2)).rejects.toThrow('git ls-remote failed');
  });

  test('runs no hook of the checkout', async () => {
    const hook = join(root, '.husky/pre-push');
    mkdirSync(dirname(hook));
    writeFileSync(hook, '#!/bin/sh\nexit 1\n');
    chmodSync(hook, 0o755);
    userGit(root, 'config', 'core.hooksPath', '.husky');
    await edit(1, 'one\n2\n');
    const { commit: oid } = await commit(1);
    expect(await push(1, { commit: oid })).toMatchObject({ commit: oid });
  });

  test('is refused for what is no commit of the run, no ref and no remote, and nothing is written', async () => {
    await edit(1, 'one\n2\n');
    const { commit: oid } = await commit(1);
    const head = userGit(root, 'rev-parse', 'HEAD').trim();
    const tip = userGit(root, 'rev-parse', git.ref);
    const bad: Partial<GitPush>[] = [
      { commit: head },
      { commit: 'main' },
      { commit: oid, branch: 'a..b' },
      { commit: oid, branch: '' },
      { commit: oid, tag: 'also' },
      { commit: oid, remote: '--upload-pack=x' },
      { commit: oid, remote: 'ext::sh -c x' },
      { commit: oid, remote: 'nowhere' },
    ];
    for (const input of bad) await expect(push(9, input)).rejects.toMatchObject({ code: 'bad_input' });
    expect(userGit(root, 'rev-parse', git.ref)).toBe(tip);
    await git.inverse.undo(undoOf(keyOf('commit', 1)));
    await expect(push(9, { commit: oid })).rejects.toMatchObject({ code: 'bad_input' });
    expect(onServer('refs/heads/fix')).toBe('');
  });
});
