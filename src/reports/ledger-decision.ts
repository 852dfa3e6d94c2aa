import type { AnswerEntry, GateEntry } from '../model/call-entries.ts';
import type { Checkpoint } from '../model/checkpoint.ts';
import type { Verdict } from '../model/decision.ts';
import type { EffectClass, EffectStatus } from '../model/effect.ts';
import type { Cause } from '../model/failure.ts';
import type { InstanceId } from '../model/instance.ts';
import type { VetoCode } from '../model/veto.ts';

/**
 * Something that a call relied on: a key that was read for it, and its last writer; none where that is the root
 * instance.
 */
export interface Relied {
  readonly key: string;
  readonly by: readonly InstanceId[];
}

/**
 * The decision that a call rests on: the nearest answer of a tool that decides that has come to what the call has read
 * (WH1).
 */
export interface BecauseOf {
  /** The row of that answer, and the tool. */
  readonly row: number;
  readonly tool: string;
  readonly answer: unknown;
}

/**
 * An answer that a call relied on as it left: its tool, its age in milliseconds, and if it was looked at again for the
 * call.
 */
interface LookedAge {
  readonly tool: string;
  readonly age: number;
  readonly again: boolean;
}

/** One entry of the ledger, in row `seq`; `time` is that of the wall clock, in milliseconds. */
export type LedgerDecision = { readonly seq: number; readonly time: number } & (
  | {
      readonly is: 'call';
      readonly key: string;
      readonly tool: string;
      readonly instance: InstanceId;
      readonly class: EffectClass;
      readonly args: unknown;
      readonly held: 'gate' | 'buffer' | null;
      /** The keys that its step has read for the call. */
      readonly relies: readonly Relied[];
      /** Null where no decision has come to that. */
      readonly because: BecauseOf | null;
      /**
       * The ages, in milliseconds, of the revalidated answers that the call relied on, and whether a second look was
       * made (RV2).
       */
      readonly looked?: readonly LookedAge[];
      /** The digest of the config that was in force. */
      readonly config: string | null;
    }
  /** The answer of a person, or of the clock; a refused answer as well, with the reason in `why`. */
  | {
      readonly is: 'answer';
      readonly gate: string;
      readonly verdict: AnswerEntry['verdict'];
      readonly by: string | null;
      readonly why: string | null;
      readonly post: number | null;
      /** The outcome of the call, where the answer settled that; else null. */
      readonly status: EffectStatus | null;
      /** The request; null where there is no such gate. */
      readonly asked: AnsweredGate | null;
    }
  /** A call that was not let go. */
  | {
      readonly is: 'refusal';
      readonly tool: string | null;
      readonly instance: InstanceId | null;
      readonly why: string;
    }
  | {
      readonly is: 'recovery';
      /** The how manieth of its run, from 1. */
      readonly number: number;
      readonly signal: Cause;
      readonly error: string;
      readonly verdict: Verdict;
      readonly level: 0 | 1 | 2 | null;
      readonly instance: InstanceId | null;
      /** Where it goes back to, if anywhere. */
      readonly checkpoint: Checkpoint | null;
      /** The reasons against other checkpoints, each code once. */
      readonly codes: readonly VetoCode[];
    }
  | {
      readonly is: 'commit';
      readonly id: string;
      readonly instance: InstanceId;
      readonly boundary: string;
      readonly invariants: readonly string[];
      /** The calls that it made visible. */
      readonly keys: readonly string[];
      /** What its boundary says; null where that says nothing (SP1). */
      readonly message: string | null;
      /** The external keys that its unit has written since its commit before. */
      readonly things: readonly string[];
      /** True where a restore has taken it back since. */
      readonly undone: boolean;
    }
);

/** The request of an answered gate, and what its answer is bound to. */
export interface AnsweredGate extends Pick<GateEntry, 'asks' | 'key' | 'digest' | 'epoch'> {
  readonly tool: string | null;
  readonly instance: InstanceId | null;
}

export type Said<T extends LedgerDecision['is']> = Omit<Extract<LedgerDecision, { is: T }>, 'seq' | 'time'>;
