/** A repository of a user for each test, with an edit that is staged and one that is not. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

export const LINES = Array.from({ length: 60 }, (_, line) => `line ${line}`);

/** Runs git as the user does. */
export function userGit(root: string, ...args: string[]): string {
  return execFileSync('git', ['-C', root, '-c', 'user.name=u', '-c', 'user.email=u@u', ...args], { encoding: 'utf8' });
}

/** A repository with one commit of these files. */
export function repository(files: Readonly<Record<string, string>>): { root: string; remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'belay-git-'));
  const root = join(folder, 'root');
  mkdirSync(root);
  userGit(root, 'init', '-q', '-b', 'main');
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
  userGit(root, 'add', '-A');
  userGit(root, 'commit', '-q', '-m', 'start');
  return { root, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** What the user sees of a repository, the files aside. */
export function usersView(root: string): string {
  return ['log --oneline', 'diff --cached', 'branch -a', 'ls-files -s', 'stash list', 'rev-parse HEAD']
    .map((args) => userGit(root, ...args.split(' ')))
    .join('\n');
}
