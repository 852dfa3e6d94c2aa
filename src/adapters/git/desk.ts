/** The parts of a git adapter, and how a call becomes a commit of the run. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { PROCESS } from '../../clock/clock.ts';
import { errorMessage, NotApplied } from '../../effects/signals.ts';
import { ArgumentError } from '../../model/argument.ts';
import { nameOf } from '../call.ts';
import { git } from './command.ts';
import { type Change, History, type Made, messageOf, type Step } from './history.ts';
import { bytewise, Objects } from './objects.ts';
import { GitRefused } from './refused.ts';
import { WorkTree } from './work-tree.ts';

/** The checkout and the run whose calls change it. */
export interface GitOptions {
  /** The folder of a checkout: the top of a repository or of a worktree. */
  readonly root: string;
  /** The id of the run. Each run has a hidden ref of its own. */
  readonly run: string;
}

/** What a call of any tool of the adapter may say of itself, for the trailers of its commit. */
export interface GitSaid {
  /** The decision that led to this call. */
  readonly decision?: string;
  /** The cost of this call by unit, for example `{ cents: 4 }`. */
  readonly cost?: Readonly<Record<string, number>>;
}

/** The parts of an adapter, which acts on one request after the other. */
export class Desk {
  readonly ref: string;
  readonly objects: Objects;
  readonly files: WorkTree;
  readonly history: History;
  /** The folder of the checkout. */
  readonly root: string;
  #last: Promise<unknown> = Promise.resolve();

  constructor({ root, run }: GitOptions) {
    const [folder, hash] = placeOf(root);
    this.root = root;
    this.ref = refOf(run);
    this.objects = new Objects(root, join(folder, 'belay'), hash);
    this.files = new WorkTree(root, join(folder, 'belay'), run, this.objects);
    this.history = new History(this.objects, this.ref);
  }

  /** Acts once the requests before have ended, on the ref as it is then. */
  alone<T>(act: () => Promise<T>): Promise<T> {
    const mine = this.#last.then(async () => {
      await this.history.refresh();
      return act();
    });
    this.#last = mine.catch(() => {});
    return mine;
  }

  /** Writes what the newest commit says, where a process died before it had. */
  async settle(): Promise<void> {
    const { tip } = this.history;
    if (tip !== null) await this.files.settle(tip.oid, tip.changes);
  }

  async ignored(): Promise<readonly string[]> {
    const args = ['ls-files', '-z', '--others', '--ignored', '--exclude-standard', '--directory'];
    const { status, out, errors } = await git(this.root, args);
    if (status !== 0) throw new Error(`git ls-files failed: ${errors}`);
    return out.toString().split('\0').filter(Boolean);
  }

  /** Where the next commit goes on: the newest of the run, or the commit that is checked out. */
  async base(): Promise<{ oid: string | null; tree: string | null }> {
    const { tip } = this.history;
    if (tip !== null) return tip;
    const head = await this.objects.commit('HEAD');
    return { oid: head?.oid ?? null, tree: head?.tree ?? null };
  }
}

/** The folder of git for a checkout, and the hash that its objects are named by. */
function placeOf(root: string): [folder: string, hash: string] {
  const ask = ['-C', root, 'rev-parse', '--path-format=absolute', '--git-dir', '--show-object-format', '--show-prefix'];
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_')));
  try {
    const said = execFileSync('git', ask, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], env });
    const [folder = '', hash = '', prefix] = said.split('\n');
    if (prefix === '') return [folder, hash];
  } catch (error) {
    throw new ArgumentError(`${root} is no checkout of a git repository: ${errorMessage(error)}`);
  }
  throw new ArgumentError(`${root} is not the top of a checkout`);
}

/** The hidden ref of a run. */
export function refOf(run: string): string {
  return `refs/belay/${isPlain(run) ? run : nameOf(run)}`;
}

/** True for a run id that can be a segment of a ref as it is. */
function isPlain(run: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/.test(run) && !/\.\.|\.$|\.lock$/.test(run);
}

/**
 * Makes a commit the newest of the run, behind one of the files as the run found them.
 * @param keeps other commits that are to stay in the repository as long as this one.
 */
export async function commit(
  desk: Desk,
  subject: string,
  trailers: Readonly<Record<string, string>>,
  made: Made,
  found: readonly Change[] = [],
  keeps: readonly string[] = [],
): Promise<Step> {
  const { objects, history, ref } = desk;
  const seconds = Math.floor(PROCESS.now() / 1000);
  const steps: Step[] = [];
  let at = await desk.base();
  const isFirst = history.tip === null;
  const step = async (
    title: string,
    shown: Readonly<Record<string, string>>,
    what: Made,
    others: readonly string[],
  ) => {
    const whole: Made = isFirst && steps.length === 0 ? { ...what, first: true } : what;
    const changed = new Map(whole.changes.map(({ path, after }) => [bytewise(path), after]));
    const tree = await objects.changed(at.tree, changed);
    const parents = [...(at.oid === null ? [] : [at.oid]), ...others];
    const oid = await objects.committed(tree, parents, messageOf(title, shown, whole), seconds);
    at = { oid, tree };
    steps.push({ ...whole, oid, tree });
  };
  if (found.length > 0) await step('files as the run found them', {}, { key: null, changes: found }, []);
  await step(subject, trailers, made, keeps);
  const last = steps.at(-1) as Step;
  if (!(await objects.move(ref, last.oid, history.tip?.oid ?? null)))
    throw new GitRefused('contended', `another process has moved ${ref}`);
  for (const one of steps) history.add(one);
  return last;
}

/** Nothing has happened before the ref moves, so a failure until then is a refusal. */
export async function tried<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    throw error instanceof NotApplied ? error : new NotApplied(`nothing was changed: ${errorMessage(error)}`);
  }
}

/** Checks what a call says of itself. @throws GitRefused where it is none. */
export function checkSaid({ decision, cost }: GitSaid): void {
  if (decision !== undefined && typeof decision !== 'string')
    throw new GitRefused('bad_input', '`decision` is no text');
  if (cost !== undefined && !isCost(cost)) throw new GitRefused('bad_input', '`cost` is no amount for each unit');
}

/** The trailers of a commit by which `git log` finds the call, its decision and its cost. */
export function trailersOf(key: string, { decision, cost = {} }: GitSaid): Readonly<Record<string, string>> {
  const amounts = Object.entries(cost).map(([unit, amount]) => `${unit}=${amount}`);
  return {
    Call: key,
    ...(decision === undefined ? {} : { Decision: decision }),
    ...(amounts.length === 0 ? {} : { Cost: amounts.join(' ') }),
  };
}

function isCost(cost: unknown): boolean {
  return (
    typeof cost === 'object' &&
    cost !== null &&
    Object.entries(cost).every(([unit, amount]) => /^[\w.-]+$/.test(unit) && Number.isFinite(amount))
  );
}
