/** The events of a run, as far as a decision reads them: five kinds, numbered from 1 in their order. */
import type { BoundaryKind } from './checkpoint.ts';
import type { EffectClass, EffectStatus } from './effect.ts';
import type { InstanceId } from './instance.ts';
import type { Key } from './key.ts';

/**
 * The way in which a write treats the earlier value (K6): `update` reads its own key first, `blind` (last writer wins)
 * does not, `append` depends on nothing and covers nothing.
 */
export type WriteMode = 'update' | 'blind' | 'append';

/** An event of a history. `by` is the instance whose act the start is (K6); null when the control flow merely moved on. */
export type HistoryEvent =
  | { readonly do: 'enter'; readonly in: InstanceId; readonly by: InstanceId | null }
  | { readonly do: 'read'; readonly in: InstanceId; readonly key: Key }
  | { readonly do: 'write'; readonly in: InstanceId; readonly key: Key; readonly mode: WriteMode }
  | { readonly do: 'boundary'; readonly in: InstanceId; readonly kind: BoundaryKind }
  | EffectEvent;

/**
 * An effect, or a report about one: a second event with the same `id`, instance and class updates the status, and
 * `undo` unless that is null. Without an `id` every event is an effect of its own.
 */
export interface EffectEvent {
  readonly do: 'effect';
  readonly in: InstanceId;
  readonly id: string | null;
  /** The name of the tool whose call it is, for readers; a report without it leaves the name unchanged. */
  readonly tool?: string;
  readonly class: EffectClass;
  readonly status: EffectStatus;
  readonly undo: boolean | null;
}
