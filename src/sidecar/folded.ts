/** What a run's fold is made of: its steps, its actors, who is live, its timers, and what is under way. */
import type { Region } from '../history/places.ts';
import type { DecisionEntry, Edit, HistoryValue, Started, StateValue } from '../model/entry.ts';
import type { InstanceId } from '../model/instance.ts';

/** A retained step, or a place where control was put. Its parties and its place in the history are those of `places.steps`. */
export interface FoldedStep {
  readonly actor: number;
  /** Whether control was put there in every region of its actor: by the run's beginning, by a restore or a gate. */
  readonly put: boolean;
  readonly value: StateValue;
  readonly remembered: HistoryValue;
  readonly edits: readonly Edit[];
  /** The boundaries that it certified, by the name of their instance. */
  readonly certified: readonly { readonly name: string; readonly id: string }[];
  /** The memory of its actor after it, where that is kept: from there on the edits lead to the others. */
  memory: { readonly is: unknown } | null;
  /** The event that it took from outside; null for any other. */
  readonly outside: unknown;
  /** The wall clock of its append, in milliseconds. */
  readonly time: number;
}

/** An actor of the run. */
export interface FoldedActor {
  readonly number: number;
  readonly parent: number | null;
  readonly started: Started | null;
  /** The event of the step that started it. */
  readonly event: unknown;
  /** The event of its last step. */
  last: unknown;
  /** The region of its parent in which it is invoked. */
  readonly region: Region | null;
  memory: unknown;
  value: StateValue;
  remembered: HistoryValue;
  /** How many steps ago its memory was kept. */
  sinceBase: number;
  /** The index of the step by which it had ended; null while it goes on. */
  ended: number | null;
}

/** A live instance. */
export interface Live {
  readonly id: InstanceId;
  readonly region: Region;
  /** The ids of the boundaries certified since control came to where it is. */
  readonly certified: Set<string>;
  /** Why nothing of it certifies: a write outside its outputs, or a value that no journal holds. */
  stray: string | null;
}

/** A timer of an actor. */
export interface Timer {
  readonly actor: number;
  readonly id: string;
  readonly region: Region;
  readonly event: unknown;
  readonly due: number;
  /** The index of the last step before it was armed, and of the last before it was gone. */
  armed: number;
  gone: number | null;
}

/** A replay of an instance, until it certifies again. */
export interface Replay {
  /** The keys that the undone part had written. */
  readonly wrote: ReadonlySet<string>;
  /** The numbers between which the undone part lies: after `from`, up to `since`. */
  readonly from: number;
  readonly since: number;
}

/** A decision that is being carried out, or that waits. */
export interface Pending {
  readonly entry: DecisionEntry;
  phase: 'DECIDED' | 'FENCED' | 'RESTORED';
  /** The undo that failed, by the key of its call; null while none has. */
  stuck: { readonly effect: string; readonly error: string } | null;
}
