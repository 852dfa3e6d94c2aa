/**
 * Tools that change files of a git repository, one commit for each call on a hidden ref of the run, and that send them
 * out. A commit comes before its files: after a crash, the files of the newest commit are written again, and of no
 * other. The index, the branches and the log of the user are never touched.
 */
import { createHash } from 'node:crypto';
import type { Inverse, Reconciler } from '../../effects/counterparty.ts';
import { NAME, refuseOther, shape } from '../../model/argument.ts';
import type { ToolCall } from '../../runtime/tool-call.ts';
import { keyOf, nameOf } from '../call.ts';
import { answerOfCommit, committed, type GitCommit, type GitCommitted, resting } from './commits.ts';
import { checkSaid, commit, Desk, type GitOptions, type GitSaid, trailersOf, tried } from './desk.ts';
import { discarded, forked, type GitFork, type GitForkWanted } from './forks.ts';
import type { Change, Made, Step } from './history.ts';
import { blockerOf, inverseOf } from './inverse.ts';
import { bytewise, type Entry } from './objects.ts';
import { type GitPush, type GitPushed, pushed, whereabouts } from './pushes.ts';
import { GitRefused } from './refused.ts';
import { same } from './work-tree.ts';

/** A file as it is to be. */
export interface GitEdit extends GitSaid {
  /** Relative to the root, with `/` between its segments. */
  readonly path: string;
  /** Null deletes the file. Left out with `from`: the content moves as it is. */
  readonly content?: string | Uint8Array | null;
  /** The path that the file has now, to rename it. */
  readonly from?: string;
  /** True for a program. Left out: as the file is now. */
  readonly executable?: boolean;
}

/** The result of an edit. */
export interface GitEdited {
  readonly path: string;
  readonly commit: string;
  /** Lines added; null for a file that is no text. */
  readonly added: number | null;
  /** Lines removed; null for a file that is no text. */
  readonly removed: number | null;
}

/** The functions to register. */
export interface GitAdapter {
  /** The hidden ref of the run. */
  readonly ref: string;
  /** The tool that changes one file. */
  readonly edit: (call: ToolCall<GitEdit>) => Promise<GitEdited>;
  /**
   * The tool that makes one commit for people of all edits since the last: its parent is the commit that the run began
   * on, or its last.
   */
  readonly commit: (call: ToolCall<GitCommit>) => Promise<GitCommitted>;
  /**
   * The tool that sends such a commit to a branch or a tag of a remote. It cannot be taken back, and belongs behind a
   * gate.
   */
  readonly push: (call: ToolCall<GitPush>) => Promise<GitPushed>;
  /** Takes an edit or a commit back; a push is never taken back. */
  readonly inverse: Inverse;
  /** Looks for an edit, a commit or a push. */
  readonly reconcile: Reconciler;
  /** The ignored files and folders: no commit holds what other tools do there. */
  ignored(): Promise<readonly string[]>;
  /**
   * Makes a worktree for a fork of the run, with the files as they were at a commit of the common past. The adapter of the fork
   * is made of it: `gitAdapter({ root, run })`. A second time, nothing happens.
   * @throws GitRefused where the folder is there already, or the run has no such commit.
   */
  fork(fork: GitForkWanted): Promise<void>;
  /** Removes the worktree of a fork that is not kept, with its edits. @throws GitRefused where the folder is not the worktree of that fork. */
  discard(fork: GitFork): Promise<void>;
  /** Ends the git commands that stay. A later call starts them again. */
  close(): void;
}

const GIT_OPTIONS = shape<GitOptions>('an object: { root, run }', { root: NAME, run: NAME });

/**
 * Makes tools of a checkout.
 * @throws ArgumentError where the root is not the top of a checkout.
 * @example
 * import { execFileSync } from 'node:child_process';
 * import { mkdirSync, readFileSync } from 'node:fs';
 * import { gitAdapter } from 'belay-sidecar/adapters';
 *
 * mkdirSync('project', { recursive: true });
 * execFileSync('git', ['init', '-q', 'project']);
 * const project = gitAdapter({ root: 'project', run: 'run-1' });
 * const signal = new AbortController().signal;
 * await project.edit({ input: { path: 'a.txt', content: 'hello\n', cost: { cents: 2 } }, key: 'call-1', signal });
 * assert.equal(readFileSync('project/a.txt', 'utf8'), 'hello\n');
 * project.close();
 */
