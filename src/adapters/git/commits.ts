/** Commits for people: one for all edits since the last, without the trailers of Belay, and on no branch. */
import { PROCESS } from '../../clock/clock.ts';
import type { ToolCall } from '../../runtime/tool-call.ts';
import { keyOf, nameOf } from '../call.ts';
import { git } from './command.ts';
import { checkSaid, commit, type Desk, type GitSaid, trailersOf, tried } from './desk.ts';
import type { History, Step } from './history.ts';
import { GitRefused } from './refused.ts';

/** A commit as it is to be. */
export interface GitCommit extends GitSaid {
  /** The whole message. */
  readonly message: string;
  /** The author; left out, `belay`. */
  readonly author?: { readonly name: string; readonly email: string };
}

/** The result of a commit. */
export interface GitCommitted {
  readonly commit: string;
  /** The number of files that differ from the commit before. */
  readonly files: number;
  /** Lines added in files that are text. */
  readonly added: number;
  /** Lines removed in files that are text. */
  readonly removed: number;
}

/** Makes a commit for people. */
export async function committed(desk: Desk, call: ToolCall<GitCommit>): Promise<GitCommitted> {
  const key = keyOf(call);
  const input = (call.input ?? {}) as GitCommit;
  const who = checked(input);
  const request = nameOf(JSON.stringify(['commit', input.message, who]));
  const known = desk.history.asked(key, request);
  if (known !== null) return answerOfCommit(known);
  return answerOfCommit(await tried(() => made(desk, input, who, { key, request })));
}

/** The answer of a commit that was made. */
export function answerOfCommit({ commit: oid = '', files = 0, added, removed }: Step): GitCommitted {
  return { commit: oid, files, added: added ?? 0, removed: removed ?? 0 };
}

/** Names the later commit for people that has a commit as its parent; null without one. */
export function resting(history: History, step: Step, undoneBefore: readonly string[]): string | null {
  const later = history.steps.slice(history.steps.indexOf(step) + 1);
  const above = later.find(({ key, commit: oid }) => {
    return key !== null && oid !== undefined && !history.isUndone(key) && !undoneBefore.includes(key);
  });
  return above === undefined ? null : `the commit of ${above.key} stands on it`;
}

/** The newest commit for people that stands; null where the run has none. */
function newest(history: History): string | null {
  const stands = ({ key, commit: oid }: Step) => oid !== undefined && key !== null && !history.isUndone(key);
  return history.steps.findLast(stands)?.commit ?? null;
}

/** The author, as git writes it. @throws GitRefused where the request is none. */
function checked(input: GitCommit): string {
  const { message, author } = input;
  const refuse = (why: string) => new GitRefused('bad_input', why);
  const isText = (text: unknown): text is string =>
    typeof text === 'string' && text.trim() !== '' && text.isWellFormed();
  if (!isText(message) || message.includes('\0')) throw refuse('`message` is no text, or empty');
  checkSaid(input);
  if (author === undefined) return 'belay <belay@localhost>';
  const isName = (text: unknown) => isText(text) && ![...text].some((one) => one < ' ' || '<>\u007f'.includes(one));
  if (typeof author !== 'object' || author === null || !isName(author.name) || !isName(author.email))
    throw refuse('`author` is no { name, email }');
  return `${author.name.trim()} <${author.email.trim()}>`;
}

async function made(
  desk: Desk,
  input: GitCommit,
  who: string,
  { key, request }: { readonly key: string; readonly request: string },
): Promise<Step> {
  const { history, objects } = desk;
  await desk.settle();
  const { tip, steps } = history;
  if (tip === null) throw new GitRefused('bad_input', 'the run has changed nothing');
  const before = newest(history) ?? (await objects.commit(steps[0]?.oid ?? ''))?.parent ?? null;
  const parent = before === null ? null : await objects.commit(before);
  if (parent?.tree === tip.tree) throw new GitRefused('bad_input', 'nothing differs from the commit before');
  const text = input.message.endsWith('\n') ? input.message : `${input.message}\n`;
  const seconds = Math.floor(PROCESS.now() / 1000);
  const oid = await objects.committed(tip.tree, parent === null ? [] : [parent.oid], text, seconds, who);
  const [subject = ''] = input.message.trim().split('\n');
  const what = { key, request, changes: [], commit: oid, ...(await sizeOf(desk, parent?.oid ?? null, oid)) };
  return commit(desk, `commit: ${subject}`, trailersOf(key, input), what, [], [oid]);
}

/** The files and lines in which a commit differs from the one before. */
async function sizeOf(desk: Desk, parent: string | null, oid: string) {
  const between = parent === null ? ['--root', oid] : [parent, oid];
  const { status, out, errors } = await git(desk.root, [
    'diff-tree',
    '-r',
    '--no-commit-id',
    '--numstat',
    '-z',
    ...between,
  ]);
  if (status !== 0) throw new Error(`git diff-tree failed: ${errors}`);
  const size = { files: 0, added: 0, removed: 0 };
  for (const row of out.toString('latin1').split('\0').filter(Boolean)) {
    const [added = '', removed = ''] = row.split('\t');
    size.files += 1;
    size.added += Number(added) || 0;
    size.removed += Number(removed) || 0;
  }
  return size;
}
