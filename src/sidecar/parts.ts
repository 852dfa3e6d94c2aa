/** The values that the parts of a run share: the inputs of the run, and a failure while it is being answered. */
import type { BoundaryConfig } from '../boundaries/config.ts';
import type { Clock } from '../clock/clock.ts';
import type { Claims } from '../effects/claims/claims.ts';
import type { Inverse, Reconciler, StagingArea, Undo } from '../effects/counterparty.ts';
import type { GuardedRequest } from '../effects/gates.ts';
import type { LedgerCall } from '../effects/ledger-call.ts';
import type { SandboxProvider } from '../effects/sandbox.ts';
import type { EntryEncoder } from '../journal/entry-codec.ts';
import type { Journal } from '../journal/journal.ts';
import type { PoolDesk } from '../journal/pools.ts';
import type { SandboxDesk } from '../journal/sandboxes.ts';
import type { Entry, Steers, Thrown } from '../model/entry.ts';
import type { Cause, Failure } from '../model/failure.ts';
import type { InstanceId } from '../model/instance.ts';
import type { ComplaintEntry, SteeredEntry } from '../model/message-entries.ts';
import type { ToolVersion } from '../model/tool-version.ts';
import type { RunState } from '../projection/run-state.ts';
import type { RecordedStep } from '../projection/state-types.ts';
import type { DecisionPolicy } from '../recovery/decision-policy.ts';
import type { RunNoteFold } from '../reports/run-note.ts';
import type { Activity } from './activity.ts';
import type { Basing } from './bases/basing.ts';
import type { Kin } from './calls/kin.ts';
import type { Lifecycle } from './lifecycle/lifecycle.ts';
import type { Observing } from './observing.ts';
import type { Commit, Report } from './report.ts';

/** Looks at the world once more before a call leaves: why it must not, or null. Read-only; an error is a no. */
export type Check = (call: {
  readonly tool: string;
  readonly args: unknown;
  readonly instance: InstanceId;
}) => string | null | Promise<string | null>;

/** Where the parts of a run write. */
export interface Writer {
  append(entries: readonly Entry[]): void;
  durable(): Promise<unknown>;
}

/** A writer that can be ended: what the run stands on has failed. */
export interface RunWriter extends Writer {
  /** Calls a function once, after the next append. */
  atNext(listener: () => void): void;
  /** Writes nothing any more. */
  break(error: unknown): void;
}

/** The needs of a run besides its machine. */
export interface RunParts extends Clock {
  readonly run: string;
  /** The work that is under way in this process. */
  readonly activity: Activity;
  /** The state of the run: whether something may happen now, and what waits for another answer. */
  readonly lifecycle: Lifecycle;
  readonly config: BoundaryConfig;
  readonly journal: Journal;
  readonly runState: RunState;
  readonly encoder: EntryEncoder;
  /** The note that goes with the rows, for lists of runs (J6). */
  readonly note: RunNoteFold;
  /** Has bases kept of its rows (J7). */
  readonly basing: Basing;
  readonly decisionPolicy: DecisionPolicy;
  readonly reconcilers: Readonly<Record<string, Reconciler>>;
  readonly undos: Readonly<Record<string, Undo | Inverse>>;
  readonly buffers: Readonly<Record<string, StagingArea>>;
  readonly checks: Readonly<Record<string, Check>>;
  readonly governor: (call: {
    tool: string;
    args: unknown;
    instance: InstanceId;
  }) => string | null | Promise<string | null>;
  /** Keeps this run apart from others; null where nothing does. */
  readonly claims: Claims | null;
  /** The budgets that it shares; null where its config names no pool. */
  readonly pools: PoolDesk | null;
  /** What starts its sandboxes, by the names that the config uses. */
  readonly sandboxes: Readonly<Record<string, SandboxProvider>>;
  /** The rows of its sandboxes; null where its config names none. */
  readonly sandboxDesk: SandboxDesk | null;
  /** The runs that it was forked from. */
  readonly kin: Kin;
  /** True where events from outside that a restore took back are sent again as soon as the machine can take them. */
  readonly redeliver: boolean;
  /** True where memories are held against their changes at boundaries (§3). */
  readonly verify: boolean;
  /** The versions of the tools that name one; undefined for a program that shows none (CO4). */
  readonly versions: ReadonlyMap<string, ToolVersion> | undefined;
  /** The names of all that its machine may call; null where they cannot be told (OB7). */
  readonly callable: ReadonlySet<string> | null;
  /** The version of the code, as the program names it; null where it names none (TH2). */
  readonly version: string | null;
  /** The limit of the runtime; null where it has none (TH7). */
  readonly limit: number | null;
  /** Told of every question to a person, once it is journaled. */
  readonly onGate: (gate: GuardedRequest) => void;
  /** True where a pending approval keeps the process alive. */
  readonly keepAlive: boolean;
  /** Sees what the run appends and calls; null where nothing does. */
  readonly observing: Observing | null;
  /** Told of every commit, until it has returned; null where nothing is (SP3). */
  readonly onCommit: ((commit: Commit) => unknown) | null;
  readonly onDecision: (report: Report) => void;
  readonly onFinding: (finding: Extract<Entry, { do: 'finding' }>) => void;
}

