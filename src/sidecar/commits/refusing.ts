/**
 * A refused commit as a failure (semantics.md E4): the owner of the work, the keys found wrong with it, and the wait
 * before the work is done again.
 */
import { createHash } from 'node:crypto';
import type { PublishEntry } from '../../model/call-entries.ts';
import { isExternal } from '../../model/external-keys.ts';
import { type InstanceId, instanceName, ROOT } from '../../model/instance.ts';
import { type Key, overlaps } from '../../model/key.ts';
import { split } from '../../model/region.ts';
import type { Relied } from '../../projection/positions.ts';
import type { RunState } from '../../projection/run-state.ts';
import type { RecordedStep } from '../../projection/state-types.ts';
import type { Raised } from '../parts.ts';
import type { Refusal } from './preparing.ts';

/** The longest wait before the work of a refused commit is done again, in milliseconds. */
const LONGEST_WAIT = 5_000;

/**
 * The failure that a refused commit is: of the read that moved, where one did, else of the call that is to blame. The suspect is what
 * the answer to either was kept under (C12).
 */
export function failureOf(
  runState: RunState,
  entry: PublishEntry,
  { why, call, moved }: Refusal,
  { read }: Relied,
): Raised {
  const { registry, versions, head } = runState.history;
  const isKnown = read !== null && read.instance.skeleton !== ROOT && registry.get(read.instance) !== undefined;
  const blamed = moved && isKnown ? read : { instance: call.intent.instance, actor: call.intent.actor };
  const id = blamed.instance;
  const key = writtenBy(runState, id, blamed.actor) ?? writtenBy(runState, id, call.intent.actor);
  const record = registry.get(id);
  const write =
    key === null || record === undefined ? undefined : versions.firstWrite(record, (written) => overlaps(written, key));
  return {
    signal: 'CONTRACT_VIOLATION',
    error: new Error(`the commit ${entry.boundary} of ${instanceName(entry.instance)} was refused: ${why}`),
    actor: split(runState.places.of(instanceName(id))?.region ?? '0:')[0],
    failure: { in: id, key: write === undefined ? null : key },
    call: null,
    suspect: true,
    about: {
      write: write === undefined ? null : runState.originOf(write.at),
      head,
      epoch: runState.epochs.get(instanceName(id)) ?? 0,
    },
    commit: entry.id,
  };
}

/** The writes of an instance when it received the answer of an actor: first of its context, else outside of it. */
function writtenBy(runState: RunState, id: InstanceId, actor: number): Key | null {
  const heard = runState.actors[actor]?.ended as RecordedStep | null | undefined;
  const name = instanceName(id);
  const keys = (heard?.entry?.marks ?? []).flatMap((mark) =>
    mark.do === 'write' && instanceName(mark.in) === name ? [mark.key] : [],
  );
  return keys.find((key) => !isExternal(key)) ?? keys[0] ?? null;
}

/**
 * The wait before work is done again whose read has moved: runs that meet would meet again at once. Up to as long as the work
 * took, and twice that for each recovery before; another run waits another while, and the same run always the same.
 */
export function waitBefore(
  runState: RunState,
  entry: PublishEntry,
  { moved }: Refusal,
  { read }: Relied,
  now: number,
): number {
  const began = read === null ? undefined : (runState.actors[read.actor]?.by as RecordedStep | null | undefined)?.time;
  if (!moved || began === undefined) return 0;
  const most = Math.min(LONGEST_WAIT, Math.max(1, now - began) * 2 ** runState.recoveries);
  const drawn = createHash('sha256').update(`${entry.id} ${runState.recoveries}`).digest().readUInt32BE(0) / 2 ** 32;
  return Math.round(drawn * most);
}
