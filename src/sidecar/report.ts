/** The reports of a run to its user: each decision, and how it ended. */
import type { UnansweredComplaint } from '../effects/gates.ts';
import type { Decision } from '../model/decision.ts';
import type { Effect } from '../model/effect.ts';
import type { Cause } from '../model/failure.ts';
import type { InstanceId } from '../model/instance.ts';
import type { StandingAct } from '../projection/aborted.ts';
import type { BrokenObligation, UnannouncedCommit, UntakenEvent } from '../reports/left-at-end.ts';

/** An input of which a replay reads another version than the replaced work read. */
export interface MovedInput {
  readonly instance: InstanceId;
  readonly key: string;
  /** The instances that have written it since. */
  readonly by: InstanceId;
}

/** The report that `onDecision` receives. */
export interface Report {
  readonly decision: Decision;
  readonly signal: Cause;
  /** The message of the raw error. */
  readonly error: string;
  /** The inputs that the replay will read in another version (empty where nothing is replayed). */
  readonly movedInputs: readonly MovedInput[];
  /**
   * The events from outside that the restore takes back, in order: only their sender, or `redeliver`, sends them again.
   */
  readonly takenBack: readonly unknown[];
}

/** A commit of a run, as the program is told of it. */
export interface Commit {
  readonly run: string;
  /** The name of the commit. A commit that is told again after a crash has the same name. */
  readonly id: string;
  readonly instance: InstanceId;
  readonly boundary: string;
  /** What the boundary says; null where it says nothing. */
  readonly message: string | null;
  /** The calls that the commit has made visible, in their order. */
  readonly calls: readonly { readonly key: string; readonly tool: string }[];
  /** The external keys that the unit has written since its commit before. */
  readonly things: readonly string[];
}

/** An undo that is owed, and why. */
export interface Owed {
  readonly effect: Effect;
  readonly error: string;
}

/** The end of a run, or the reason why it stands still. */
export type Ending =
  | {
      readonly status: 'done';
      readonly output: unknown;
      /** The keys of held calls whose commit never came: they did not happen (E4). Left out if there are none. */
      readonly unpublished?: readonly string[];
      /** The complaints that came too late to be answered: their work stands. Left out if there are none. */
      readonly unanswered?: readonly UnansweredComplaint[];
      /** The events from outside that no state has taken (LC8). Left out where there are none. */
      readonly untaken?: readonly UntakenEvent[];
      /**
       * The keys of calls that stand in the world and that the machine left without their answers (PA11). Left out
       * where there are none.
       */
      readonly standing?: readonly string[];
      /**
       * The tools of class `none` of which calls were still under way: their answers are dropped. Left out where there
       * are none.
       */
      readonly dropped?: readonly string[];
      /** The commits that `onCommit` was not told of (SP4). Left out where there are none. */
      readonly unannounced?: readonly UnannouncedCommit[];
      /**
       * The obligations that are not kept: a person has said so, or has ended the run (OB4). Left out where there are
       * none.
       */
      readonly broken?: readonly BrokenObligation[];
    }
  /** A person has ended it: its effects stand. */
  | {
      readonly status: 'cancelled';
      readonly by: string;
      readonly why: string | null;
      /**
       * The keys of calls that stand in the world without work of the run: left standing, or not repeated (C9, PA11).
       */
      readonly standing: readonly string[];
      /** The commits that `onCommit` was not told of (SP4). Left out where there are none. */
      readonly unannounced?: readonly UnannouncedCommit[];
      /**
       * The obligations that are not kept: a person has said so, or has ended the run (OB4). Left out where there are
       * none.
       */
      readonly broken?: readonly BrokenObligation[];
    }
  /** A person has aborted it: undoable calls are undone, and the standing calls are named (AB7, AB8). */
  | {
      readonly status: 'compensated';
      readonly by: string;
      readonly why: string | null;
      /** The keys of calls that stand in the world. */
      readonly standing: readonly string[];
      /** The calls that stand, each with the reason, and with the undone calls that it rested on. */
      readonly stands: readonly StandingAct[];
      /** The commits that `onCommit` was not told of (SP4). Left out where there are none. */
      readonly unannounced?: readonly UnannouncedCommit[];
      /**
       * The obligations that are not kept: a person has said so, or has ended the run (OB4). Left out where there are
       * none.
       */
      readonly broken?: readonly BrokenObligation[];
    }
  /** A person has paused it: nothing leaves and arrivals wait until `unpause` (LC10). */
  | { readonly status: 'paused'; readonly by: string; readonly why: string | null }
  /** Nothing more happens until a person or the world acts: the decision says what (§8.4). */
  | {
      readonly status: 'parked';
      readonly decision: Decision;
      /** The messages of the errors that it is parked over, the oldest first, each once, without redacted values. */
      readonly over: readonly string[];
    }
  /** An undo failed, and memory is not restored over it (E5). */
  | {
      readonly status: 'stuck';
      readonly decision: Decision;
      /** The first undo that failed, and why. */
      readonly effect: Effect;
      readonly error: string;
      /** All undos that are owed, newest first: the failed undos, and the undos that wait for a failed one. */
      readonly owed: readonly Owed[];
    };
