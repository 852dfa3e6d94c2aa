/** Pushes: a commit of the run goes to a ref of a remote. The history of the run says so before anything leaves. */
import type { ReconcileResult } from '../../effects/counterparty.ts';
import type { ToolCall } from '../../runtime/tool-call.ts';
import { keyOf, nameOf } from '../call.ts';
import { git } from './command.ts';
import { checkSaid, commit, type Desk, type GitSaid, trailersOf, tried } from './desk.ts';
import type { Push } from './history.ts';
import { GitRefused } from './refused.ts';

/** A push as it is to be: to a branch or to a tag. */
export interface GitPush extends GitSaid {
  /** The commit, as a call of `commit` has answered it. */
  readonly commit: string;
  /** The branch of the remote. It moves forward alone: a push never overwrites commits of others. */
  readonly branch?: string;
  /** The tag of the remote. */
  readonly tag?: string;
  /** A remote that the checkout knows; left out, `origin`. */
  readonly remote?: string;
}

/** The result of a push. */
export interface GitPushed {
  readonly remote: string;
  /** The whole name of the ref, for example `refs/heads/fix`. */
  readonly ref: string;
  readonly commit: string;
}

/** Sends a commit out. */
export async function pushed(desk: Desk, call: ToolCall<GitPush>): Promise<GitPushed> {
  const key = keyOf(call);
  const input = (call.input ?? {}) as GitPush;
  const push = checked(input);
  const request = nameOf(JSON.stringify(['push', push]));
  const known = desk.history.asked(key, request);
  if (known === null) {
    await tried(async () => {
      await checkAgainst(desk, push);
      const subject = `push ${push.commit} to ${push.ref} of ${push.remote}`;
      await commit(desk, subject, trailersOf(key, input), { key, request, changes: [], push }, [], [push.commit]);
    });
  } else if ((await whereabouts(desk, push)).is === 'applied') return push;
  await sent(desk, push, call.signal);
  return push;
}

/** What the remote says of a push: a branch that is behind the commit, or absent, has never had it. */
export async function whereabouts(desk: Desk, push: Push): Promise<ReconcileResult> {
  const { remote, ref, commit: oid } = push;
  const applied = { is: 'applied', output: push } as const;
  const refs = await asked(desk, ['ls-remote', '--', remote]);
  const rows = refs.split('\n').map((row) => row.split('\t'));
  // A branch that others have merged and deleted leaves the commit under other refs of many servers.
  if (rows.some(([at]) => at === oid)) return applied;
  const there = rows.find(([, name]) => name === ref)?.[0];
  if (there === undefined) return { is: 'not_applied' };
  if (ref.startsWith('refs/tags/')) return { is: 'unknown' };
  const quiet = ['--quiet', '--no-tags', '--no-write-fetch-head', '--no-recurse-submodules', '--no-auto-maintenance'];
  await asked(desk, ['fetch', ...quiet, '--refmap=', '--', remote, ref]);
  const isWithin = async (one: string, other: string) =>
    (await git(desk.root, ['merge-base', '--is-ancestor', one, other])).status === 0;
  if (await isWithin(oid, there)) return applied;
  return { is: (await isWithin(there, oid)) ? 'not_applied' : 'unknown' };
}

/** The push that a request asks for. @throws GitRefused where it is none. */
function checked(input: GitPush): Push {
  const { commit: oid, branch, tag, remote = 'origin' } = input;
  const refuse = (why: string) => new GitRefused('bad_input', why);
  if (typeof oid !== 'string' || !/^([0-9a-f]{40}|[0-9a-f]{64})$/.test(oid)) throw refuse('`commit` names no commit');
  if (typeof remote !== 'string' || !/^\w[\w.-]*$/.test(remote)) throw refuse('`remote` is not the name of a remote');
  if ((branch === undefined) === (tag === undefined)) throw refuse('a push goes to one `branch` or to one `tag`');
  const name = branch ?? tag;
  if (typeof name !== 'string' || name === '') throw refuse('the `branch` or `tag` is no text');
  checkSaid(input);
  return { remote, ref: `refs/${branch === undefined ? 'tags' : 'heads'}/${name}`, commit: oid };
}

/** @throws GitRefused where the run has no such commit, or the checkout no such remote. */
async function checkAgainst({ root, history }: Desk, { remote, ref, commit: oid }: Push): Promise<void> {
  const step = history.steps.find(({ commit: made }) => made === oid);
  if (step === undefined || step.key === null || history.isUndone(step.key))
    throw new GitRefused('bad_input', `${oid} is no commit of this run, or was undone`);
  if ((await git(root, ['check-ref-format', ref])).status !== 0)
    throw new GitRefused('bad_input', `${JSON.stringify(ref)} is no name of a ref`);
  if ((await git(root, ['remote', 'get-url', '--push', '--', remote])).status !== 0)
    throw new GitRefused('bad_input', `the checkout has no remote ${JSON.stringify(remote)}`);
}

async function sent({ root }: Desk, { remote, ref, commit: oid }: Push, signal: AbortSignal): Promise<void> {
  // No hook of the checkout runs: an edit of the run may have written it.
  const quiet = ['-c', 'core.hooksPath=/dev/null'];
  const args = ['push', '--porcelain', '--no-follow-tags', '--recurse-submodules=no', '--', remote, `${oid}:${ref}`];
  const { status, out, errors } = await git(root, [...quiet, ...args], signal);
  if (status === 0) return;
  const row = out
    .toString()
    .split('\n')
    .find((line) => line.startsWith('!'));
  if (row?.includes('\t[rejected]')) throw new GitRefused('moved', `another writer has moved ${ref} of ${remote}`);
  if (row?.includes('\t[remote rejected]'))
    throw new GitRefused('declined', `${remote} takes no ${ref}: ${row.split('\t').at(-1)}`);
  throw new Error(`git push failed: ${errors}`);
}

async function asked({ root }: Desk, args: readonly string[]): Promise<string> {
  const { status, out, errors } = await git(root, args);
  if (status !== 0) throw new Error(`git ${args[0]} failed: ${errors}`);
  return out.toString();
}
