/**
 * The attempts of a group and the choice among them (semantics.md FK7 to FK11). The choice is the first message in the inbox of the first attempt that
 * keeps one of the group: inboxes number their messages in every store, so that two choosers never both have the first.
 */
import { keepIn, keepMessage, type SentKeep } from '../../effects/messages/keeps.ts';
import { gathered } from '../../journal/gathered.ts';
import { JournalError, type JournalStore } from '../../journal/journal.ts';
import { type AttemptTerms, attemptNamed } from '../../model/attempt-entries.ts';
import type { AttemptState } from '../../projection/attempt.ts';
import { parseRunNote, type RunNote, runNoteOf } from '../../reports/run-note.ts';
import { isOver } from '../../reports/run-status.ts';
import { SidecarError } from '../sidecar-error.ts';

/** The runs of a group, and their inboxes. */
export type GroupStore = Pick<JournalStore, 'run' | 'read' | 'posts' | 'post'>;

/** An attempt as its group sees it. */
interface GroupedAttempt {
  readonly run: string;
  /**
   * `trying`: it is under way. `waits`: nothing of it goes on before the choice. `halted`: a person has to act on it, or has paused it. `ending`: a person ends
   * it. `over`: it has ended, or is not there any more.
   */
  readonly is: 'trying' | 'waits' | 'halted' | 'ending' | 'over';
  /** The place at which the attempt waits, with its score; null unless the attempt waits. */
  readonly tried: AttemptState['tried'];
  /** Its status, as a list of runs has it; null where it is not there any more. */
  readonly standing: RunNote['standing']['is'] | null;
}

/** A group of attempts. */
export interface AttemptGroup {
  /** The name of the group. */
  readonly of: string;
  readonly attempts: readonly GroupedAttempt[];
  /** The score, as a text; null where a person chooses. */
  readonly score: string | null;
  /** The wall clock from which the choice waits for no attempt, in milliseconds; null where it waits for all. */
  readonly until: number | null;
  /** The choice; null before it is made. */
  readonly kept: Omit<SentKeep, 'of'> | null;
}

/** The runs of a group, in the order of their numbers. */
function namesOf({ of, count }: Pick<AttemptTerms, 'of' | 'count'>): string[] {
  return Array.from({ length: count }, (_, index) => attemptNamed(of, index + 1));
}

/** The choice among the attempts of a group; null before it is made. */
export async function choiceOf(store: Pick<GroupStore, 'posts'>, terms: AttemptTerms): Promise<SentKeep | null> {
  const names = namesOf(terms);
  for (const { body } of await postsOf(store, attemptNamed(terms.of, 1))) {
    const sent = keepIn(body);
    if (sent !== null && sent.of === terms.of && names.includes(sent.keep)) return sent;
  }
  return null;
}

async function postsOf(store: Pick<GroupStore, 'posts'>, run: string) {
  try {
    return await store.posts(run);
  } catch (error) {
    if (error instanceof JournalError && error.code === 'run_unknown') return [];
    throw error;
  }
}

/** Makes the choice, unless it was made before, and tells every attempt of it. @returns the choice that holds. */
export async function choose(store: GroupStore, terms: AttemptTerms, wanted: SentKeep): Promise<SentKeep> {
  if ((await choiceOf(store, terms)) === null) await store.post(attemptNamed(terms.of, 1), keepMessage(wanted));
  const choice = (await choiceOf(store, terms)) ?? wanted;
  await tellAll(store, terms, choice);
  return choice;
}

/** Leaves the choice for each attempt that was not told of it: a chooser may have died after the choice. */
export async function tellAll(store: GroupStore, terms: AttemptTerms, choice: SentKeep): Promise<void> {
  const body = keepMessage(choice);
  for (const run of namesOf(terms).slice(1)) {
    const note = await noteOf(store, run);
    if (note === null || isOver(note.standing)) continue;
    if ((await postsOf(store, run)).every((post) => post.body !== body)) await store.post(run, body);
  }
}

/** The note of a run, made from its rows where it has none; null where the run is not there. */
async function noteOf(store: Pick<GroupStore, 'run' | 'read'>, run: string): Promise<RunNote | null> {
  const summary = await store.run(run);
  if (summary === null || summary.head === 0) return null;
  return parseRunNote(summary.note) ?? runNoteOf(await gathered(store.read(run)));
}

