/**
 * The entries of a run's journal: everything that happened, in order. All other state is folded from them
 * (architecture.md). Recorded meaning never changes silently: an entry names the reads and writes in the words of the
 * config that was in force then.
 */
import type { Checkpoint } from './checkpoint.ts';
import type { Decision } from './decision.ts';
import type { EffectClass, EffectStatus } from './effect.ts';
import type { HistoryEvent } from './event.ts';
import type { Signal } from './failure.ts';
import type { InstanceId } from './instance.ts';
import type { RedactionRules } from './redaction.ts';

/** The control of a state machine: a state's key, or the keys of a compound or parallel state. */
export type StateValue = string | { readonly [key: string]: StateValue | undefined };

/** The states that a history state remembers, by the id of the history state. */
export type HistoryValue = Readonly<Record<string, readonly string[]>>;

/**
 * A place in an actor's context, and its change by a step. `by` are the parties of the step that changed it, by their
 * index.
 */
export interface Edit {
  readonly op: 'set' | 'delete' | 'append';
  readonly path: readonly string[];
  /** The value of a `set`, the values of an `append`. */
  readonly value?: unknown;
  readonly by: readonly number[];
}

/**
 * An actor that a step started, invoked or spawned. Actors are numbered in the order of their start, from 1; the root
 * is 0.
 */
export interface Started {
  readonly id: string;
  /** The name of its logic; null where it is inline. */
  readonly src: string | null;
  /** The path of the state that invokes it; null for a spawned one. */
  readonly at: string | null;
  readonly kind: 'promise' | 'machine' | 'other';
  /** The input of a spawned actor; an invoked one takes it from the restored context (R7). */
  readonly input?: unknown;
}

/** A participant of a step: an instance, or the root of a region. */
export interface Party {
  readonly instance: InstanceId;
  readonly region: string;
}

/** The digests under which checkpoints were certified (§5). */
export interface Digests {
  readonly config: string;
  readonly machine: string;
}

/**
 * An instance that a step closed. `gate` is true if a boundary was certified at that step, so that it may be set aside
 * (C2).
 */
export interface Closed {
  readonly instance: InstanceId;
  readonly gate: boolean;
}

/** One entry of a run's journal. */
export type Entry =
  | {
      readonly do: 'begin';
      readonly agent: string;
      readonly digests: Digests;
      readonly format: number;
      /**
       * Random, in hex: digests of arguments are HMACs under it since format 3, keys since format 4. Left out in journals
       * before.
       */
      readonly secret?: string;
      /** Values that are not shown to people; left out where there are none. */
      readonly redact?: RedactionRules;
    }
  /** The run goes on under other digests; earlier checkpoints are stale. */
  | { readonly do: 'config'; readonly digests: Digests; readonly redact?: RedactionRules }
  | StepEntry
  | IntentEntry
  | OutcomeEntry
  /** A held call leaves; `gate` is the approval that it uses up. */
  | { readonly do: 'leave'; readonly key: string; readonly gate: string }
  /** A confirmed call can no longer be undone: what it changed has moved on since (§6). */
  | { readonly do: 'demoted'; readonly key: string; readonly why: string }
  /**
   * A counterparty was asked about a call and did not know. It is asked again no earlier than `next`, unless that is
   * null.
   */
  | { readonly do: 'asked'; readonly key: string; readonly tries: number; readonly next: number | null }
  | GateEntry
  | AnswerEntry
  | PublishEntry
  /**
   * A complaint has replaced questions that the run was parked on, by their names: they are not asked any more (C12).
   */
  | { readonly do: 'retracted'; readonly questions: readonly string[] }
  /**
   * A commit that was decided is withdrawn: it was refused before anything of it was visible, and its calls are held back again
   * (E4).
   */
  | { readonly do: 'withdrawn'; readonly id: string; readonly why: string }
  | PositionEntry
  | SpendEntry
  /** A delayed event was scheduled; with `delay` null it was taken back, or it fired. Milliseconds. */
  | {
      readonly do: 'timer';
      readonly actor: number;
      readonly id: string;
      /** The path of the region that it belongs to, within its machine. */
      readonly region: string;
      readonly event: unknown;
      /** The whole delay. */
      readonly delay: number | null;
      /** The wall clock at which it is over; journals of earlier versions leave it out. */
      readonly due?: number;
    }
  | DecisionEntry
  /** Phases of carrying out a decision (R5), after its own entry, which is `DECIDED`. */
  | PhaseEntry
  | RestoredEntry
  /**
   * The replay takes over the record of an instance that was set aside: all that it did is journaled as done again, now
   * (C5).
   */
  | { readonly do: 'claimed'; readonly instance: InstanceId }
  /** The record of an instance is given up: its work is done again under the same identity, or is dropped (C7, C9, C12). */
  | {
      readonly do: 'dismissed';
      readonly instance: InstanceId;
      readonly why: DismissalReason;
      /** The keys of calls whose recorded answers were found wrong with it (C10, C12). */
      readonly wrong?: readonly string[];
    }
  /** Control passed an instance that was kept. Only journals written before work was set aside have it. */
  | { readonly do: 'passed'; readonly instance: InstanceId; readonly controls: readonly ControlEntry[] }
  /** An answer that arrived too late and was refused (K3). */
  | { readonly do: 'late'; readonly actor: number; readonly event: string }
  /** A thing that a person should know: a boundary that did not certify, a write outside the outputs. */
  | {
      readonly do: 'finding';
      readonly code: string;
      readonly instance: InstanceId | null;
      readonly text: string;
      /** The id of the boundary that it is about. */
      readonly boundary?: string;
    }
  | { readonly do: 'end'; readonly status: 'done' | 'stopped' };

