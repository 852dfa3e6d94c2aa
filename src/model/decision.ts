/** The answer to one failure: what to restore, or why not, with every refusal on the way (semantics.md §8). */
import type { Checkpoint } from './checkpoint.ts';
import type { Effect } from './effect.ts';
import type { InstanceId } from './instance.ts';
import type { Abstention, Dependence, Refusal } from './veto.ts';

/** Every policy, the default first. */
export const POLICIES = ['line', 'static', 'dart'] as const;

/** The rule that computes the line: journal order, the same without order, or the paper's one hop (§9). */
export type Policy = (typeof POLICIES)[number];

/** Every joint rule that needs no names. */
export const JOINT_RULES = ['all', 'none'] as const;

/**
 * The instances whose commitments the reviewed policy lets a line cross (§8, level 2): all, none, or those of skeletons by name.
 */
export type JointRule = (typeof JOINT_RULES)[number] | readonly string[];

/** The rules that a run is decided by. */
export interface Rules {
  /** The rule by which the line is computed. */
  readonly policy: Policy;
  /** True if the line may cross commitments of others. */
  readonly joint: JointRule;
  /** The skeletons whose exits may be restored (EX1); none where it is left out. */
  readonly exits?: JointRule;
}

/** The part of an instance's past that is kept: up to a checkpoint, or none of it (⊥, never started). */
export type Keep = Checkpoint | 'none';

/**
 * One instance that a line rolls back. `cause` is the dependency that forced it there; null where the failure itself
 * forced it.
 */
export interface Move {
  readonly instance: InstanceId;
  readonly keep: Keep;
  readonly cause: Dependence | null;
}

/** A recovery line, by its moves; every instance without a move is kept whole. */
export interface RecoveryLine {
  /** 0: the failed instance alone. 1: also uncommitted work of others. 2: it crosses a commitment of others (§8). */
  readonly level: 0 | 1 | 2;
  readonly moves: readonly Move[];
}

/** A finished instance that a cut sets aside: nothing sees it until the replay claims it (C2, C3). */
export interface Aside {
  readonly instance: InstanceId;
  /** The dependency that put it beyond the cut. */
  readonly cause: Dependence;
  /** The instance that takes it along; left out for work that is set aside by itself. */
  readonly within?: InstanceId;
}

/** A party that knows the outcome of a call. */
export interface Counterparty {
  /** The name of the tool's reconciler in the config; null where the config names none. */
  readonly reconciler: string | null;
  /** The keys outside the context that the call writes, as far as the config says: keys with a scheme. */
  readonly writes: readonly string[];
  /** The JSON schema of what the call answers; left out where the config names none. */
  readonly expects?: unknown;
}

/** One act of a person, a reviewer or a counterparty. */
export type Act =
  | { readonly act: 'name_suspect'; readonly why: Abstention }
  | { readonly act: 'allow_joint'; readonly instances: readonly InstanceId[] }
  /** Let the reviewed policy restore the exit of finished work: what that work did stands (EX1). */
  | { readonly act: 'allow_exit'; readonly instance: InstanceId }
  /** Find out what became of a call; `ask` says of which party, where a config was at hand. */
  | { readonly act: 'settle_outcome'; readonly effect: Effect; readonly ask?: Counterparty }
  | { readonly act: 'undo_by_hand'; readonly effect: Effect }
  | { readonly act: 'register_undo'; readonly effect: Effect }
  /**
   * Pass plain data to a tool at a place in its arguments, '' for the whole, or register a codec for the present value.
   */
  | { readonly act: 'register_codec'; readonly tool: string; readonly path: string }
  /** Find an answer wrong that has changed, so that it is asked anew; or ask again, and it is looked at once more (RV3). */
  | { readonly act: 'look_again'; readonly tool: string; readonly instance: InstanceId }
  /** Have a sandbox be there again: put right what it does not start for, and ask again (SB3). */
  | { readonly act: 'start_sandbox'; readonly sandbox: string }
  /**
   * Put right the code that threw, and try the step again. `version` is the version that threw, null if it has no name
   * (TH1).
   */
  | { readonly act: 'fix_and_retry'; readonly version: string | null }
  /** Raise the limit of the runtime that was met, and go on (TH7). */
  | { readonly act: 'raise_limit'; readonly limit: number }
  /** Build the graph in another way, and take the run up with it. */
  | { readonly act: 'change_graph' }
  /** Say what was wrong in a new turn: what the turn of that number said stands (RC3). */
  | { readonly act: 'correct_in_turn'; readonly turn: number }
  /** End the run, with its undos if nothing of it is to be left: the choice among alternatives stands (AL9). */
  | { readonly act: 'cancel_run' }
  /** Say of an obligation that it was kept, is owed no more, or is broken (OB4). */
  | { readonly act: 'settle_obligation'; readonly obligation: string; readonly tool: string }
  /** Give the run another mandate (MD5). */
  | { readonly act: 'give_mandate'; readonly tool: string }
  /** End or undo the instances that control would leave behind, then ask again. */
  | { readonly act: 'end_instances'; readonly instances: readonly InstanceId[] };

