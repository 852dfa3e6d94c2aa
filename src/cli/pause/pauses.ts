/** The verbs `pause` and `unpause`: they leave the word of a person for runs, and wait for the processes that have them to obey. */
import { createHash } from 'node:crypto';
import { PROCESS } from '../../clock/clock.ts';
import { gathered } from '../../journal/gathered.ts';
import type { JournalStore, RunSummary } from '../../journal/journal.ts';
import { parseRunNote, runNoteOf } from '../../reports/run-note.ts';
import { isOver, type RunStatus } from '../../reports/run-status.ts';
import { workClient } from '../../workers/client.ts';
import { runNamed } from '../reading/reading.ts';
import { unheardPause } from './unheard.ts';

/** The runs that are meant: one by its name, those of an agent, or all. */
export type Meant = { readonly run: string } | { readonly agent: string } | { readonly all: true };

/** A run, and how it stands to the word. */
export interface WordFor {
  readonly run: string;
  readonly agent: string | null;
  /** The number of the message; null where none was left. */
  readonly post: number | null;
  /**
   * `done`: the process that has the run obeys. `left`: no process has it, and the next one obeys before anything goes on. `waits`: the process that has
   * it has not told that it obeys. `refused`: no word was left, and the reason is told.
   */
  readonly is: 'done' | 'left' | 'waits' | 'refused';
  readonly why: string | null;
}

/** The word of a person for runs. */
export interface Word {
  readonly pause: boolean;
  readonly by: string;
  readonly why: string | null;
}

/** The wait for a living process to obey, and the interval between looks, in milliseconds. */
const WAIT = 2_000;
const LOOK = 50;

/** A run that is meant, with its status. */
export interface StatedRun {
  readonly summary: RunSummary;
  readonly agent: string | null;
  readonly standing: RunStatus;
  /** The word that was left and that no process has heard; null where there is none. */
  readonly unheard: boolean | null;
}

/** The runs that are meant: of several, those alone that the word would change. */
export async function runsMeant(store: JournalStore, meant: Meant, pause: boolean): Promise<readonly StatedRun[]> {
  if ('run' in meant) return [await statusOf(store, await runNamed(store, meant.run))];
  const all: StatedRun[] = [];
  for (const summary of await store.runs()) {
    const each = await statusOf(store, summary);
    if ('agent' in meant && each.agent !== meant.agent) continue;
    if (refusal(each, pause) === null) all.push(each);
  }
  return all;
}

async function statusOf(store: JournalStore, summary: RunSummary): Promise<StatedRun> {
  const { agent, standing } = parseRunNote(summary.note) ?? runNoteOf(await gathered(store.read(summary.run)));
  const order = agent === null ? await store.work.order(summary.run) : null;
  return {
    summary,
    agent: agent ?? order?.agent ?? null,
    standing,
    unheard: await unheardPause(store, summary, standing),
  };
}

/** Says why a run takes no such word; null where it does. */
function refusal({ standing, unheard }: StatedRun, pause: boolean): string | null {
  if (isOver(standing)) return `the run has ended: it is ${standing.is}`;
  const isPaused = unheard ?? standing.is === 'paused';
  if (isPaused === pause) return pause ? `it is paused already${pausedBy(standing)}` : 'it is not paused';
  return null;
}

function pausedBy(standing: RunStatus): string {
  return standing.is === 'paused' ? `, by ${JSON.stringify(standing.by)}` : '';
}

/** The digest of a list of runs, by which a person who has seen the list names it: eight hexadecimal digits. */
export function listDigest(runs: readonly StatedRun[]): string {
  const lines = runs.map(({ summary: { run }, standing }) => JSON.stringify([run, standing]));
  return createHash('sha256').update(lines.join('\n')).digest('hex').slice(0, 8);
}

/** Leaves the word for runs, and waits for those that processes have. */
export async function leaveWord(
  store: JournalStore,
  runs: readonly StatedRun[],
  word: Word,
): Promise<readonly WordFor[]> {
  const client = workClient(store);
  const say = word.pause ? client.pause : client.unpause;
  const left: WordFor[] = [];
  for (const each of runs) {
    const { run, held } = each.summary;
    const why = refusal(each, word.pause);
    const of = { run, agent: each.agent };
    if (why !== null) left.push({ ...of, post: null, is: 'refused', why });
    else {
      const post = await say(run, { by: word.by, ...(word.why !== null && { why: word.why }) });
      left.push({ ...of, post, is: held ? 'waits' : 'left', why: null });
    }
  }
  return obeyed(store, left, word.pause);
}

/** Waits until the processes that have the runs obey. */
async function obeyed(store: JournalStore, left: readonly WordFor[], pause: boolean): Promise<readonly WordFor[]> {
  const until = Date.now() + WAIT;
  let told = left;
  while (told.some(({ is }) => is === 'waits') && Date.now() < until) {
    await PROCESS.pause(LOOK);
    told = await Promise.all(told.map((each) => (each.is === 'waits' ? looked(store, each, pause) : each)));
  }
  return told;
}

async function looked(store: JournalStore, word: WordFor, pause: boolean): Promise<WordFor> {
  const summary = await store.run(word.run);
  if (summary === null) return { ...word, is: 'refused', why: 'it is gone' };
  const { standing } = parseRunNote(summary.note) ?? runNoteOf(await gathered(store.read(word.run)));
  if ((standing.is === 'paused') === pause) return { ...word, is: 'done' };
  return summary.held ? word : { ...word, is: 'left' };
}
