/**
 * The entries of a run's journal: everything that happened, in order. All other state is folded from them
 * (architecture.md). Recorded meaning never changes silently: an entry names the reads and writes in the words of the
 * config that was in force then.
 */

import type { AttemptTerms, KeptEntry, TriedEntry } from './attempt-entries.ts';
import type {
  AnswerEntry,
  GateEntry,
  IntentEntry,
  OutcomeEntry,
  PositionEntry,
  PublishEntry,
  SpendEntry,
  VerifiedEntry,
} from './call-entries.ts';
import type { Certificate } from './certificate.ts';
import type { Checkpoint } from './checkpoint.ts';
import type { BranchEntry, ChoiceEntry, IdledEntry } from './choice-entries.ts';
import type { AnnouncedEntry, CommittedEntry } from './commit-entries.ts';
import type { Decision } from './decision.ts';
import type { EffectClass } from './effect.ts';
import type { Cause } from './failure.ts';
import type { InstanceId } from './instance.ts';
import type { JudgedEntry, JudgingEntry } from './judged-entries.ts';
import type { MandateEntry } from './mandate-entries.ts';
import type {
  CancelEntry,
  ComplaintEntry,
  EndEntry,
  HeldEntry,
  MessageEntry,
  PauseEntry,
  RetriedEntry,
  SettledEntry,
  SteeredEntry,
} from './message-entries.ts';
import type { ObligationEntry } from './obligation-entries.ts';
import type { PassedOn } from './passed-on.ts';
import type { PromisedEntry } from './promised-entry.ts';
import type { RedactionRules } from './redaction.ts';
import type { Renames } from './renames.ts';
import type { SandboxEntry } from './sandbox-entry.ts';
import type { HistoryValue, StateValue, StepEntry } from './step-entry.ts';

/** The class of a call from here on, and whether it may be undone. */
export interface KeptClass {
  readonly key: string;
  readonly class: EffectClass;
  readonly undo: boolean;
}

/** A turn of a thread has come to its end with the step before it: a person, or a program, has its answer from here on (RC2). */
export interface TurnEntry {
  readonly do: 'turn';
  /** The number of the turn, from 1 on. */
  readonly nth: number;
  /** `stands`: nothing before this end is taken back any more. `rewritten`: the callers are programs, and read what the turn says then. */
  readonly said: 'stands' | 'rewritten';
  /** The name that its caller gave the turn; left out where it has none. */
  readonly id?: string;
  /** The digest of its input, under the secret of the run; only beside a name. */
  readonly is?: string;
  /** The keys of the calls that were held back and that no commit had leave: they never happened (RC5). */
  readonly left: readonly string[];
}

/** The run goes on under another release, which takes its whole past the same way (CO3). */
interface MigratedEntry {
  readonly do: 'migrated';
  readonly from: Digests;
  readonly digests: Digests;
  readonly redact?: RedactionRules;
  readonly classes?: readonly KeptClass[];
  /** True where a tool was replaced that does not take the calls of the one before: earlier checkpoints are stale (CO4). */
  readonly isReplaced?: true;
  /** The names that are others from here on; left out where none is. Rows before this entry are read in them (CO5). */
  readonly renames?: Renames;
  /** True for a move by the order of both machines: the new machine has not taken the steps before the move (CO6). */
  readonly isFromHere?: true;
  /** The steps that were gone through on paper, and the calls that asked the same. */
  readonly compared: { readonly steps: number; readonly calls: number };
  /** The keys of the calls that were under way, and are carried over. */
  readonly carried: readonly string[];
  /** The person who moved it; left out where a process did as it was told to adopt. */
  readonly by?: string;
}

/**
 * The run was begun as a fork: the rows before this entry are those of another run (FK1). What that run did stands in them as its own, and
 * nothing here undoes it (FK2).
 */
export interface ForkedEntry {
  readonly do: 'forked';
  /** The run that it was forked from. */
  readonly of: string;
  /** The row of that run up to which the two have one past. */
  readonly at: number;
  readonly by: string;
  readonly why: string | null;
  /** The calls of the common past that are not undone here; left out where there are none. */
  readonly classes?: readonly KeptClass[];
  /** The terms of an attempt; left out for a fork that is none (FK7). */
  readonly attempt?: AttemptTerms;
  /** The person who had withdrawn the mandate of the common past behind that row; left out where it was not (MD6). */
  readonly revoked?: { readonly by: string; readonly why: string | null };
}

