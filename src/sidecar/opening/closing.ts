/**
 * Gives a run back: calls under way are aborted, calls that have not come back are named for the next process, and
 * nothing is called any more (semantics.md E2).
 */
import type { Journal } from '../../journal/journal.ts';
import { thisProcess } from '../../journal/lease/holder.ts';
import { isOpen } from '../../model/effect.ts';
import type { ActorHandle } from '../../runtime/microstep.ts';
import { leaveBehind } from '../calls/left-behind.ts';
import { givenBack, isDurable } from '../run/rest.ts';
import type { Run } from '../run/run.ts';

/** Stops a run, makes everything durable, and gives its lease back. */
export async function closeRun(run: Run, root: ActorHandle, journal: Journal): Promise<void> {
  const rest = givenBack(run);
  run.stopping();
  run.runtime.stop(root);
  await run.calls.underWay.aborted();
  await run.calls.sandboxes.closing();
  nameWaiting(run);
  nameUnderWay(run);
  if (run.write.broken === null) run.write.now();
  // A base is kept where nothing waits to be written: what has happened is durable whether or not one can be kept. No
  // turn passes before the journal is closed.
  if (isDurable(run) && run.write.broken === null) run.parts.basing.closing();
  await journal.close(rest);
  run.parts.lifecycle.gone();
  run.parts.observing?.closes();
}

/**
 * Says of the calls that waited to leave that they have not happened: nothing leaves any more, and the next process
 * need not ask.
 */
function nameWaiting({ calls: { underWay }, write, parts }: Run): void {
  const { ledger } = parts.runState;
  const isWaiting = (key: string) => !underWay.has(key) && ledger.get(key)?.status === 'intended';
  const waiting = write.broken === null ? underWay.leaving.filter(isWaiting) : [];
  const error = 'given back before the call left';
  if (waiting.length > 0) write.append(waiting.map((key) => ({ do: 'outcome', key, status: 'failed', error })));
}

/** Names the calls that may still act, in the rows that become durable before another process can take the run. */
function nameUnderWay({ calls, write, parts }: Run): void {
  const { ledger, secret } = parts.runState;
  const open = [...calls.underWay.acting].filter(([key]) => isOpen(ledger.get(key)?.status ?? 'failed'));
  if (open.length === 0 || write.broken !== null) return;
  for (const [key, acting] of open) leaveBehind(secret, key, acting);
  write.append([{ do: 'given_back', keys: open.map(([key]) => key), by: thisProcess() }]);
}