export function gitAdapter(options: GitOptions): GitAdapter {
  refuseOther('gitAdapter', { options: [options, GIT_OPTIONS] });
  const desk = new Desk(options);
  return {
    ref: desk.ref,
    edit: (call) => desk.alone(() => edit(desk, call)),
    commit: (call) => desk.alone(() => committed(desk, call)),
    push: (call) => desk.alone(() => pushed(desk, call)),
    inverse: {
      undo: ({ key, undoKey }) => desk.alone(() => undo(desk, key, undoKey)),
      moved: ({ key, undoneBefore = [] }) => desk.alone(() => moved(desk, key, undoneBefore)),
    },
    reconcile: ({ key }) => desk.alone(() => find(desk, key)),
    ignored: () => desk.ignored(),
    fork: (fork) => desk.alone(() => forked(desk, fork)),
    discard: (fork) => desk.alone(() => discarded(desk, fork)),
    close: () => desk.objects.close(),
  };
}

interface Wanted extends GitEdit {
  readonly key: string;
  readonly request: string;
}

/** Reads a request. @throws GitRefused where it is none. */
function wanted(call: ToolCall<GitEdit>): Wanted {
  const key = keyOf(call);
  const input = (call.input ?? {}) as GitEdit;
  const { path, content, from, executable } = input;
  const refuse = (why: string) => new GitRefused('bad_input', why);
  if (typeof path !== 'string') throw refuse('`path` is no text');
  if (from !== undefined && (typeof from !== 'string' || from === path || content === null))
    throw refuse('`from` is not the path of another file, or the file is deleted');
  const isText = typeof content === 'string' && content.isWellFormed();
  if (content === undefined ? from === undefined : !(content === null || content instanceof Uint8Array || isText))
    throw refuse('`content` is no text, no bytes, and not null');
  if (executable !== undefined && typeof executable !== 'boolean') throw refuse('`executable` is not true or false');
  checkSaid(input);
  const bytes = content === undefined || content === null ? null : Buffer.from(content as Uint8Array);
  const digest = bytes === null ? String(content) : createHash('sha256').update(bytes).digest('hex');
  return { ...input, key, request: nameOf(JSON.stringify([path, from, executable, digest])) };
}

async function edit(desk: Desk, call: ToolCall<GitEdit>): Promise<GitEdited> {
  const want = wanted(call);
  const { history } = desk;
  const known = history.asked(want.key, want.request);
  if (known !== null) {
    if (known.oid === history.tip?.oid) await desk.settle();
    return answerOf(known);
  }
  const made = await tried(() => prepared(desk, want));
  await desk.settle();
  return answerOf(made);
}

/** Commits an edit, files aside. */
async function prepared(desk: Desk, want: Wanted): Promise<Step> {
  const { files } = desk;
  const { path, content, from } = want;
  await desk.settle();
  const found = await foundNow(desk, from === undefined ? [path] : [from, path]);
  const before = files.now(path);
  const source = from === undefined ? before : files.now(from);
  if (from !== undefined && source === null) throw new GitRefused('bad_input', `${from} does not exist`);
  if (from !== undefined && before !== null) throw new GitRefused('bad_input', `${path} exists already`);
  const { bytes, after } = await stored(desk, want, source);
  const changes: Change[] = [{ path, before: before?.entry ?? null, after }];
  if (from !== undefined) changes.push({ path: from, before: source?.entry ?? null, after: null });
  const [added, removed] = differing(source?.bytes ?? null, bytes);
  const made: Made = { key: want.key, request: want.request, changes, added, removed };
  return commit(desk, `${content === null ? 'delete' : 'write'} ${path}`, trailersOf(want.key, want), made, found);
}

/** Stores the content that an edit leaves; null where it deletes the file. */
async function stored(
  { files, objects }: Desk,
  { content, executable }: Wanted,
  source: { entry: Entry; bytes: Buffer } | null,
): Promise<{ bytes: Buffer | null; after: Entry | null }> {
  if (content === null) return { bytes: null, after: null };
  const bytes = content === undefined ? (source?.bytes ?? Buffer.alloc(0)) : Buffer.from(content as string);
  const isProgram = executable ?? source?.entry.mode === '100755';
  return { bytes, after: { mode: isProgram ? '100755' : '100644', oid: await objects.blobOf(files.part(bytes)) } };
}

