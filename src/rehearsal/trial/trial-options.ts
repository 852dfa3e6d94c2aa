/** The settings of one run of a rehearsal. */
import type { BoundaryConfig } from '../../boundaries/config.ts';
import type { LocalStore } from '../../journal/journal.ts';
import type { AnyStateMachine } from '../../xstate/actor.ts';
import type { RehearsedFault } from '../faults/fault.ts';
import type { Observation } from './observation.ts';
import type { Treatment } from './passing.ts';
import type { NamedPath, Subject } from './subject.ts';

/** The settings of a run. */
export interface TrialOptions {
  readonly subject: Subject;
  readonly config: BoundaryConfig;
  readonly path: NamedPath;
  readonly fault: RehearsedFault | null;
  readonly passing: Treatment;
  /** The machine that is run in the place of the agent's own; that one if left out. */
  readonly change?: (machine: AnyStateMachine) => AnyStateMachine;
  /** Where this process is one of several of a run; null where the trial makes all of them. */
  readonly life?: OneLife;
}

/** One process of a run whose processes are really killed. */
interface OneLife {
  readonly store: LocalStore;
  readonly seen: Observation;
  readonly isFirst: boolean;
  /** The time at which it begins, in milliseconds; the usual one if left out. */
  readonly time?: number;
  /** The append at which it ends; null for the last process. */
  readonly dies: number | null;
  /** Ends this process. */
  die(): void;
}
