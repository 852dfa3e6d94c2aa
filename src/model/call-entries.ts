/**
 * The entries of calls: their intents and outcomes, the people who are asked, the commits that make them visible
 * (E1-E4).
 */
import type { Shown } from './choice-entries.ts';
import type { EffectClass, EffectStatus } from './effect.ts';
import type { InstanceId } from './instance.ts';

/** A call that is about to leave (E1). */
export interface IntentEntry {
  readonly do: 'intent';
  readonly key: string;
  /** The actor that makes the call. */
  readonly actor: number;
  readonly tool: string;
  readonly instance: InstanceId;
  readonly class: EffectClass;
  readonly undo: boolean;
  /** SHA-256 over the arguments. */
  readonly digest: string;
  /** The arguments of the request. */
  readonly args: unknown;
  /** The event that the call waits for before it leaves: a person's approval, or its instance's commit (E4). */
  readonly held?: 'gate' | 'buffer';
  /**
   * The entity that its key is made of, where that is not its instance's own: the root of a machine that was invoked
   * (E3).
   */
  readonly keyedAs?: string;
  /** The digest of the identity of its act, where its tool declares one (ON1). */
  readonly once?: string;
  /**
   * The key of the act that this call repeats: the call is answered or refused in its place, and never leaves (ON2,
   * ON3).
   */
  readonly repeats?: string;
  /** True where the act is one over all runs of the store (ON6). */
  readonly inStore?: true;
  /**
   * The region in which the call is made; given only if its unit has several regions: calls are numbered in each (E3).
   */
  readonly place?: string;
  /** The version of its tool; left out where that names none (CO4). */
  readonly version?: string;
  /** The sandbox that it works in, where what it does is gone with that (SB4). */
  readonly sandbox?: string;
  /**
   * What the machine asked for, where a person who approved the call had other arguments sent (PE2). Its digest is of
   * these.
   */
  readonly instead?: Instead;
  /** The person who has made the act of the call by hand (PE5). */
  readonly byHand?: string;
  /** The mandate that it leaves under, by its name; left out for a run that needs none (MD2). */
  readonly under?: string;
}

/** The arguments that a machine asked for, and the person who had others sent in their place. */
export interface Instead {
  readonly args: unknown;
  readonly by: string;
}

/**
 * A person is asked whether a call may leave (`approval`), what became of one (`outcome`), which branch of alternatives
 * is chosen (`branch`), or if work may stand of which its judge is not sure (`review`).
 */
export interface GateEntry {
  readonly do: 'gate';
  /** The name of the approval request: unique, and new each time that the question is asked. */
  readonly gate: string;
  readonly asks: 'approval' | 'outcome' | 'branch' | 'review';
  /**
   * The call. Its instance is the intent's, at the epoch of the question. Of a choice, the name of its branches; of a
   * review, the version.
   */
  readonly key: string;
  readonly digest: string;
  readonly epoch: number;
  /** The wall clock after which no answer opens it, in milliseconds; null for never. */
  readonly expires: number | null;
  /**
   * The key of an earlier call that has happened and that this call may repeat: an approval says that the call is
   * another act (E3).
   */
  readonly like?: string;
  /**
   * The act of a run that this one was forked from, done after the fork, which this call may repeat: an approval says
   * that it is another act (FK4). `key` is null where it cannot be read what that run has done.
   */
  readonly kin?: { readonly run: string; readonly key: string | null };
  /** The parts of the arguments that an approval may change; left out where it may change none (PE1). */
  readonly edits?: readonly string[];
  /** The branches among which a person chooses. `digest` covers the branches and their calls (AL11). */
  readonly candidates?: readonly Shown[];
  /** The boundary that waits for a review, and its judge (JU3). */
  readonly review?: { readonly instance: InstanceId; readonly boundary: string; readonly tool: string };
  /** The JSON Schema of the tool's output, in a question about the outcome of a call. */
  readonly expects?: unknown;
}

