/** The options that a run is opened with. */
import type { BoundaryConfig } from '../../boundaries/config.ts';
import type { Claims } from '../../effects/claims/claims.ts';
import type { Inverse, Reconciler, StagingArea, Undo } from '../../effects/counterparty.ts';
import type { GuardedRequest } from '../../effects/gates.ts';
import type { SandboxProvider } from '../../effects/sandbox.ts';
import type { JournalStore } from '../../journal/journal.ts';
import type { ValueCodec } from '../../journal/value-codec.ts';
import type { Digests } from '../../model/entry.ts';
import type { InstanceId } from '../../model/instance.ts';
import type { MandateTerms } from '../../model/mandate-entries.ts';
import type { Guards } from '../../predicates/compile.ts';
import type { Spacing } from '../bases/basing.ts';
import type { Check } from '../parts.ts';
import type { Commit, Report } from '../report.ts';

/** The options of a run, the same for every runtime. */
export interface RunOptions {
  /** The name of the run. */
  readonly run: string;
  /** The path of the reviewed boundary config, or the config itself, loaded. */
  readonly config: string | BoundaryConfig;
  /**
   * The version of the program, a text of its own choice: its release, or the digest of its build. A run that is parked over a step that threw
   * tries that step again under another version. Left out, it does so in each process that takes it up.
   */
  readonly version?: string;
  /**
   * Moves a run of another release to this release when the run is taken up, if this release takes all recorded steps
   * the same way (CO3). Left out, such a run is refused, and `belay migrate apply` moves it.
   */
  readonly adopt?: boolean;
  /** Refuses a config that no person has vouched for (`belay review`); else that is only a finding. */
  readonly reviewed?: boolean;
  /** Where the journal is kept; in memory if left out. */
  readonly journal?: JournalStore;
  /** Ask counterparties whether a call happened, by the names that the config uses. */
  readonly reconcilers?: Readonly<Record<string, Reconciler>>;
  /** Undo calls, by the names that the config uses. */
  readonly undo?: Readonly<Record<string, Undo | Inverse>>;
  /** Hold calls back until their instance commits, by the names that the config uses. */
  readonly buffers?: Readonly<Record<string, StagingArea>>;
  /** Look at the world once more before a call leaves, by the names that the config uses. */
  readonly checks?: Readonly<Record<string, Check>>;
  /** Start and stop what tools work in, by the names that the config uses. */
  readonly sandboxes?: Readonly<Record<string, SandboxProvider>>;
  /** Conditions in code that the config names by digest. */
  readonly guards?: Guards;
  /** Codecs of values that have no form of their own in a journal: without one, a call with such an argument does not leave. */
  readonly codecs?: readonly ValueCodec[];
  /** Asked before every call; a text denies it (GOVERNOR_DENIED). */
  readonly governor?: (call: {
    tool: string;
    args: unknown;
    instance: InstanceId;
  }) => string | null | Promise<string | null>;
  /**
   * The mandate that a run is begun under: who gives it, until when, and the limits that conditions of tools read as `mandate` (MD1). `required`: a run
   * that was given none waits for one before it changes anything. A run that is taken up keeps what its journal says.
   */
  readonly mandate?: MandateTerms | 'required';
  /**
   * Keeps this run apart from others that touch the same external keys: before a call leaves, it waits until no other
   * run has its keys. A run keeps the keys it has touched until its end, even while it is parked; `release` frees them.
   * Left out, runs do not know of each other.
   */
  readonly claims?: Claims;
  /**
   * Called with every question to a person, once it is journaled, so that the person receives it. One that still waits is told
   * again by each process that takes the run up.
   */
  readonly onGate?: (gate: GuardedRequest) => void;
  /** True where the process stays while an approval is waited for; it does, if left out. */
  readonly keepAlive?: boolean;
  /**
   * Told of every commit, once others can see it: once, and after a crash again until it has returned. One that throws or rejects is called
   * again; the run does not wait for it before its end.
   */
  readonly onCommit?: (commit: Commit) => void | Promise<void>;
  /** Told of every decision, once it is journaled. */
  readonly onDecision?: (report: Report) => void;
  /** Told of what a person should know: boundaries that do not certify, writes outside the outputs, values that are lost. */
  readonly onFinding?: (finding: {
    readonly code: string;
    readonly instance: InstanceId | null;
    readonly text: string;
  }) => void;
  /**
   * Sends the events from outside that a restore took back again, as soon as the machine can take them. Left out, their sender has
   * to: whoever reacts to states does so anyway, and would send them twice.
   */
  readonly redeliver?: boolean;
  /** For development: holds the context against its changes at boundaries, at the cost of the context's weight each time. */
  readonly verify?: boolean;
  /** The wall clock, in milliseconds: approvals expire, counterparties are asked again and the machine's delays are over by it. */
  readonly now?: () => number;
}

/** The option by which a rehearsal gives all of its runs one secret, so that their keys are the same; no other run has it. */
export const SECRET: unique symbol = Symbol('the secret of the run');

/** The option by which a test has bases kept more often; no other run has it. */
export const SPACING: unique symbol = Symbol('the spacing of bases');

/**
 * The option by which a worker takes a run for one release; a run that goes on under another release is given back
 * under that release.
 */
export const UNDER: unique symbol = Symbol('the release that the run is taken for');

/** The options of a run that is taken for one release. */
export interface UnderRelease {
  readonly [UNDER]?: Pick<Digests, 'machine' | 'config'>;
}

/** The release that a run is taken for; null for whichever it is under. */
export function underOf(options: RunOptions): Pick<Digests, 'machine' | 'config'> | null {
  return (options as RunOptions & UnderRelease)[UNDER] ?? null;
}

/** The spacing of the bases of a run; undefined for the usual one. */
export function spacingOf(options: RunOptions): Spacing | undefined {
  return (options as { readonly [SPACING]?: Spacing })[SPACING];
}