/** An instance as the caller names it: without the ordinal, the only one of its skeleton and entity. */
export type Suspect = Omit<InstanceId, 'ordinal'> & Partial<Pick<InstanceId, 'ordinal'>>;

/** A failure as it was raised. */
export interface Raised {
  readonly signal: Cause;
  readonly error: unknown;
  readonly actor: number;
  readonly failure: Failure;
  /** The held call, if one is: its actor's number and its key. */
  readonly call: {
    readonly actor: number;
    readonly key: string | null;
    readonly tool: string;
    readonly args: unknown;
    /** True where it has not left itself: the key is that of an earlier call whose outcome has to be known first. */
    readonly isHeld: boolean;
    /** True where its actor was stopped: its answer is awaited no more (C11). */
    isDropped(): boolean;
    /** Tells the held call what to do; nothing, while it has to wait. */
    answer(held: Held): void;
  } | null;
  /** The call whose effect was taken back, where the run complains about its reply (E8). */
  readonly gone?: LedgerCall;
  /** Present where the run complains about an answer that has changed before a call that rests on it (RV3). */
  readonly moved?: true;
  /** Present where work was found wrong: by a complaint from outside, or by an invariant (C10, C12). */
  readonly suspect?: true;
  /** The subject of the complaint, as it stood when it was made (C12): a write, by its number, and the head of the history. */
  readonly about?: { readonly write: number | null; readonly head: number; readonly epoch: number };
  /** The names that the caller of `fail()` gave, where it is a complaint. */
  readonly complaint?: Suspect;
  /** True where it takes the place of the complaints that the run is parked on (C12). */
  readonly instead?: boolean;
  /** The entry of the message that brought the complaint, until its answer is written with it. */
  readonly heard?: ComplaintEntry | SteeredEntry;
  /** The act instead of deciding when the question is asked again: a commit that is not visible yet is published. */
  readonly again?: () => void | Promise<void>;
  /** The name of the commit that was refused, where that is the failure. */
  readonly commit?: string;
  /** The reason why the runtime refuses the graph as it is built, where that is the failure: no restore helps. */
  readonly refused?: string;
  /** The act on an event that changes the past, where no work has failed (ST3). */
  readonly steers?: Steers;
  /** The keys of the calls that a person has undone by hand for that act (ST7). */
  readonly undone?: readonly string[];
  /** The calls of a program that meet the same once the event is another one, by their numbers (PA12). */
  readonly met?: ReadonlySet<number>;
  /** The step that threw, where that is the failure (TH1). */
  readonly thrown?: Thrown;
  /** Has the machine take the step again that threw: it is there still. Left out where a restart has it take it. */
  readonly retry?: () => void;
}

/** The next act of a held call. */
export type Held =
  | { readonly next: 'answer'; readonly output: unknown }
  | { readonly next: 'again' }
  | { readonly next: 'wait' };

/** An event of the past that is another one, or never was. */
export interface Change {
  /** The step that took it. */
  readonly step: RecordedStep;
  /** The event in its place; null where there is none. */
  readonly event: object | null;
}
