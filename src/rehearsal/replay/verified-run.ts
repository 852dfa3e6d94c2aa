/** The result of sending today's machine through a recorded run. */

/** Where today's machine parts from a run. */
export interface Parting {
  /** The number of the step in the run, from 1, and of its row in the journal. */
  readonly step: number;
  readonly row: number;
  /** The machine that takes the step: the id of its actor; '' for the agent's own. */
  readonly actor: string;
  /** The region that the step moved, as a path of states; '' for the whole machine. */
  readonly region: string;
  /** The type of the event. */
  readonly event: string;
  /** The kind of the difference: `step`, one of the two takes a step and the other none. */
  readonly is: 'step' | 'event' | 'state' | 'context' | 'actors' | 'arguments';
  /** The journal's side, and that of today's machine. */
  readonly expected: string;
  readonly found: string;
}

/** A difference that today's config makes at a step, where the machine goes the same way. */
export interface ConfigDifference {
  readonly step: number;
  readonly row: number;
  readonly event: string;
  readonly is: 'entered' | 'certified' | 'closed';
  /** The instance, with its boundary where it is one that certifies. */
  readonly what: string;
  /** `recorded`: only the run has it; `today`: only today's config has it. */
  readonly only: 'recorded' | 'today';
}

/** The reason why a run cannot be compared, or only up to a step. */
export type IncomparableCode =
  /** The run has values of a codec that is not at hand. */
  | 'codec_missing'
  /** The run had values that no journal holds. */
  | 'memory_lost'
  /** Nothing is recorded of it. */
  | 'no_steps'
  /** The machine of the run is not among those that are given. */
  | 'no_machine'
  /** The journal of the run cannot be read. */
  | 'unreadable';

/** A recorded run, held against today's machine and config. */
export interface VerifiedRun {
  readonly run: string;
  readonly agent: string | null;
  readonly is: 'equal' | 'parts' | 'not comparable';
  /** The steps that were compared and are equal, and all that are recorded. */
  readonly equal: number;
  readonly steps: number;
  /** Null unless it parts. */
  readonly parting: Parting | null;
  /** Null unless it is not comparable. */
  readonly why: { readonly code: IncomparableCode; readonly text: string } | null;
  /** True where today's machine, or config, has another digest than the one that the run was journaled under. */
  readonly changed: { readonly machine: boolean; readonly config: boolean };
  /** The steps at which today's config would do something else; null where no config was given. */
  readonly config: readonly ConfigDifference[] | null;
}
