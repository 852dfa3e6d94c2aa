/** The checkout of a fork: a worktree with the files as the run had left them, and a ref that begins with the commits of the common past. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { NAME, refuseOther, shape } from '../../model/argument.ts';
import { git } from './command.ts';
import { Desk, refOf, tried } from './desk.ts';
import type { Change } from './history.ts';
import { GitRefused } from './refused.ts';

/** A fork of a run, and the folder of its worktree. */
export interface GitFork {
  /** The id of the fork. */
  readonly run: string;
  /** The folder of its worktree, as an absolute path. */
  readonly root: string;
}

/** A fork that is to be made. */
export interface GitForkWanted extends GitFork {
  /** The last commit of the common past, as a call of `edit` has answered it; left out, the newest of the run. */
  readonly commit?: string;
}

const FORK = shape<GitFork>('an object: { run, root }', { run: NAME, root: NAME });

/** Makes the worktree of a fork. A second time, nothing happens. */
export async function forked(desk: Desk, wanted: GitForkWanted): Promise<void> {
  const { run, root, commit } = wanted;
  refuseOther('fork', { fork: [{ run, root }, FORK] });
  const { history, objects } = desk;
  const ref = refOf(run);
  const isThere = (await objects.read(ref)) !== null;
  if (isThere && existsSync(join(root, '.git'))) return;
  if (isThere || existsSync(root)) throw new GitRefused('bad_path', `${isThere ? ref : root} is there already`);
  const last = commit === undefined ? history.steps.length - 1 : history.steps.findIndex(({ oid }) => oid === commit);
  const past = history.steps.slice(0, last + 1);
  const [first, tip] = [past[0], past.at(-1)];
  if (first === undefined || tip === undefined) throw new GitRefused('bad_input', 'the run has no such commit');
  const base = (await objects.commit(first.oid))?.parent;
  if (base == null) throw new GitRefused('bad_input', 'a repository without a commit has no worktree');
  await tried(async () => {
    const hookless = ['-c', 'core.hooksPath=/dev/null'];
    const { status, errors } = await git(desk.root, [...hookless, 'worktree', 'add', '-q', '--detach', root, base]);
    if (status !== 0) throw new Error(`git worktree failed: ${errors}`);
    const own = new Desk({ root, run });
    const after = new Map(past.flatMap(({ changes }) => changes.map((change) => [change.path, change.after] as const)));
    const changes = [...after].map(
      ([path, entry]): Change => ({ path, before: own.files.now(path)?.entry ?? null, after: entry }),
    );
    await own.files.settle(tip.oid, changes).finally(() => own.objects.close());
  });
  if (!(await objects.move(ref, tip.oid, null))) throw new GitRefused('contended', `another process has moved ${ref}`);
}

/** Removes the worktree of a fork and its ref. @throws GitRefused where the folder is not the worktree of that run. */
export async function discarded(desk: Desk, fork: GitFork): Promise<void> {
  refuseOther('discard', { fork: [fork, FORK] });
  const { run, root } = fork;
  const ref = refOf(run);
  if (ref === desk.ref) throw new GitRefused('bad_input', `${run} is the run of this adapter`);
  if (existsSync(root)) {
    const own = new Desk({ root, run });
    const tip = await own.objects.read(ref).finally(() => own.objects.close());
    if (tip === null || !own.files.isOwn()) throw new GitRefused('bad_path', `${root} is no worktree of ${run}`);
    const { status, errors } = await git(desk.root, ['worktree', 'remove', '--force', root]);
    if (status !== 0) throw new Error(`git worktree failed: ${errors}`);
  }
  const { status, errors } = await git(desk.root, ['update-ref', '-d', ref]);
  if (status !== 0) throw new Error(`git update-ref failed: ${errors}`);
}