/** The answer to an approval request. A refused answer and its reason stay in the journal, too. */
export interface AnswerEntry {
  readonly do: 'answer';
  readonly gate: string;
  readonly verdict: 'approved' | 'denied' | 'settled' | 'expired' | 'refused';
  /** The person who answered; null for the clock. */
  readonly by: string | null;
  /** The reason, in that person's words; for a refused answer, in the sidecar's words. */
  readonly why: string | null;
  /** The number of the message that brought it; null where it was given in the process. */
  readonly post: number | null;
  /** What an approval changes in the arguments of the call, in their form (PE1); of a choice, the branch. */
  readonly with?: unknown;
  /** Why it was refused, as a code. */
  readonly code?: AnswerRefusal;
}

/** Why an answer to an approval request is refused. */
export type AnswerRefusal =
  /** It has no form of an answer, or no person gives it. */
  | 'bad_answer'
  | 'unknown_request'
  /** It answers another question than the request asks. */
  | 'other_question'
  | 'already_answered'
  /** It is for other arguments, or for work that went back since. */
  | 'stale'
  | 'expired'
  | 'run_over'
  /** The output is none that the tool gives. */
  | 'bad_output'
  | 'edit_not_allowed'
  | 'bad_arguments'
  /** The condition of the tool does not hold for the changed arguments. */
  | 'condition_unmet';

/** A commit makes visible what its instance has held back: all of it, with this one entry (E4). Redo-only. */
export interface PublishEntry {
  readonly do: 'publish';
  /** Names the commit to counterparties. */
  readonly id: string;
  readonly instance: InstanceId;
  /** The id of the boundary, and the number of its event. */
  readonly boundary: string;
  readonly at: number;
  /** The calls, in the order of their intents. */
  readonly keys: readonly string[];
  /** The ids of the invariants that held. */
  readonly invariants: readonly string[];
  /** The mandate that it was decided under, by its name; left out for a run that needs none (MD2). */
  readonly under?: string;
  /**
   * The tokens of the staging areas that have prepared it, by their names; left out by versions that did not prepare.
   */
  readonly prepared?: Readonly<Record<string, string>>;
}

/** The state of the staging areas before a tool leaves that reads what their calls change (E4). */
export interface PositionEntry {
  readonly do: 'position';
  /** The actor that makes the call, and its instance. */
  readonly actor: number;
  readonly instance: InstanceId;
  /** The key of the call; left out where its class takes none. */
  readonly key?: string;
  /** The keys outside that the tool is declared to read. */
  readonly reads: readonly string[];
  /** The positions of the areas, by their names. */
  readonly areas: Readonly<Record<string, string>>;
}

/** An answer of a tool whose reads are revalidated (RV1), or a second look at what it has answered. */
interface Look {
  /** The actor whose answer it is. */
  readonly actor: number;
  /** The wall clock at which the answer was known to hold, in milliseconds. */
  readonly at: number;
  /** What was asked and answered, at the first look; left out at a second one. */
  readonly first?: { readonly tool: string; readonly args: unknown; readonly output: unknown };
  /** True where the world was looked at again for the call. */
  readonly again?: true;
}

/**
 * Answers of tools whose reads are revalidated: as they came, or as a call that changes the world relied on them (RV2).
 */
export interface VerifiedEntry {
  readonly do: 'verified';
  /** The key of the call that relied on them; null at the first look. */
  readonly key: string | null;
  readonly reads: readonly Look[];
}

/**
 * The amounts that a call takes of the budgets of its run: admitted before it leaves, charged once its outcome is
 * known.
 */
export interface SpendEntry {
  readonly do: 'spend';
  /** The key of the call, or the number of its actor where its class takes no key. */
  readonly of: string;
  readonly is: 'admitted' | 'charged';
  readonly amounts: Readonly<Record<string, number>>;
}

/** The outcome of a call, or a later report about it. */
export interface OutcomeEntry {
  readonly do: 'outcome';
  readonly key: string;
  readonly status: EffectStatus;
  readonly output?: unknown;
  readonly error?: string;
}
