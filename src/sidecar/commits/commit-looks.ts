/** The second looks of a commit, before it is decided (semantics.md RV4). */
import type { LedgerCall } from '../../effects/ledger-call.ts';
import { errorMessage } from '../../effects/signals.ts';
import type { PublishEntry } from '../../model/call-entries.ts';
import type { Entry } from '../../model/entry.ts';
import { argsOf } from '../calls/args.ts';
import type { Calls } from '../calls/calls.ts';
import type { SecondLooking } from '../calls/revalidating.ts';
import type { Raised, RunParts } from '../parts.ts';
import { complaintAboutMoved } from '../queries/moved-answers.ts';
import type { Refusal } from './preparing.ts';

/** The second looks of the calls of one commit. */
export interface CommitLooks {
  /** True where a call of the commit rests on an answer that may have to be looked at again. */
  readonly isAny: boolean;
  /** Looks again. @returns the failure that is in the way of the commit, or why it is refused, or null. */
  make(): Promise<Raised | Refusal | null>;
  /** The entries of the answers that the calls rely on. */
  relied(): readonly Entry[];
}

/** The second looks of a commit. */
export function looksOf(
  { runState, lifecycle }: RunParts,
  calls: Calls,
  { keys }: Pick<PublishEntry, 'keys'>,
): CommitLooks {
  const held = keys.flatMap((key) => runState.ledger.get(key) ?? []);
  const all = held.flatMap((call): (readonly [LedgerCall, SecondLooking])[] => {
    const { actor, instance, tool } = call.intent;
    const before = { tool, input: argsOf(runState, call.intent) };
    const looks = calls.looksBefore(before, { actor, instance }, lifecycle.leave);
    return looks?.isAny ? [[call, looks]] : [];
  });
  const make = async (): Promise<Raised | Refusal | null> => {
    for (
      let due = all.find(([, looks]) => looks.isDue());
      due !== undefined;
      due = all.find(([, one]) => one.isDue())
    ) {
      const [call, looks] = due;
      const { intent } = call;
      const reply = await looks.make();
      if (reply === null) continue;
      const actor = runState.actor(intent.actor).parent ?? 0;
      if (reply.is === 'moved') return complaintAboutMoved(runState, reply.moved, intent.tool, actor);
      const why = reply.is === 'failed' ? errorMessage(reply.error) : 'the run was stopped';
      return { why, call, moved: false };
    }
    return null;
  };
  return { isAny: all.length > 0, make, relied: () => all.flatMap(([{ key }, looks]) => looks.relied(key)) };
}
