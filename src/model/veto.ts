/**
 * The reason why a candidate was refused: a closed code and its witness (semantics.md §8). Reasons are data; `recovery/explain.ts`
 * alone turns them into sentences. The codes of §8 that need control state, approvals, budgets or leases join this union
 * together with the code that can raise them.
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
  /** The region's control goes back with its producer, and the consumer's step with the control (C1). */
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
  /** It lies behind a call whose effect was taken back in the world, by the key of that call (E8). */
  | { readonly code: 'effect_gone'; readonly call: string }
  /** What a call rests on has changed each time that it was looked at again, and the budget of recoveries is used up (RV5). */
  | { readonly code: 'never_still'; readonly spent: number }
  /** The budget of recoveries is used up (R6). `of` names its owner: this boundary for this signal, the run, or a step that threw on the same (TH4). */
  | { readonly code: 'recovery_budget_spent'; readonly of: 'boundary' | 'run' | 'throw'; readonly spent: number };

/**
 * A refused checkpoint of the failed instance. `adds` are the reasons that no newer candidate had; those of the newer
 * ones hold as well. An exit is refused unless the reviewed policy has it restored (EX1). `candidate` is null where no instance was found.
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
  /** A replay asked for something else under the key of an effect that is kept (E3). */
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
  /** A call may not leave: no journal and no codec holds what lies at a place in its arguments, '' for the whole (E3). */
  | {
      readonly code: 'no_codec';
      readonly candidate: null;
      readonly instance: InstanceId;
      readonly tool: string;
      readonly path: string;
      readonly reason: string;
    }
  /** An answer was looked at again before a call, and has changed; its config has a person asked (RV3). */
  | {
      readonly code: 'read_moved';
      readonly candidate: null;
      readonly instance: InstanceId;
      readonly tool: string;
      readonly before: string;
    }
  /** A sandbox cannot be had, or it is unknown how it stands (SB3). */
  | {
      readonly code: 'sandbox_failed';
      readonly candidate: null;
      readonly instance: InstanceId | null;
      readonly sandbox: string;
      readonly reason: string;
    }
  /** A call would leave again under a key that its counterparty may have forgotten (E3). */
  | { readonly code: 'key_expired'; readonly candidate: null; readonly effect: Effect }
  /** The runtime refuses the graph as it is built, at a place that it came to; no code of a node threw. `reason` says what is in the way, and what to do. */
  | {
      readonly code: 'graph_refused';
      readonly candidate: null;
      readonly instance: InstanceId | null;
      readonly reason: string;
    }
  /** The work that would go back lies before the end of a turn that a person has read: the turn, and the number of the step that ended it (RC3). */
  | {
      readonly code: 'said_to_person';
      readonly candidate: null;
      readonly instance: InstanceId | null;
      readonly turn: number;
      readonly step: number;
    }
  /** It would take back the choice among alternatives, or work of their branches. `winner` is the id of the branch that was chosen; null for none (AL9). */
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
  /** No `why`: the reviewed policy has no exit of this skeleton restored (EX1). `behind` is who is behind the exit (EX2). */
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
  /** The run would end while it owes what a call has taken on, by its name, `tool` keeping it (OB4). */
  | {
      readonly code: 'obligation_owed';
      readonly candidate: null;
      readonly instance: InstanceId;
      readonly obligation: string;
      readonly tool: string;
      /** The wall clock at which it is due; null for never. */
      readonly due: number | null;
    }
  /** A call of `tool` would leave, and the mandate of the run is over (MD3). `mandate` is its name; null where none was given. */
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
  /** `all`: these are all the reasons against it, and those of newer candidates do not hold. */
  | { readonly candidate: Checkpoint; readonly adds: readonly Reason[]; readonly all?: true };

/** One reason against one candidate, with its witness (§8.3). */
export type Veto = Extract<Refusal, { code: unknown }> | (Reason & { readonly candidate: Checkpoint });

/** The closed set of reasons (§8); spelled as in the paper where it has one. */
export type VetoCode = Veto['code'];
