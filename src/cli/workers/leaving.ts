/** The verbs `start` and `send`: they leave work for the workers of a store, and hold no run. */
import { readFileSync } from 'node:fs';
import { text as textOf } from 'node:stream/consumers';
import { PROCESS } from '../../clock/clock.ts';
import type { JournalStore } from '../../journal/journal.ts';
import { KeyError } from '../../model/key.ts';
import type { RunMessage } from '../../reports/messages.ts';
import { parseRunNote } from '../../reports/run-note.ts';
import { type LaterFailure, QUEUE, workClient } from '../../workers/client.ts';
import { openJournal } from '../reading/journal-key.ts';
import { journalProblem } from '../reading/reading.ts';
import type { Problem } from '../run/run.ts';
import { command } from '../terminal/wording.ts';

/** Options of `start`. */
export interface StartOptions {
  readonly journal: string;
  readonly run: string;
  readonly agent: string;
  /** A file of JSON, `-` for standard input; null for none. */
  readonly input: string | null;
  readonly queue: string | null;
}

/** A run that is left for workers. */
export interface Started {
  readonly run: string;
  readonly agent: string;
  readonly queue: string;
  /** False where the same request was there. */
  readonly started: boolean;
  /** The command that shows how far it is. */
  readonly next: string;
}

/** Leaves a run for workers. */
export async function startRun({ journal, run, agent, input, queue }: StartOptions): Promise<Started | Problem> {
  const given = input === null ? null : await inputIn(input);
  if (given !== null && 'problem' in given) return given;
  return inStore(journal, async (store) => {
    const wanted = { run, agent, queue: queue ?? QUEUE, ...(given !== null && { input: given.value }) };
    const started = await workClient(store).start(wanted);
    return { run, agent, queue: wanted.queue, started, next: command('show', run, journal) };
  });
}

/** Options of `fail`. */
export interface FailOptions extends LaterFailure {
  readonly journal: string;
  readonly run: string;
}

/** A message that is left for a run. */
export interface LeftMessage {
  readonly run: string;
  /** The number of the message. */
  readonly post: number;
  readonly held: boolean;
  /** The result; left out where no process has the run. */
  readonly outcome?: Pick<RunMessage, 'is' | 'why'>;
}

/** Leaves the word for a run that work of it was found wrong. */
export async function failLater({ journal, run, ...failure }: FailOptions): Promise<LeftMessage | Problem> {
  return leftMessage(journal, run, (store) => workClient(store).fail(run, failure));
}

/** Options of `cancel`. */
export interface CancelOptions {
  readonly journal: string;
  readonly run: string;
  readonly by: string;
  readonly why: string | null;
  /** True where what the run has done is undone as well. */
  readonly undo: boolean;
}

/** Leaves the word for a run that it is to end. */
export async function cancelRun({ journal, run, by, why, undo }: CancelOptions): Promise<LeftMessage | Problem> {
  return leftMessage(journal, run, (store) =>
    workClient(store).cancel(run, { by, undo, ...(why !== null && { why }) }),
  );
}

/** Deletes a run that is over. */
export async function deleteRun({
  journal,
  run,
}: {
  readonly journal: string;
  readonly run: string;
}): Promise<{ readonly why: string | null } | Problem> {
  return inStore(journal, async (store) => ({ why: await workClient(store).delete(run) }));
}

async function leftMessage(
  journal: string,
  run: string,
  leave: (store: JournalStore) => Promise<number>,
): Promise<LeftMessage | Problem> {
  return inStore(journal, (store) => leftFor(store, run, () => leave(store)));
}

/** Leaves a message for a run, and waits until the process that has the run has read it. */
export async function leftFor(store: JournalStore, run: string, leave: () => Promise<number>): Promise<LeftMessage> {
  const post = await leave();
  const held = (await store.run(run))?.held ?? false;
  return { run, post, held, ...(held && { outcome: await outcomeOf(store, run, post) }) };
}

async function inputIn(file: string): Promise<{ readonly value: unknown } | Problem> {
  try {
    return { value: JSON.parse(file === '-' ? await textOf(process.stdin) : readFileSync(file, 'utf8')) };
  } catch (error) {
    const what = error instanceof SyntaxError ? 'is not JSON' : 'cannot be read';
    return { problem: `--input ${file}: ${what}: ${(error as Error).message}` };
  }
}

/** The wait for a living process to read a message, and the interval between looks, in milliseconds. */
const WAIT = 5_000;
const LOOK = 50;

/** Waits until a message is read, as long as a process has the run. */
export async function outcomeOf(
  store: JournalStore,
  run: string,
  post: number,
): Promise<Pick<RunMessage, 'is' | 'why'>> {
  const client = workClient(store);
  for (const until = Date.now() + WAIT; ; await PROCESS.pause(LOOK)) {
    const told = await client.outcome(run, post);
    const { is, why } = told ?? { is: 'left', why: null };
    if (is !== 'left' || Date.now() > until || (await store.run(run))?.held !== true) return { is, why };
  }
}

/** The longest wait for a turn, in milliseconds. */
const LONGEST_TURN = 60_000;

/** Waits until a turn is over, also where no process has the run yet: until it is refused, or the run goes on no more before a person has acted. */
export async function turnOutcome(
  store: JournalStore,
  run: string,
  post: number,
): Promise<Pick<RunMessage, 'is' | 'why' | 'turn'>> {
  const client = workClient(store);
  for (const until = Date.now() + LONGEST_TURN; ; await PROCESS.pause(2 * LOOK)) {
    const { is, why, turn } = (await client.outcome(run, post)) ?? { is: 'left', why: null };
    const standing = parseRunNote((await store.run(run))?.note)?.standing.is ?? 'running';
    const isOver = is === 'refused' || is === 'untaken' || turn?.isOver === true;
    if (isOver || STILL.has(standing) || Date.now() > until) return { is, why, ...(turn !== undefined && { turn }) };
  }
}

/** The standings of runs that no turn moves before a person has acted. */
const STILL: ReadonlySet<string> = new Set(['parked', 'stuck', 'paused', 'done', 'cancelled', 'compensated']);

/** Opens the store for one act. Errors of the journal, and values that no message can hold, become a line; a run that takes no such word has code 1. */
export async function inStore<T>(journal: string, act: (store: JournalStore) => Promise<T>): Promise<T | Problem> {
  try {
    const store = await openJournal(journal);
    try {
      return await act(store);
    } finally {
      await store.close();
    }
  } catch (error) {
    return {
      problem:
        error instanceof TypeError || error instanceof RangeError || error instanceof KeyError
          ? error.message
          : journalProblem(journal, error),
      ...(error instanceof RangeError && { code: 1 as const }),
    };
  }
}
