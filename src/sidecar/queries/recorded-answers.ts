/** Recorded answers of calls: which were found wrong, and which stand though their work is undone (semantics.md C10). */

import type { LedgerCall } from '../../effects/ledger-call.ts';
import { type InstanceId, instanceName } from '../../model/instance.ts';
import { overlaps, parseKey } from '../../model/key.ts';
import { answeringChild } from '../../model/reply-event.ts';
import type { RunState } from '../../projection/run-state.ts';

/** An instance; without an ordinal, any occurrence of it. */
export type Occurrence = Pick<InstanceId, 'skeleton' | 'entity'> & { readonly ordinal?: number | undefined };

/** Recorded answers that were found wrong. */
export interface SuspectAnswers {
  readonly keys: readonly string[];
  /** True where it is known that it was that answer, and not another of the same work. */
  readonly isSure: boolean;
}

/**
 * The calls of an instance after a position whose recorded answers were found wrong: those that wrote the suspect key, or any where no
 * key says which (C10).
 */
export function wrongAnswers(
  runState: RunState,
  id: InstanceId,
  suspect: string | null,
  after: number,
): SuspectAnswers {
  const { ledger, history } = runState;
  const name = instanceName(id);
  // Without a key it is about what it did before it was last taken back, too, and that its replay has not come to again.
  const lost = suspect === null ? lostCalls(runState, id).filter(({ intent }) => intent.class === 'idempotent') : [];
  const placed = ledger.between(name, after, history.head).filter(({ status }) => status === 'confirmed');
  const own = [...placed, ...lost];
  const wrote = suspect === null ? null : callsThatWrote(runState, id, suspect);
  const keys = own.map(({ key }) => key).filter((key) => wrote === null || wrote.has(key));
  return { keys, isSure: wrote?.size === 1 };
}

/**
 * The calls of work that is undone, that stand in the world and whose answers its replay would be served; without an ordinal, of
 * any.
 */
export function lostCalls(runState: RunState, { skeleton, entity, ordinal }: Occurrence): LedgerCall[] {
  return runState.ledger.displaced().filter(({ status, wrong, intent: { instance } }) => {
    const isMeant = instance.skeleton === skeleton && instance.entity === entity;
    return isMeant && status === 'confirmed' && wrong === null && (ordinal ?? instance.ordinal) === instance.ordinal;
  });
}

/** The keys of the calls whose answers wrote a suspect key; null where one of its writes was no such answer. */
function callsThatWrote(runState: RunState, id: InstanceId, suspect: string): ReadonlySet<string> | null {
  const { history, places, ledger, family } = runState;
  const record = history.registry.get(id);
  const key = parseKey(suspect);
  const writes =
    record === undefined ? [] : history.versions.writesOf(record).filter((each) => overlaps(each.key, key));
  const calls = writes.map((write) => {
    const step = places.stepAt(write.at);
    const child = answeringChild((step?.entry?.event as { type?: unknown } | undefined)?.type);
    const ended = step === undefined ? [] : family.endedBy(step);
    const actor = ended.findLast(
      (other) => other.parent === step?.actor && other.started?.id === child && other.ended === step,
    );
    return actor === undefined ? undefined : ledger.ofActor(actor.number)?.key;
  });
  return calls.includes(undefined) ? null : new Set(calls as string[]);
}
