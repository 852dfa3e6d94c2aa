/** Attempts of a run (semantics.md FK7): forks of one row of which one will be kept. Made again, the same attempts are those that are there. */
import { entriesOf } from '../../journal/entries.ts';
import { gathered } from '../../journal/gathered.ts';
import { JournalError, type JournalStore } from '../../journal/journal.ts';
import { type AttemptTerms, attemptNamed } from '../../model/attempt-entries.ts';
import type { ForkedEntry } from '../../model/entry.ts';
import { compileScore } from '../../predicates/compile.ts';
import { type ForkRequest, forkRun } from './fork-run.ts';

/** The most attempts of a group. */
const MOST = 64;

/** The wish for attempts. */
export interface AttemptsRequest extends ForkRequest {
  /** The number of attempts: they are named `as` with -1, -2 and so on behind it. */
  readonly attempts: number;
  /** The score, CEL over `event.output` and `memory`: the highest is kept once each attempt waits. Left out, a person chooses. */
  readonly score?: string;
  /** The time after which the score waits for no attempt any more, in milliseconds; left out, it waits for all. */
  readonly deadline?: number;
}

/** Attempts that were made. */
export interface Attempts {
  readonly of: string;
  /** The name of the group. */
  readonly group: string;
  /** The last row of the common past. */
  readonly at: number;
  readonly runs: readonly string[];
}

/**
 * Makes attempts of a run.
 * @param now the wall clock, from which the deadline counts.
 * @throws as `forkRun`; TypeError for a number of attempts, a score or a deadline that is none; JournalError `run_exists` before any is made.
 */
export async function forkAttempts(
  store: JournalStore,
  of: string,
  wish: AttemptsRequest,
  now: () => number = () => Date.now(),
): Promise<Attempts> {
  const { attempts: count, score, deadline, as, ...more } = wish;
  refuseTerms(wish);
  const runs = Array.from({ length: count }, (_, index) => attemptNamed(as, index + 1));
  const made = await Promise.all(runs.map((run) => forkedEntry(store, run)));
  const first = made.find((entry) => entry?.attempt !== undefined) ?? null;
  const until = first?.attempt?.until ?? (deadline === undefined ? undefined : now() + deadline);
  const at = more.at ?? first?.at ?? (await store.run(of))?.head ?? 0;
  const shared = { of: as, count, ...(score !== undefined && { score }), ...(until !== undefined && { until }) };
  const terms = runs.map((_, index): AttemptTerms => ({ ...shared, number: index + 1 }));
  for (const [index, run] of runs.entries()) {
    const entry = made[index] ?? null;
    const isThere = ((await store.run(run))?.head ?? 0) > 0 || (await store.work.order(run)) !== null;
    if (isThere && !(entry?.of === of && entry.at === at && isSame(entry.attempt, terms[index])))
      throw new JournalError('run_exists', `There is a run ${JSON.stringify(run)} already.`);
  }
  const wishes = terms.map((attempt, index) => ({ attempt, as: runs[index] as string, isMade: made[index] != null }));
  for (const one of wishes) await makeOne(store, of, { ...more, ...(at > 0 && { at }), as: one.as }, one);
  return { of, group: as, at, runs };
}

async function makeOne(
  store: JournalStore,
  of: string,
  wish: ForkRequest,
  { attempt, isMade }: { readonly attempt: AttemptTerms; readonly isMade: boolean },
): Promise<void> {
  try {
    await forkRun(store, of, wish, attempt);
  } catch (error) {
    // The process that made it has left it for workers, or it was taken up since.
    if (!isMade || !(error instanceof JournalError && error.code === 'run_exists')) throw error;
  }
}

function refuseTerms({ attempts, score, deadline }: AttemptsRequest): void {
  if (!Number.isSafeInteger(attempts) || attempts < 2 || attempts > MOST)
    throw new TypeError(`forkAttempts: "attempts" is a number from 2 to ${MOST}, not ${String(attempts)}`);
  if (deadline !== undefined && (!Number.isSafeInteger(deadline) || deadline < 1))
    throw new TypeError(`forkAttempts: "deadline" is a time in milliseconds, from 1, not ${String(deadline)}`);
  if (deadline !== undefined && score === undefined)
    throw new TypeError('forkAttempts: a "deadline" is one of the score: a person chooses at any time');
  if (score === undefined) return;
  const compiled = typeof score === 'string' ? compileScore(score) : { problems: [{ message: 'it is no text' }] };
  if ('problems' in compiled)
    throw new TypeError(`forkAttempts: "score" is no CEL whose value is a number: ${compiled.problems[0]?.message}`);
}

/** The entry by which a run was forked last; null for a run that was not, or is not there. */
async function forkedEntry(store: JournalStore, run: string): Promise<ForkedEntry | null> {
  if (((await store.run(run))?.head ?? 0) === 0) return null;
  let forked: ForkedEntry | null = null;
  for (const { entry } of entriesOf(await gathered(store.read(run)))) if (entry.do === 'forked') forked = entry;
  return forked;
}

function isSame(one: AttemptTerms | undefined, other: AttemptTerms | undefined): boolean {
  if (one === undefined || other === undefined) return false;
  const [first, second] = [one, other].map(({ of, number, count, score = null, until = null }) =>
    JSON.stringify([of, number, count, score, until]),
  );
  return first === second;
}
