/**
 * The types of the parts of a run's state: its steps, its actors, its live instances, its timers, and work under way.
 */
import type { PlacedStep } from '../history/step-lists.ts';
import type { DecisionEntry } from '../model/entry.ts';
import type { InstanceId } from '../model/instance.ts';
import type { Region } from '../model/region.ts';
import type { Edit, HistoryValue, Started, StateValue, StepEntry } from '../model/step-entry.ts';

/** Bases that have the entries of steps. */
export interface StepSource {
  /** The entry that stands there. */
  step(stored: unknown): StepEntry;
}

/** A retained step, or a place where a restore put control. */
export interface RecordedStep extends PlacedStep {
  /** True where a restore put control and no entry says it. */
  readonly isPlaced: boolean;
  /** True for a step that took an event from outside. */
  readonly isOutside: boolean;
  /** The control of its actor after it. */
  readonly value: StateValue;
  /** The states that history states remember after the step, and among them the states that the step changed. */
  readonly remembered: HistoryValue;
  readonly recalled: HistoryValue;
  readonly edits: readonly Edit[];
  /** The boundaries that it certified, by the name of their instance. */
  readonly certified: readonly { readonly name: string; readonly id: string }[];
  /** The context of its actor after it, where that is kept: from there on the edits lead to the others. */
  context: { readonly is: unknown } | null;
  /** The event that it took from outside; null for any other. */
  readonly outside: unknown;
  /** The wall clock of its append, in milliseconds. */
  readonly time: number;
  /** As the journal has it; null where a restore put control. What is asked of it may have to be read from a base. */
  readonly entry: StepEntry | null;
  /** The number of the first actor that it started. */
  readonly firstStarted: number;
  /** The names of the instances that it closed. */
  closes: readonly string[];
  /** The numbers under which its marks happened first, where a replay has claimed it; null where those are its own. */
  origins: readonly (number | undefined)[] | null;
  /** Known once it is made; a base names steps that are made later. */
  ties: readonly PlacedStep[];
  /** It is paged out, or in again (null): where it comes to say more than its page, it has to be at hand. */
  paged(pin: ((step: RecordedStep) => void) | null): void;
  /** Has its entry read from the bases of a source from here on: it is kept no longer. */
  settle(source: StepSource, stored: unknown): void;
  /** False where no base has all of its entry. */
  readonly isLetGo: boolean;
  /** Its entry in the bases of a source; undefined where they do not have it. */
  storedIn(source: StepSource): unknown;
  /** It has another entry from here on, that no base has. */
  become(entry: StepEntry): void;
}

/** An actor of the run. */
export interface ActorState {
  readonly number: number;
  readonly parent: number | null;
  readonly started: Started | null;
  /** True where the step that started it says how it was started, and by which event. */
  readonly isSaid: boolean;
  /** The step that started it; null for the root. */
  readonly by: PlacedStep | null;
  /** The event of that step. */
  readonly event: unknown;
  /** The event of its last step. */
  last: unknown;
  /** The region of its parent in which it is invoked. */
  readonly region: Region | null;
  context: unknown;
  value: StateValue;
  remembered: HistoryValue;
  /** The number of steps since its context was kept. */
  sinceBase: number;
  /** True where it has taken a step. */
  begun: boolean;
  /** The step at which the actor ended; null while it runs. */
  ended: PlacedStep | null;
}

/** A live instance. */
export interface Live {
  readonly id: InstanceId;
  readonly region: Region;
  /** The ids of the boundaries certified since control came to where it is. */
  readonly certified: Set<string>;
  /** The ids of the boundaries of which a finding has said that they do not certify. */
  readonly told: Set<string>;
  /** The reason why nothing of it certifies: a write outside its outputs, or a value that no journal holds. */
  stray: string | null;
}

/** A timer of an actor. */
export interface Timer {
  /** Its number among the timers of the run. */
  readonly nth: number;
  readonly actor: number;
  readonly id: string;
  readonly region: Region;
  readonly event: unknown;
  readonly due: number;
  readonly delay: number;
  /** The number of the actor that hears it; null for its own. */
  readonly to: number | null;
  /** The step that armed it. */
  readonly armed: PlacedStep;
  /** The step at which the timer fired or was cancelled; null while it is armed. */
  gone: PlacedStep | null;
}

/** The events from outside that some regions heard from a step on, as their types in order. */
export interface HeardCourse {
  readonly regions: readonly Region[];
  /** The number of that step. Before it, nothing was taken back since. */
  from: number;
  types: string[];
}

/**
 * The events from outside that regions had heard before one that was taken back. Those before the first step that the restore took out are not
 * listed: they stand. A later restore that reaches further back lists what it takes out of them.
 */
export interface HeardBefore {
  readonly course: HeardCourse;
  /** The number of types at the end of the course that came later. */
  readonly later: number;
}

/**
 * An event from outside that a restore took back, with the situation it met: the sidecar sends it again only into the
 * same situation (C1b).
 */
export interface ToRedeliver {
  event: unknown;
  readonly context: unknown;
  readonly control: StateValue;
  /** The regions that it moved or looked at, and the events from outside that they had heard before. */
  readonly regions: readonly Region[];
  readonly moved: readonly Region[];
  readonly heard: HeardBefore;
  /**
   * The keys of the context that were found wrong after the sender had seen them: empty for the whole context, null for
   * none. A new value of such a key counts as another value.
   */
  wrong: readonly string[] | null;
  /** Present where the run has held it before any step took it. */
  readonly held: HeldMessage | null;
  /** Its name among the events that the run was sent; null where it has none (CH7). */
  readonly name: string | null;
  /** The number of the next step when an act had it taken back in its place: it comes first there, whatever its sender had seen (ST3). */
  place?: number;
  /** Present where its sender has said that it still holds: it is handed on as soon as a state takes it (ST2). */
  confirmed?: true;
}

/** The message that brought an event which the run holds. */
export interface HeldMessage {
  /** Its number among the events that the run has held. */
  readonly number: number;
  readonly post: number | null;
  readonly by: string | null;
  /** The names of the instances that would have taken it; null for a root. Empty where that is not known. */
  readonly owners: readonly (string | null)[];
}

/** A decision that is being carried out, or that waits. */
export interface Pending {
  readonly entry: DecisionEntry;
  phase: 'DECIDED' | 'FENCED' | 'RESTORED';
  /** The reasons why undos are owed that failed, or wait for another, by the keys of their calls. */
  readonly stuck: Map<string, string>;
}
