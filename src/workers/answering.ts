/** Leaves people's answers for a run: to its requests, and about the outcomes of its calls. */
import { messageOf } from '../effects/messages/answers.ts';
import { outcomeMessage, type SentOutcome } from '../effects/messages/outcomes.ts';
import { gathered } from '../journal/gathered.ts';
import type { JournalStore } from '../journal/journal.ts';
import { timelineOf } from '../reports/timeline.ts';

/** A person who answers. */
interface Answerer {
  readonly by: string;
  readonly why?: string;
}

/** @throws RangeError if the run has ended. */
export function refuseEnded(run: string, how: string | null): void {
  if (how !== null) throw new RangeError(`run ${JSON.stringify(run)} has ended: it is ${how}`);
}

/** Leaves the outcome of a call, named by its key. */
export async function settledByKey(
  store: JournalStore,
  run: string,
  key: string,
  { status, output }: { readonly status: SentOutcome['status']; readonly output?: unknown },
  { by, why }: Answerer,
): Promise<number> {
  const told = { settle: key, status, ...(output !== undefined && { output }), by, why: why ?? null };
  const message = outcomeMessage(told);
  const { runState } = timelineOf(await gathered(store.read(run)));
  refuseEnded(run, runState.ended);
  if (runState.ledger.named(key.replace(/#\d+$/, '')) === undefined)
    throw new RangeError(`no call of run ${JSON.stringify(run)} has the key ${JSON.stringify(key)}`);
  return store.post(run, message);
}

type Said =
  | { readonly verdict: 'denied' }
  | { readonly verdict: 'approved'; readonly with?: unknown }
  | { readonly verdict: 'settled'; readonly status: 'confirmed' | 'failed'; readonly output?: unknown };

/** Leaves an answer to a request, bound to what the request asks for. */
export async function answered(
  store: JournalStore,
  run: string,
  gate: string,
  said: Said,
  { by, why }: Answerer,
): Promise<number> {
  const { runState } = timelineOf(await gathered(store.read(run)));
  const request = runState.asked.get(gate);
  if (request === undefined)
    throw new RangeError(`run ${JSON.stringify(run)} asks nothing under ${JSON.stringify(gate)}`);
  const { digest, epoch } = request;
  return store.post(run, messageOf({ gate, digest, epoch, by, why: why ?? null, ...said }));
}