/** The attempts of a group as they are now. */
export async function groupOf(store: GroupStore, terms: AttemptTerms): Promise<AttemptGroup> {
  const attempts: GroupedAttempt[] = [];
  for (const run of namesOf(terms)) {
    const note = await noteOf(store, run);
    const own = note?.attempt?.terms.of === terms.of ? note : null;
    const is = own === null ? 'over' : stateOf(own);
    attempts.push({
      run,
      is,
      tried: is === 'waits' ? (own?.attempt?.tried ?? null) : null,
      standing: own?.standing.is ?? null,
    });
  }
  const choice = await choiceOf(store, terms);
  const { of, score = null, until = null } = terms;
  const kept = choice && { keep: choice.keep, by: choice.by, why: choice.why };
  return { of, attempts, score, until, kept };
}

function stateOf({ standing, attempt }: RunNote): GroupedAttempt['is'] {
  if (isOver(standing)) return 'over';
  // An attempt that has read that another one was kept is being ended as well.
  if (attempt?.isEnding === true) return 'ending';
  if (standing.is !== 'open' && standing.is !== 'waiting') return 'halted';
  return attempt?.tried == null ? 'trying' : 'waits';
}

/**
 * The attempt that the score chooses now; null while it waits for another one, or no attempt has a score. One that a person has to act on, or that is under way,
 * is waited for until the deadline; one that is over, or being ended, is not.
 */
export function bestOf({ attempts, until }: AttemptGroup, now: number): { run: string; score: number } | null {
  const isLate = until !== null && until <= now;
  if (!isLate && attempts.some(({ is }) => is === 'trying' || is === 'halted')) return null;
  let best: { run: string; score: number } | null = null;
  for (const { run, tried } of attempts) {
    const score = tried?.score;
    if (score !== undefined && (best === null || score > best.score)) best = { run, score };
  }
  return best;
}

/** The terms of an attempt. @throws JournalError `run_unknown`; SidecarError `keep_refused` for a run that is no attempt. */
export async function termsOf(store: GroupStore, run: string): Promise<AttemptTerms> {
  const note = await noteOf(store, run);
  if (note === null) throw new JournalError('run_unknown', `There is no run ${JSON.stringify(run)}.`);
  if (note.attempt === undefined)
    throw new SidecarError('keep_refused', `${run} is no attempt: belay fork RUN --attempts K makes attempts.`);
  return note.attempt.terms;
}

/** An attempt that was kept. */
export interface Kept {
  readonly run: string;
  /** The name of the group. */
  readonly of: string;
  /** True where the choice was made before. */
  readonly before: boolean;
  /** The other attempts, which are aborted with their undos. */
  readonly aborted: readonly string[];
}

/**
 * Keeps one attempt of a group by the word of a person; the others are aborted.
 * @throws SidecarError `keep_refused` where another attempt was kept, the attempt is over or being ended, or the run is no attempt; JournalError
 * `run_unknown`, `inbox_full`; TypeError without the name of a person.
 */
export async function keepAttempt(
  store: GroupStore,
  run: string,
  { by, why = null }: { readonly by: string; readonly why?: string | null },
): Promise<Kept> {
  const terms = await termsOf(store, run);
  const wanted: SentKeep = { keep: run, of: terms.of, by, why };
  keepMessage(wanted);
  if (by === null) throw new TypeError('an attempt is kept by a person with a name');
  const { attempts, kept } = await groupOf(store, terms);
  const own = attempts.find((each) => each.run === run);
  if (kept === null && (own?.is === 'over' || own?.is === 'ending')) {
    const how = own.is === 'over' ? `it is ${own.standing ?? 'not there any more'}` : 'a person is ending it';
    throw new SidecarError('keep_refused', `${run} cannot be kept: ${how}.`);
  }
  const choice = await choose(store, terms, wanted);
  if (choice.keep !== run) {
    const who = choice.by === null ? 'the score' : JSON.stringify(choice.by);
    throw new SidecarError('keep_refused', `${run} cannot be kept: ${choice.keep} was kept, by ${who}.`);
  }
  const aborted = attempts.filter((each) => each.run !== run && each.is !== 'over').map((each) => each.run);
  return { run, of: terms.of, before: kept !== null, aborted };
}
