/**
 * Why a candidate was refused: a closed code and its witness (semantics.md §8). Reasons are data; `recovery/explain.ts`
 * alone turns them into sentences. The codes of §8 that need control state, approvals, budgets or leases join this union
 * together with the code that can raise them.
 */
import type { Checkpoint } from './checkpoint.ts';
import type { Effect, EffectVeto } from './effect.ts';
import type { InstanceId } from './instance.ts';

/**
 * One dependency of K6: `consumer` read at `step` what `producer` wrote at `write`, or was started by it at `step`.
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
  | { readonly kind: 'start'; readonly producer: InstanceId; readonly consumer: InstanceId; readonly step: number };

/** Why a failure names nothing: nobody of that name was entered, or it never wrote that key. */
export type Abstention = 'never_entered' | 'never_wrote';

/** A refusal with its witness. `candidate` is the checkpoint of the failed instance that was refused, null where none was found. */
export type Veto =
  | {
      readonly code: 'ambiguous_instance';
      readonly candidate: null;
      readonly instance: InstanceId;
      readonly key: string | null;
      readonly why: Abstention;
    }
  | { readonly code: 'exit_not_restorable'; readonly candidate: Checkpoint; readonly instance: InstanceId }
  | {
      readonly code: 'committed_consumers_present';
      readonly candidate: Checkpoint;
      readonly dependence: Dependence;
      /** The consumer's newest certified commit or exit: the promise that the line would cross. */
      readonly committed: Checkpoint;
    }
  | { readonly code: EffectVeto; readonly candidate: Checkpoint; readonly effect: Effect };

/** The closed set of reasons (§8); spelled as in the paper where it has one. */
export type VetoCode = Veto['code'];