/**
 * The reason why a record is given up: it read something else, is redone, was complained about, or no replay took it
 * over. `undone_before`: there is no record, because the work that was complained about is already undone.
 */
export type DismissalReason = 'reads_differ' | 'done_again' | 'found_wrong' | 'unclaimed' | 'undone_before';

/**
 * `COMPENSATING` is the intent of an undo and `COMPENSATED` its outcome; `STUCK` says that the undo failed, and with
 * which error.
 */
interface PhaseEntry {
  readonly do: 'phase';
  readonly phase: 'FENCED' | 'COMPENSATING' | 'COMPENSATED' | 'STUCK' | 'RESUMED';
  /** The key of the call that is undone. */
  readonly effect?: string;
  readonly error?: string;
}

/**
 * The last phase before the replay: all effects of the plan are undone, and control stands where it is to go on (R5).
 */
interface RestoredEntry {
  readonly do: 'restored';
  /** The position up to which each moved instance is kept; 0 is ⊥. Numbers are those of the history. */
  readonly kept: readonly (readonly [InstanceId, number])[];
  /** Instances that are set aside: records that nothing sees until the replay claims them (C2, C3). */
  readonly aside?: readonly InstanceId[];
  /** The keys of calls whose recorded answers were found wrong: they are never served again (C10). */
  readonly wrong?: readonly string[];
  /**
   * Those of the keys whose own answer is known to be wrong, and not another answer of the same work; `true` for all.
   */
  readonly sure?: true | readonly string[];
  /** The regions that resume at a state that the config names, each on account of an instance (§4, Separable). */
  readonly resumed?: readonly { readonly region: string; readonly by: InstanceId }[];
  readonly controls: readonly ControlEntry[];
}

/** The control of an actor after a restore. */
export interface ControlEntry {
  readonly actor: number;
  readonly value: StateValue;
  readonly remembered: HistoryValue;
}

/** A microstep of a machine. */
export interface StepEntry {
  readonly do: 'step';
  readonly actor: number;
  readonly event: unknown;
  /**
   * True if the event came from outside the machine. The machine does not send such an event again when it is taken
   * back.
   */
  readonly outside: boolean;
  readonly value: StateValue;
  /** The states that history states remember; null where they did not change. */
  readonly remembered: HistoryValue | null;
  readonly done: boolean;
  readonly parties: readonly Party[];
  readonly edits: readonly Edit[];
  readonly started: readonly Started[];
  /** Enter, reads, writes, boundaries, in this order (semantics.md §4, K5). */
  readonly marks: readonly HistoryEvent[];
  /** The region of each instance that `marks` enters, and the name that it gives itself. */
  readonly regions: readonly string[];
  /** The paths of the regions whose control it wrote; left out where they are those of its parties (C1). */
  readonly moves?: readonly string[];
  /** The paths of the regions whose control it read besides (C1). */
  readonly looks?: readonly string[];
  /** Steps that are undone with it, as (actor, how many steps of that actor ago): those that raised or sent its event (C1a). */
  readonly ties?: readonly (readonly [actor: number, back: number])[];
  /** The ids of the boundaries that `marks` certify, in that order; '' for an outcome checkpoint. */
  readonly boundaries: readonly string[];
  readonly closed: readonly Closed[];
  /** The numbers of the actors that it ended. */
  readonly ended: readonly number[];
}

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
  /** The arguments of the request. Journals of format 1 have them as the input of the actor alone. */
  readonly args?: unknown;
  /** The event that the call waits for before it leaves: a person's approval, or its instance's commit (E4). */
  readonly held?: 'gate' | 'buffer';
  /** The entity that its key is made of, where that is not its instance's own: the root of a machine that was invoked (E3). */
  readonly keyedAs?: string;
}

/** A person is asked whether a call may leave (`approval`), or what became of one (`outcome`). */
export interface GateEntry {
  readonly do: 'gate';
  /** The name of the approval request: unique, and new each time that the question is asked. */
  readonly gate: string;
  readonly asks: 'approval' | 'outcome';
  /** The call; the instance is that of its intent, at the epoch that it had when the question was asked. */
  readonly key: string;
  readonly digest: string;
  readonly epoch: number;
  /** The wall clock after which no answer opens it, in milliseconds; null for never. */
  readonly expires: number | null;
  /**
   * The key of an earlier call that has happened and that this one may repeat: an approval says that it is another act
   * (E3).
   */
  readonly like?: string;
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
}

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

/** A failure and its decision. */
export interface DecisionEntry {
  readonly do: 'decision';
  readonly signal: Signal;
  readonly error: string;
  /** The actor in which it failed, and the call that is held, if one is. */
  readonly actor: number;
  readonly call: number | null;
  readonly key: string | null;
  readonly decision: Decision;
  /** The checkpoint that is restored: the budget is charged for it (R6). */
  readonly checkpoint: Checkpoint | null;
  /** Present where work was found wrong that no call has reported: its recorded answers are not served again (C10). */
  readonly suspect?: true;
  /**
   * The instance that the caller of `fail()` named, where a complaint led to it: without the ordinal, every occurrence is meant.
   */
  readonly complaint?: Pick<InstanceId, 'skeleton' | 'entity'> & { readonly ordinal?: number };
  /**
   * The name of the commit that was refused, or cannot go on, if one was. Once that commit is made after all, nothing
   * is left to decide (E4).
   */
  readonly commit?: string;
}
