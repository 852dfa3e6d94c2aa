/**
 * The entry of a microstep: its effect on control and on the context, its parties, and the actors it started
 * (semantics.md §2-§4).
 */
import type { HistoryEvent } from './event.ts';
import type { InstanceId } from './instance.ts';

/** The event of a step that says what calls read which a restore starts again: it takes the machine nowhere. */
export const RESTART = '@belay.restart';

/** The control of a state machine: a state's key, or the keys of a compound or parallel state. */
export type StateValue = string | { readonly [key: string]: StateValue | undefined };

/** The states that a history state remembers, by the id of the history state. */
export type HistoryValue = Readonly<Record<string, readonly string[]>>;

/**
 * A place in an actor's context, and its change by a step. `by` are the parties of the step that changed it, by their
 * index.
 */
export interface Edit {
  readonly op: 'set' | 'delete' | 'append';
  readonly path: readonly string[];
  /** The value of a `set`, the values of an `append`. */
  readonly value?: unknown;
  readonly by: readonly number[];
}

/**
 * An actor that a step started, invoked or spawned. Actors are numbered in the order of their start, from 1; the root
 * is 0.
 */
export interface Started {
  readonly id: string;
  /** The name of its logic; null where it is inline. */
  readonly src: string | null;
  /** The path of the state that invokes it; null for a spawned one. */
  readonly at: string | null;
  readonly kind: 'promise' | 'machine' | 'other';
  /** The input of a spawned actor; an invoked one takes it from the restored context (R7). */
  readonly input?: unknown;
  /** The name of a spawned actor in the system; an invoked one has it from its state. */
  readonly systemId?: string;
}

/** A participant of a step: an instance, or the root of a region. */
export interface Party {
  readonly instance: InstanceId;
  readonly region: string;
}

/**
 * An instance that a step closed. `gate` is true if a boundary was certified at that step; then a cut may set the
 * instance aside (C2).
 */
export interface Closed {
  readonly instance: InstanceId;
  readonly gate: boolean;
  /** The id of the edge by which the work was discarded (PA11); left out if it was not. */
  readonly discard?: string;
}

/** A mark of a step, with the entered region and the id of the certified boundary. */
export interface NamedMark {
  readonly mark: HistoryEvent;
  readonly region: string | undefined;
  readonly boundary: string | undefined;
}

/** A microstep of a machine. */
export interface StepEntry {
  readonly do: 'step';
  readonly actor: number;
  readonly event: unknown;
  /**
   * True if the event came from outside the machine. The machine does not send such an event again when it is taken
   * back.
   */
  readonly outside: boolean;
  readonly value: StateValue;
  /** The states that history states remember; null where they did not change. */
  readonly remembered: HistoryValue | null;
  readonly done: boolean;
  readonly parties: readonly Party[];
  readonly edits: readonly Edit[];
  readonly started: readonly Started[];
  /** Enter, reads, writes, boundaries, in this order (semantics.md §4, K5). */
  readonly marks: readonly HistoryEvent[];
  /** The region of each instance that `marks` enters, and the name that it gives itself. */
  readonly regions: readonly string[];
  /** The paths of the regions whose control the step wrote; left out if they are the regions of its parties (C1). */
  readonly moves?: readonly string[];
  /** The paths of the regions whose control it read besides (C1). */
  readonly looks?: readonly string[];
  /**
   * The steps that raised or sent its event, as (actor, how many steps of that actor ago): they are undone with this
   * step (C1a).
   */
  readonly ties?: readonly (readonly [actor: number, back: number])[];
  /** The number of the source whose chunk it received (CH8). */
  readonly source?: number;
  /** The numbers of the sources that it told something (CH8). */
  readonly tells?: readonly number[];
  /** The ids of the boundaries that `marks` certify, in that order; '' for an outcome checkpoint. */
  readonly boundaries: readonly string[];
  readonly closed: readonly Closed[];
  /** The numbers of the actors that it ended. */
  readonly ended: readonly number[];
}

/** Pairs each mark of a step with the region and the boundary that the entry has for it. */
export function namedMarks({ marks, regions, boundaries }: StepEntry): readonly NamedMark[] {
  let [entered, certified] = [0, 0];
  return marks.map((mark) => ({
    mark,
    region: mark.do === 'enter' ? regions[entered++] : undefined,
    boundary: mark.do === 'boundary' ? boundaries[certified++] : undefined,
  }));
}