/** The smallest set of acts after which the same failure would be answered with `leadsTo`; no acts: a rerun may start now. */
export interface Unblock {
  readonly leadsTo: 'restore' | 'restore_joint' | 'rerun' | 'ask_again' | 'retry';
  readonly acts: readonly Act[];
}

interface Asked {
  /** Null where the site of the failure fits no instance, or several (`ambiguous_instance`). */
  readonly failed: InstanceId | null;
  /** The number of the last event when the question was asked. */
  readonly at: number;
  readonly policy: Policy;
  /**
   * Newest candidate first. A decision that restores lists why each newer candidate could not be used; of older ones, a trace
   * lists all, and a run those that it judged besides (§8).
   */
  readonly refusals: readonly Refusal[];
  /**
   * The effects to undo before the verdict is carried out, in that order (E5: reverse global order): those that the
   * restored line crosses, or all there are for a rerun. Empty when a person has to act first.
   */
  readonly undo: readonly Effect[];
  /** The work that the line sets aside; left out where there is none (C2). */
  readonly aside?: readonly Aside[];
  /** The ids of the calls in flight whose replies are dropped; left out where there are none (C11). */
  readonly dropped?: readonly string[];
}

/**
 * A decision. `settle` answers the held call and moves nothing; `restore` and `restore_joint` permit a restore; `rerun`
 * is advice to the caller; `escalate` waits for a person (§8).
 */
export type Decision =
  | (Asked & { readonly verdict: 'settle'; readonly line: null; readonly effect: Effect })
  | (Asked & {
      readonly verdict: 'restore' | 'restore_joint';
      readonly failed: InstanceId;
      readonly line: RecoveryLine;
    })
  | (Asked & {
      readonly verdict: 'rerun' | 'escalate';
      /** The line that the policy does not allow, level 2; null when no consistent line exists. */
      readonly line: RecoveryLine | null;
      readonly unblock: Unblock;
    });

/** A decision that restores. */
export type Restore = Extract<Decision, { verdict: 'restore' | 'restore_joint' }>;

/** True for a decision that restores. */
export function isRestore(decision: Decision): decision is Restore {
  return decision.verdict === 'restore' || decision.verdict === 'restore_joint';
}

/** A decision that nothing is restored until a person has acted: the question is then asked again (§8). */
export function escalated(
  { failed, at, policy }: Pick<Decision, 'failed' | 'at' | 'policy'>,
  refusals: readonly Refusal[],
  acts: readonly Act[],
): Extract<Decision, { verdict: 'rerun' | 'escalate' }> {
  const unblock = { leadsTo: 'ask_again', acts } as const;
  return { verdict: 'escalate', failed, at, policy, refusals, undo: [], line: null, unblock };
}

/** The effects that refusals name. */
export function effectsIn(refusals: Decision['refusals']): Effect[] {
  const reasons = refusals.flatMap((refusal): readonly object[] => ('adds' in refusal ? refusal.adds : [refusal]));
  return (reasons as readonly { readonly effect?: Effect }[]).flatMap(({ effect }) => effect ?? []);
}

/** The instances that a decision sets aside by themselves. */
export function recordsIn({ aside = [] }: Restore): InstanceId[] {
  return aside.flatMap(({ instance, within }) => (within === undefined ? [instance] : []));
}

/** The rung of the ladder that holds (§8.4). */
export type Verdict = Decision['verdict'];