/**
 * The files that the run touches for the first time and that differ from the commit before: the history of the run
 * begins with their present content. @throws GitRefused if another writer has changed a file that the run had touched.
 */
async function foundNow(desk: Desk, paths: readonly string[]): Promise<readonly Change[]> {
  const { tree } = await desk.base();
  const found: Change[] = [];
  for (const path of paths) {
    const now = desk.files.now(path);
    const left = desk.history.file(path);
    const held = await desk.objects.entry(tree, bytewise(path));
    if (left !== undefined && !same(left, now?.entry ?? null))
      throw new GitRefused('moved', `${path} was changed since this run left it`);
    if (left !== undefined || same(held, now?.entry ?? null)) continue;
    if (now !== null) await desk.objects.blobOf(desk.files.part(now.bytes));
    found.push({ path, before: held, after: now?.entry ?? null });
  }
  return found;
}

async function undo(desk: Desk, key: string, undoKey: string): Promise<void> {
  const { history, files } = desk;
  await desk.settle();
  if (history.isUndone(key)) return;
  const step = history.of(key);
  if (step === null || step.undoes !== undefined || step.push !== undefined)
    throw new Error(`nothing that can be undone was done under ${key}`);
  const back = await inverseOf(desk.objects, step, (path) => history.file(path) ?? null);
  if (back.conflict !== null) throw new Error(`${back.conflict} cannot be put back without later calls`);
  for (const { path, before } of back.changes) {
    if (!same(files.now(path)?.entry ?? null, before)) throw new Error(`${path} was changed since this run left it`);
  }
  const { changes } = back;
  await commit(desk, `undo ${key}`, { Call: undoKey, Undoes: key }, { key: undoKey, undoes: key, changes });
  await desk.settle();
}

async function moved(desk: Desk, key: string, undoneBefore: readonly string[]): Promise<string | null> {
  const { history, files, objects } = desk;
  if (history.isUndone(key)) return null;
  const step = history.of(key);
  if (step === null || step.undoes !== undefined) return 'the run has no commit of this call';
  if (step.push !== undefined) return `others have ${step.push.ref} of ${step.push.remote}`;
  if (step.commit !== undefined) return resting(history, step, undoneBefore);
  for (const { path } of step.changes) {
    const now = files.now(path)?.entry ?? null;
    const isLate = history.tip?.changes.some((one) => one.path === path && same(one.before, now));
    const isAhead = isLate === true && !files.isSettled(history.tip?.oid ?? '');
    if (!same(now, history.file(path) ?? null) && !isAhead) return `${path} was changed since this run left it`;
  }
  return blockerOf(objects, history, step, undoneBefore);
}

async function find(desk: Desk, key: string) {
  const { history } = desk;
  const step = history.of(key);
  if (step === null) return { is: 'not_applied' } as const;
  if (history.isUndone(key)) return { is: 'unknown' } as const;
  if (step.push !== undefined) return whereabouts(desk, step.push);
  if (step.commit !== undefined) return { is: 'applied', output: answerOfCommit(step) } as const;
  if (step.oid === history.tip?.oid) {
    try {
      await desk.settle();
    } catch {
      return { is: 'unknown' } as const;
    }
  }
  return { is: 'applied', output: answerOf(step) } as const;
}

function answerOf({ oid, changes, added = null, removed = null }: Step): GitEdited {
  return { path: changes[0]?.path ?? '', commit: oid, added, removed };
}

/**
 * The lines that an edit adds and removes, between the first and the last that differ; null for bytes that are no text.
 */
function differing(before: Buffer | null, after: Buffer | null): [number | null, number | null] {
  const [old, next] = [linesOf(before), linesOf(after)];
  if (old === null || next === null) return [null, null];
  let start = 0;
  while (start < old.length && start < next.length && old[start] === next[start]) start += 1;
  let end = 0;
  while (end < old.length - start && end < next.length - start && old.at(-1 - end) === next.at(-1 - end)) end += 1;
  return [next.length - start - end, old.length - start - end];
}

function linesOf(bytes: Buffer | null): string[] | null {
  if (bytes === null || bytes.length === 0) return [];
  if (bytes.includes(0)) return null;
  const all = bytes.toString('latin1').split('\n');
  return all.at(-1) === '' ? all.slice(0, -1) : all;
}
