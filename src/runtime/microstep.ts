/** A step of a runtime, told in the words of a config: states by their paths, regions by theirs, actors by handles. */
import type { HistoryValue, StateValue } from '../model/step-entry.ts';

/** An actor of a runtime. A run compares handles and keeps them; it never looks inside. */
export type ActorHandle = object;

/** An event of a runtime, as a journal holds it. */
export interface RuntimeEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** A state that a step names. */
export interface Place {
  /** The path that a config names it with, behind the tool for a machine that is invoked: `inner/x`. */
  readonly path: string;
  /** The path of its region, within its own machine. */
  readonly region: string;
  /** The part of `path` before its own machine, `inner/`; absent in the outermost machine. The key of a state may have a slash in it, too. */
  readonly prefix?: string;
  /** True for a state in which several units stand side by side, each in the region of its entry. */
  readonly lanes?: true;
}

/** An actor that a step started. */
export interface Child {
  readonly ref: ActorHandle;
  readonly id: string;
  /** The name of its logic; null where it is inline. */
  readonly src: string | null;
  /** The state that invokes it; null for a spawned one. */
  readonly place: Place | null;
  readonly kind: 'promise' | 'machine' | 'other';
  readonly input: unknown;
  /** Its name in the system, where it is spawned and has one. */
  readonly systemId?: string;
}

/** A delayed event that is over: the actor that had scheduled it, and its id there. */
export interface Fired {
  readonly source: ActorHandle;
  readonly id: string;
}

/** The smallest step that a runtime takes. The first of an actor has no `before`. */
export interface Microstep {
  /**
   * Stands for the transitions that it took, from where to where: the same object only where `before`, `after`, `entered`, `hears`, `sources`,
   * `moves`, `looks` and `value` are the same, too. What follows from those is worked out once. Left out by a runtime that knows of none.
   */
  readonly turn?: object | undefined;
  readonly event: RuntimeEvent;
  readonly before: readonly Place[] | null;
  readonly after: readonly Place[];
  readonly entered: readonly Place[];
  /** True where it took its event: an eventless step, which follows of itself, only carries it along. */
  readonly hears: boolean;
  /** The states whose transitions were taken; none for the first step of an actor. */
  readonly sources: readonly Place[];
  readonly contextBefore: unknown;
  readonly context: unknown;
  /** The control of the actor after it. */
  readonly value: StateValue;
  /** The states that history states remember after the microstep; null if it changed none. */
  readonly remembered: HistoryValue | null;
  /** True where the actor has come to its end with it. */
  readonly done: boolean;
  /** The output of an actor that is done. */
  readonly output: unknown;
  /** True if no code of the user's had a part in the step: no guard, no action, no input. */
  readonly bare: boolean;
  readonly started: readonly Child[];
  /** True where its event was sent from outside, and this is the first step that it caused. */
  readonly outside: boolean;
  /** The actors that were there before and are not any more. */
  readonly gone: readonly ActorHandle[];
  /** The paths of the regions whose control the step wrote: the regions of every state that it left or entered (C1). */
  readonly moves: readonly string[];
  /** The paths of the regions whose control it read besides (C1, C1a). */
  readonly looks: readonly string[];
  /** The regions that each of several eventless transitions moved, where they have nothing to do with each other; empty else. */
  readonly parts: readonly (readonly string[])[];
  /** The steps that raised its event, in the same macrostep, counted back from it (C1a). */
  readonly raisedBack: readonly number[];
  /** True where it ran an action that sends an event to another machine (C1a). */
  readonly sends: boolean;
  /**
   * The events that the microstep's actions sent to other machines, and the delayed events that they scheduled (not
   * those that a state's `after` schedules). These are the very objects that other machines receive and that
   * `Watcher.armed` is passed. None are known for the first macrostep of a machine.
   */
  readonly told: readonly RuntimeEvent[];
  /** The delayed event that the step received, if it belongs to no state. */
  readonly fired: Fired | null;
  /** The paths in the context that were observed to be read, where the runtime observes that: then what skeletons declare does not count. */
  readonly reads?: readonly (readonly string[])[] | undefined;
  /** The name of a place in the context that is the runtime's own: what happens there is no read and no write. */
  readonly own?: string | undefined;
  /** The machine that sent its event, and is no part of the runtime's own bookkeeping; null for any other event. */
  readonly sender: ActorHandle | null;
  /** The child that sent its event and is no machine: a callback, an observable (CH8). Left out for any other event. */
  readonly source?: ActorHandle;
  /** The actors that its actions sent events to and that are no machines. Left out where there are none. */
  readonly tells?: readonly ActorHandle[];
}

/** The path of a state within its own machine. */
export function bare({ path, prefix = '' }: Place): string {
  return path.slice(prefix.length);
}
