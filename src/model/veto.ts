/**
 * The reason why a candidate was refused: a closed code and its witness (semantics.md §8). Reasons are data; only
 * `recovery/explain.ts` turns them into sentences.
 */
import type { Checkpoint } from './checkpoint.ts';
import type { Effect, EffectVeto } from './effect.ts';
import type { InstanceId } from './instance.ts';
import type { MandateOver } from './mandate-entries.ts';

/**
 * One dependency: `consumer` read at `step` what `producer` wrote at `write`, or was started by it at `step` (K6).
 * `key` is what was read and `wrote` what was written; they overlap, and need not be equal.
 */
export type Dependence =
  | {
      readonly kind: 'read';
      readonly producer: InstanceId;
      readonly wrote: string;
      readonly write: number;
      readonly consumer: InstanceId;
      readonly key: string;
      readonly step: number;
    }
  | { readonly kind: 'start'; readonly producer: InstanceId; readonly consumer: InstanceId; readonly step: number }
  /** The producer's undo moves the region's control back, and the consumer's step goes with the control (C1). */
  | { readonly kind: 'control'; readonly producer: InstanceId; readonly consumer: InstanceId; readonly step: number };

/**
 * The reason why a failure names no instance: none or several fit, none of that name was entered, or it never wrote
 * that key.
 */
export type Abstention = 'fits_nobody' | 'fits_several' | 'never_entered' | 'never_wrote';

/** A reason against a candidate, and against every older one, with its witness. */
export type Reason =
  | {
      readonly code: 'committed_consumers_present';
      readonly dependence: Dependence;
      /** The consumer's newest certified commit or exit: the promise that the line would cross. */
      readonly committed: Checkpoint;
    }
  | { readonly code: EffectVeto; readonly effect: Effect };

/** The reason why a checkpoint cannot be used, whatever its line would be (§8.3). */
export type Unavailable =
  /** Certified under another config or machine (§5). */
  | { readonly code: 'checkpoint_stale'; readonly changed: 'config' | 'machine' }
  /** The checkpoint lies behind the call with this key, whose effect was taken back in the world (E8). */
  | { readonly code: 'effect_gone'; readonly call: string }
  /** The reads of a call had changed at every second look, and the budget of recoveries is used up (RV5). */
  | { readonly code: 'never_still'; readonly spent: number }
  /**
   * The budget of recoveries is used up (R6): of this boundary for this signal, of the run, or of a step that throws
   * again (TH4).
   */
  | { readonly code: 'recovery_budget_spent'; readonly of: 'boundary' | 'run' | 'throw'; readonly spent: number };

/**
 * A refused checkpoint of the failed instance; `candidate` is null if no instance was found. `adds`: the reasons that
 * no newer candidate had; the reasons of newer candidates hold too. An exit is refused unless the reviewed policy
 * allows restoring it (EX1).
 */
