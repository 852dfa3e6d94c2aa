/** Where a runtime is to stand after a restore, or in a fresh process (semantics.md §10, §11). */
import type { Edit, HistoryValue, StateValue } from '../model/step-entry.ts';
import type { RuntimeEvent } from './microstep.ts';

/** A delayed event, when it is due on the clock of the run, and its whole delay, in milliseconds. */
export interface TimerPlan {
  readonly id: string;
  readonly event: RuntimeEvent;
  readonly due: number;
  readonly delay: number;
  /** The number of the actor that hears it; null for the one that has it scheduled. */
  readonly to: number | null;
}

/** An actor to be made anew. */
export interface ChildPlan {
  /** Its number in the journal. */
  readonly number: number;
  readonly id: string;
  /** The name of its logic; null where it is inline and invoked. */
  readonly src: string | null;
  /** The path of the state that invokes it; null for a spawned one. */
  readonly at: string | null;
  /** The event of the step that started it, for the function that computes its input. */
  readonly event: RuntimeEvent;
  /** The input of a spawned one. */
  readonly input: unknown;
  /** The name of a spawned one in the system; left out where it has none. */
  readonly systemId?: string;
  /** The plan of a machine; null for a machine that starts afresh, and for an actor that is no machine. */
  readonly plan: ActorPlan | null;
  readonly kind: 'promise' | 'machine' | 'other';
}

/** Where an actor is to stand. */
export interface ActorPlan {
  readonly value: StateValue;
  readonly remembered: HistoryValue;
  readonly context: unknown;
  /**
   * The actor's context right before, and the changes since, if both are known: a runtime need not search unchanged
   * parts.
   */
  readonly since?: { readonly context: unknown; readonly edits: readonly Edit[] };
  /** The event of its last step, for the functions that compute the output of a machine that is done. */
  readonly last: RuntimeEvent;
  /** The ids of the children that stay. */
  readonly keep: readonly string[];
  readonly make: readonly ChildPlan[];
  /** The ids of the timers to take back before `timers` are armed. */
  readonly cancel: readonly string[];
  readonly timers: readonly TimerPlan[];
  /** True where a delayed event of a state was armed since control came there: what was not, is armed with the state (a crash, a claim). */
  isArmed(id: string, state: string): boolean;
  /** The clock of the run, in milliseconds. */
  now(): number;
}