/** The digests under which checkpoints were certified (§5). */
export interface Digests {
  readonly config: string;
  readonly machine: string;
  /**
   * The digests of the parts that certificates rest on; left out by versions that did not tell a part of a config from
   * the whole.
   */
  readonly certificate?: Certificate;
  /** That of the text of the code that decides where the machine goes; left out by runtimes that show none. */
  readonly code?: string;
  /** The versions of the tools that name one; left out if no tool does. */
  readonly tools?: Readonly<Record<string, string>>;
  /** The version of the code, as the program names it; left out where it names none. */
  readonly version?: string;
  /** The digest of the input that the run is held to, under its secret; left out if the run is held to none. */
  readonly input?: string;
}

/** A release that a run was under. */
export interface LeftRelease extends Pick<Digests, 'machine' | 'config'> {
  /** The map by which the run has left it; left out where no name was another one. */
  readonly renames?: Renames;
}

/** The place of a run in a trace across processes, in the words of W3C Trace Context. */
export interface TraceContext {
  /** The header `traceparent`: the trace, and the span that the run belongs to. */
  readonly parent: string;
  /** The header `tracestate`; left out where there is none. */
  readonly state?: string;
}

/** A process, by its host, its pid, and its start: a pid is used again. */
export interface NamedProcess {
  readonly host: string;
  readonly pid: number;
  /** Null where it is not known. */
  readonly started: string | null;
}