export type Refusal =
  | {
      readonly code: 'ambiguous_instance';
      readonly candidate: null;
      readonly instance: InstanceId | null;
      readonly key: string | null;
      readonly why: Abstention;
    }
  | { readonly code: 'no_stable_checkpoint'; readonly candidate: null; readonly instance: InstanceId }
  /** A replay made a call with other arguments under the key of a kept effect (E3). */
  | {
      readonly code: 'effect_diverged';
      readonly candidate: null;
      readonly effect: Effect;
      readonly recorded: string;
      readonly asked: string;
      /** Both as JSON text, cut if they are long; the digests say whether they differ. */
      readonly recordedArgs: string;
      readonly askedArgs: string;
    }
  /**
   * A call may not leave: no journal or codec can hold the value at this place in its arguments, '' for the whole (E3).
   */
  | {
      readonly code: 'no_codec';
      readonly candidate: null;
      readonly instance: InstanceId;
      readonly tool: string;
      readonly path: string;
      readonly reason: string;
    }
  /** An answer has changed at the second look before a call, and the config has a person asked (RV3). */
  | {
      readonly code: 'read_moved';
      readonly candidate: null;
      readonly instance: InstanceId;
      readonly tool: string;
      readonly before: string;
    }
  /** A sandbox could not be started, or its state is unknown (SB3). */
  | {
      readonly code: 'sandbox_failed';
      readonly candidate: null;
      readonly instance: InstanceId | null;
      readonly sandbox: string;
      readonly reason: string;
    }
  /** A call would leave again under a key that its counterparty may have forgotten (E3). */
  | { readonly code: 'key_expired'; readonly candidate: null; readonly effect: Effect }
  /** The runtime refuses the graph as it is built; no code of a node threw. `reason` says why, and what to do. */
  | {
      readonly code: 'graph_refused';
      readonly candidate: null;
      readonly instance: InstanceId | null;
      readonly reason: string;
    }
  /**
   * The restore would cross the end of a turn that a person has read: the turn, and the number of the step that ended
   * it (RC3).
   */
  | {
      readonly code: 'said_to_person';
      readonly candidate: null;
      readonly instance: InstanceId | null;
      readonly turn: number;
      readonly step: number;
    }
  /**
   * The restore would take back a choice among alternatives, or work of the branches. `winner`: the chosen branch; null
   * for none (AL9).
   */
  | {
      readonly code: 'choice_stands';
      readonly candidate: null;
      readonly instance: InstanceId | null;
      readonly alternatives: string;
      readonly winner: string | null;
    }
  | (Unavailable & { readonly candidate: Checkpoint; readonly instance: InstanceId })
  /** Control could not follow: the plan's postconditions fail for this instance, entered at event `step`. */
  | {
      readonly code: 'replay_escapes_instance';
      readonly candidate: Checkpoint;
      readonly instance: InstanceId;
      readonly step: number;
    }
  /**
   * Without `why`: the reviewed policy allows no restore of this skeleton's exits (EX1). `behind`: who is behind the
   * exit (EX2).
   */
  | {
      readonly code: 'exit_not_restorable';
      readonly candidate: Checkpoint;
      readonly instance: InstanceId;
      readonly why?: 'control_unknown' | 'not_over' | 'behind';
      readonly behind?: InstanceId;
    }
  /**
   * A call would be made while an effect of the same tool and entity stands that no replay has claimed (C8), or the run
   * would end so (C9).
   */
  | {
      readonly code: 'unclaimed_effect';
      readonly candidate: null;
      readonly effect: Effect;
      readonly instance: InstanceId;
    }
  /** The run would end while it owes the obligation of this name, which `tool` would keep (OB4). */
  | {
      readonly code: 'obligation_owed';
      readonly candidate: null;
      readonly instance: InstanceId;
      readonly obligation: string;
      readonly tool: string;
      /** The wall clock at which the obligation is due; null for never. */
      readonly due: number | null;
    }
  /**
   * A call of `tool` would leave, and the mandate of the run is over (MD3). `mandate` is its name; null where none was
   * given.
   */
  | {
      readonly code: 'mandate_over';
      readonly candidate: null;
      readonly instance: null;
      readonly mandate: string | null;
      readonly why: MandateOver;
      readonly tool: string;
    }
  /** The run has ended, and its output was handed over. */
  | { readonly code: 'run_finished'; readonly candidate: null; readonly instance: InstanceId | null }
  /** `all`: these are all reasons against the candidate; the reasons of newer candidates do not hold. */
  | { readonly candidate: Checkpoint; readonly adds: readonly Reason[]; readonly all?: true };

/** One reason against one candidate, with its witness (§8.3). */
export type Veto = Extract<Refusal, { code: unknown }> | (Reason & { readonly candidate: Checkpoint });

/** The closed set of reasons (§8); spelled as in the paper where it has one. */
export type VetoCode = Veto['code'];
