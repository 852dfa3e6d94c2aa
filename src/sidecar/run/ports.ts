/** The ports through which the outbox and the recoveries of a run act on it. */
import type { Begun } from '../../model/entry.ts';
import { eventType } from '../../model/reply-event.ts';
import type { ChangedPaper, Paper } from '../../recovery/cut.ts';
import type { Runtime } from '../../runtime/runtime.ts';
import type { Calls } from '../calls/calls.ts';
import { looksOf } from '../commits/commit-looks.ts';
import { Outbox } from '../commits/outbox.ts';
import type { Recovering } from '../failures/recovering.ts';
import type { Mandates } from '../mandates/mandates.ts';
import { begunWith, enteredWith } from '../paper/begun.ts';
import { paperFor, paperWith, type ReadsOf } from '../paper/on-paper.ts';
import type { Change, RunParts } from '../parts.ts';
import type { Writing } from '../writing.ts';
import { keysOf } from './shown.ts';

interface OutboxParts {
  readonly write: Writing;
  readonly calls: Calls;
  readonly runtime: Runtime;
  readonly mandates: Mandates;
}

/** The outbox of a run, whose recoveries are made after it. */
export function outboxOf(
  parts: RunParts,
  { write, calls, runtime, mandates }: OutboxParts,
  recovering: () => Recovering,
): Outbox {
  return new Outbox(parts, {
    append: (entries) => write.append(entries),
    durable: () => write.durable(),
    toolOf: (name) => runtime.toolNamed(name),
    reconcile: (key) => calls.reconcile(key),
    track: (key, own, act) => calls.underWay.track(key, own, act),
    looks: (entry) => looksOf(parts, calls, entry),
    discard: (call) => calls.discard(call),
    mandates,
    outsideMandate: (call) => calls.outsideMandate(call),
    park: (call, error) => recovering().parkCommit(call, error).finally(parts.activity.wait()),
    refused: (raised) => recovering().refused(raised),
  });
}

type Read = Pick<RunParts, 'runState' | 'config'>;

/** The past of a run on paper, for one decision; null for a runtime that has no machine. */
export function paperOf(parts: Read, { machines }: Pick<Runtime, 'machines'>): Paper | null {
  return machines === null ? null : paperFor(parts.runState, machines, readsIn(parts));
}

/** The past of a run on paper for its recoveries: unchanged, or with a change. */
export function papersOf(parts: Read, runtime: Pick<Runtime, 'machines' | 'enterable'>) {
  const { machines, enterable } = runtime;
  return {
    paper: () => paperOf(parts, runtime),
    paperWith: (change: Change): ChangedPaper | null =>
      machines === null ? null : paperWith(parts.runState, machines, readsIn(parts), change),
    begunWith: (event: unknown): Begun | null => {
      if (machines !== null) return begunWith(parts, machines, event);
      return enterable === null ? null : enteredWith(parts, enterable, event);
    },
    program: enterable,
  };
}

/** The keys that the sender of an event had seen, by the step that took it: the sender's own, else those of its type; null where these were all (PA6). */
export function readsIn({ runState, config }: Read): ReadsOf {
  return ({ nth, entry }) => {
    const seen = runState.received.takenBy(nth)?.seen;
    return seen === undefined ? (config.events.get(eventType(entry?.event))?.reads ?? null) : keysOf(seen);
  };
}