/** One entry of a run's journal. */
export type Entry =
  | {
      readonly do: 'begin';
      readonly agent: string;
      readonly digests: Digests;
      readonly format: number;
      /** Random, in hex: digests of arguments and keys are HMACs under it. */
      readonly secret: string;
      /** Values that are not shown to people; left out where there are none. */
      readonly redact?: RedactionRules;
      /** The trace that the run was begun in; left out where nothing traced it. */
      readonly trace?: TraceContext;
    }
  /** The run goes on under other digests; earlier checkpoints are stale unless no certificate rests on what changed (CO1). */
  | {
      readonly do: 'config';
      readonly digests: Digests;
      readonly redact?: RedactionRules;
      /** The calls that are kept as another class, or are not undone any more; left out where there are none (CO2). */
      readonly classes?: readonly KeptClass[];
      /** True where a tool was replaced that does not take the calls of the one before: earlier checkpoints are stale (CO4). */
      readonly isReplaced?: true;
    }
  | MigratedEntry
  | ForkedEntry
  | TriedEntry
  | KeptEntry
  /**
   * The run was taken from a process whose lease had run out and that may still live: the calls that were open in its rows up to `upTo` may
   * still leave (E2).
   */
  | { readonly do: 'overtaken'; readonly upTo: number }
  | TurnEntry
  | BranchEntry
  | ChoiceEntry
  | IdledEntry
  /**
   * A process gave the run back while these calls of it had left and not come back: they may act for as long as that
   * process lives (E2).
   */
  | { readonly do: 'given_back'; readonly keys: readonly string[]; readonly by: NamedProcess }
  /** A call that was under way as its run was given back has come back: nothing of it acts any more (E2). */
  | { readonly do: 'returned'; readonly key: string }
  | StepEntry
  | IntentEntry
  | OutcomeEntry
  /** The counterparty of a call that has not happened refuses its key from now on: made again, it gets another one (E3). */
  | { readonly do: 'voided'; readonly key: string }
  /** A held call leaves; `gate` is the approval that it uses up, `with` the arguments that the approval has changed (PE2), `under` its mandate (MD2). */
  | {
      readonly do: 'leave';
      readonly key: string;
      readonly gate: string;
      readonly with?: unknown;
      readonly under?: string;
    }
  /** A confirmed call can no longer be undone: what it changed has moved on since (§6). */
  | { readonly do: 'demoted'; readonly key: string; readonly why: string }
  /** Keys that the run can touch no more are released, by their texts; the store is told next (ER1). */
  | { readonly do: 'released'; readonly keys: readonly string[] }
  | PromisedEntry
  /** A person has freed these keys while no process had the run; others may have been given them (ER8). */
  | { readonly do: 'freed'; readonly keys: readonly string[] }
  /** The run has taken its released keys back, but for those that another run was given (ER3). */
  | { readonly do: 'reclaimed'; readonly passed: readonly PassedOn[] }
  /**
   * A counterparty was asked about a call and did not know. It is asked again no earlier than `next`, unless that is
   * null.
   */
  | { readonly do: 'asked'; readonly key: string; readonly tries: number; readonly next: number | null }
  | GateEntry
  | AnswerEntry
  | PublishEntry
  | CommittedEntry
  | JudgingEntry
  | JudgedEntry
  | ObligationEntry
  | AnnouncedEntry
  /**
   * A complaint has replaced questions that the run was parked on, by their names: they are not asked any more (C12).
   */
  | { readonly do: 'retracted'; readonly questions: readonly string[] }
  | RetriedEntry
  /**
   * A commit that was decided is withdrawn: it was refused before anything of it was visible, and its calls are held back again
   * (E4).
   */
  | { readonly do: 'withdrawn'; readonly id: string; readonly why: string }
  | PositionEntry
  | VerifiedEntry
  | SandboxEntry
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
      /** The wall clock at which the timer is due; left out if it was cancelled or fired. */
      readonly due?: number;
      /** The step that scheduled the timer, as a number of steps of the actor ago; left out for a timer of a state. */
      readonly back?: number;
      /** The number of the actor that receives the event; left out if the same actor scheduled it. */
      readonly to?: number;
      /** True where it fired and was heard by the step before this entry. */
      readonly heard?: true;
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
  /** A unit is discarded: its calls are no part of the past any more. With `refused`, it is not, and why (PA11). */
  | { readonly do: 'discarded'; readonly instance: InstanceId; readonly refused?: string }
  /** A call of discarded work, or of an aborted run, is not undone: it stands, and blocks nothing (PA11, AB7). */
  | {
      readonly do: 'stands';
      readonly key: string;
      readonly why: string;
      /** The keys of the calls that the call rests on; left out if there are none, or if its work was discarded. */
      readonly on?: readonly string[];
      /** The person who says so; left out where its class or its undo does (AB4). */
      readonly by?: string;
    }
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
      /** The key of the call that it is about. */
      readonly effect?: string;
    }
  | HeldEntry
  | MessageEntry
  | ComplaintEntry
  | CancelEntry
  | PauseEntry
  | MandateEntry
  | SettledEntry
  | SteeredEntry
  | EndEntry;

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
export interface RestoredEntry {
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

/** A failure and its decision. */
export interface DecisionEntry {
  readonly do: 'decision';
  readonly signal: Cause;
  readonly error: string;
  /** The actor in which the work failed, and the call that is held, if any. */
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
   * The name of the commit that was refused, or cannot go on, if any. Once that commit is made after all, nothing is
   * left to decide (E4).
   */
  readonly commit?: string;
  /** Present where a step threw: nothing of it happened, and it may be tried again (TH1). */
  readonly thrown?: Thrown;
  /** Present where an answer has changed before a call that rests on it (RV3). */
  readonly moved?: true;
  /** The act on an event that is the cause: no work has failed (ST3). */
  readonly steers?: Steers;
}

/** An act on an event that changes the past of a run. */
export interface Steers extends Pick<SteeredEntry, 'of' | 'act' | 'event'> {
  /** The number of the step that took the event. */
  readonly step: number;
  /**
   * The names of later events of the same sender that hold, although the act changes the situation before them (ST5).
   */
  readonly later?: readonly string[];
  /** The names of later turns that were said to what is not so any more: they never were (RC9). */
  readonly drops?: readonly string[];
  /** The first step of the run as it is with another input; present where the event is the input. */
  readonly begun?: Begun;
}

/** The beginning of a run with another input: what its first step comes to. */
export interface Begun {
  readonly context: unknown;
  /** The inputs of the actors that the first step starts and that are given something else, by their place among those. */
  readonly inputs: readonly (readonly [place: number, input: unknown])[];
}

/** A step that threw. */
export interface Thrown {
  /** The digest of what the step met: its event, the context, and the error (TH4). */
  readonly on: string;
  /** The version of the code that threw; left out where none was given. */
  readonly version?: string;
  /** The limit of the runtime that was met; left out where the code threw (TH7). */
  readonly limit?: number;
  /** The event from outside that the step took, with the regions that heard it: it is sent again with the step. */
  readonly event?: unknown;
  readonly regions?: readonly string[];
  /** True where another process does not have the event of the step again. */
  readonly lost?: true;
}
