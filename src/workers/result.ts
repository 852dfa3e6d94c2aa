/** How far a run is that was left for workers. */

import { complaintIn } from '../effects/messages/complaints.ts';
import { sentIn } from '../effects/messages/sent-events.ts';
import { revive } from '../journal/codec.ts';
import { gathered } from '../journal/gathered.ts';
import { JournalError, type JournalStore } from '../journal/journal.ts';
import { CRASHES } from '../journal/work.ts';
import { actsThatStand, type LeftAtEnd, leftAtEnd, type StandingAct } from '../reports/left-at-end.ts';
import { parseRunNote } from '../reports/run-note.ts';
import { timelineOf } from '../reports/timeline.ts';

/** The state of a run that was left for workers. */
export type WorkResult =
  /** The machine reached its end. `unpublished` and `unanswered` are there where it has left anything: it is not done as it was meant then. */
  | ({ readonly is: 'done'; readonly output: unknown } & LeftAtEnd)
  /** A person has ended it; what it had done stands. */
  | { readonly is: 'cancelled'; readonly by: string; readonly why: string | null }
  /** A person has aborted it: what could be undone is, and each call that stands is named, with why (AB7). */
  | {
      readonly is: 'compensated';
      readonly by: string;
      readonly why: string | null;
      readonly stands: readonly StandingAct[];
    }
  /** A person has paused it: nothing of it goes on before a person says unpause. */
  | { readonly is: 'paused'; readonly by: string; readonly why: string | null }
  /** No worker has had it yet. */
  | { readonly is: 'left' }
  | { readonly is: 'running' }
  /** It waits: for a time, a person, an event or a worker. */
  | { readonly is: 'waits' }
  /** It has ended three processes, and is given to no other before a person has resumed it. */
  | { readonly is: 'worker_crashed' };

/** The state of a run that was left for workers. @throws JournalError `run_unknown`. */
export async function resultOf(store: JournalStore, run: string): Promise<WorkResult> {
  const order = await store.work.order(run);
  if (order === null) {
    const what = (await store.run(run)) === null ? 'There is no run' : 'No worker was asked for the run';
    throw new JournalError('run_unknown', `${what} ${JSON.stringify(run)}. Leave it for workers with start().`);
  }
  if (order.ended !== null) {
    const end = await endOf(store, run);
    if (end !== null) return end;
    const left = await leftBy(store, run);
    const output = order.output === null ? undefined : revive(JSON.parse(order.output), { resolve: () => undefined });
    return { is: 'done', output, ...left };
  }
  const standing = parseRunNote((await store.run(run))?.note)?.standing;
  if (standing?.is === 'paused') return standing;
  if (order.held) return { is: 'running' };
  if (order.taken >= CRASHES) return { is: 'worker_crashed' };
  return order.digests === null ? { is: 'left' } : { is: 'waits' };
}

/** The end of a run that a person has ended; null for any other. */
async function endOf(store: JournalStore, run: string): Promise<WorkResult | null> {
  const noted = parseRunNote((await store.run(run))?.note);
  if (noted !== null && noted.standing.is !== 'cancelled' && noted.standing.is !== 'compensated') return null;
  const { runState } = timelineOf(await gathered(store.read(run)));
  const { ended, asked } = runState;
  if (asked.cancelled === null) return null;
  const { by, why } = asked.cancelled;
  if (ended === 'compensated') return { is: ended, by, why, stands: actsThatStand(runState) };
  return ended === 'cancelled' ? { is: ended, by, why } : null;
}

/** The things that a run which is done has left. Its rows are read where its note or a message of it says that there may be any. */
async function leftBy(store: JournalStore, run: string): Promise<LeftAtEnd> {
  const posts = await store.posts(run);
  const standing = parseRunNote((await store.run(run))?.note)?.standing;
  const isWhole =
    standing?.is === 'done' &&
    standing.unpublished === undefined &&
    standing.unanswered === undefined &&
    standing.untaken === undefined;
  if (isWhole && posts.every(({ body }) => complaintIn(body) === null && sentIn(body) === null)) return {};
  return leftAtEnd(timelineOf(await gathered(store.read(run))).runState, posts);
}
