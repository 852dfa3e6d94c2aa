/** The types around the guard: a call, the port through which the guard writes, and the replies. */
import type { Tool } from '../boundaries/config.ts';
import type { ValueCodec } from '../journal/value-codec.ts';
import { classKept, type EffectClass } from '../model/effect.ts';
import type { Entry } from '../model/entry.ts';
import type { Signal } from '../model/failure.ts';
import type { InstanceId } from '../model/instance.ts';
import type { Key } from '../model/key.ts';
import type { ToolVersion } from '../model/tool-version.ts';
import type { Ledger } from './ledger.ts';
import type { LedgerCall } from './ledger-call.ts';
import { BadArguments, Denied } from './signals.ts';
import type { Settled } from './timed.ts';

/** Where a guard writes. */
export interface GuardPort {
  readonly run: string;
  /** The secret of the run, under which digests are made; null for a run that has none. */
  readonly secret: string;
  /** The codecs of values that have no form of their own. */
  readonly codecs: readonly ValueCodec[];
  readonly ledger: Ledger;
  append(entries: readonly Entry[]): void;
  /** Resolves once everything appended is durable. */
  durable(): Promise<unknown>;
  /**
   * Makes sure that no other process can have taken the run. Null if that is certain already; else resolves to true
   * once it is, or to false if another process has the run. Fencing guards the journal and not the world, so the guard
   * asks right before a call leaves.
   */
  confirm(): Promise<boolean> | null;
  /**
   * Registers a call that is about to leave; until it leaves, a restore may cancel it for good. @returns unregister.
   */
  leaves(key: string): () => void;
  /**
   * Null while no plan is being carried out; else resolves at the end of the plan. Nothing new leaves during a plan, so
   * ask again then (R5).
   */
  clear(): Promise<void> | null;
  /**
   * The same while the run is parked as well: no call leaves, unless a person has approved it, while the work it rests
   * on is in question.
   */
  free(): Promise<void> | null;
  /**
   * Resolves once there is news of the run, where a call that was made before is under way and the machine, or a person, is yet to hear of it; null where
   * nobody waits for that call any more.
   */
  received(of: LedgerCall): Promise<void> | null;
  /** The run that has the act of a call whose intent is durable; null where the call itself has it (ON6). */
  elsewhere(key: string): Promise<string | null>;
  /** Null where a call of a tool may leave under the mandate of the run; else resolves once that may be so (MD3). */
  mandated(tool: string): Promise<void> | null;
  /** The name of the mandate that calls leave under now; null for a run that needs none (MD2). */
  under(): string | null;
  /** True where the process takes leave of the run: nothing new leaves, and what waits goes on waiting. */
  stopping(): boolean;
  /** True where a person has ended the run: nothing new leaves (F3). */
  cancelled(): boolean;
  /** The wall clock, in milliseconds. */
  now(): number;
}

/** The second looks at what a call rests on, right before it leaves (RV2). */
export interface SecondLooks {
  /** True while an answer that the call rests on is older than its tool allows. */
  isDue(): boolean;
  /** Looks again at each such answer. @returns null if all are the same now, else why the call may not leave. */
  make(): Promise<Reply | null>;
  /** Says which condition on the age of those answers is not met by now; null where all are met. */
  unmet(): string | null;
  /** The entries of the answers that the call relies on, for the commit with which it leaves. */
  relied(key: string): readonly Entry[];
}

/** The way of a call into the sandbox of its tool (SB2). */
export interface SandboxPass {
  /** True until the sandbox was there for this call, and again once it may have stopped since. */
  isDue(): boolean;
  /** Has the sandbox be there. @returns null once it is, else why the call may not leave. */
  make(): Promise<Reply | null>;
}

/** An answer that was looked at again and is another one now. */
export interface MovedAnswer {
  readonly tool: string;
  /** The work that keeps the answer, the key under which, and the number of that write. */
  readonly instance: InstanceId;
  readonly key: Key;
  readonly at: number;
  readonly else: 'redo' | 'park';
}

/** The budget's answer to a call: the entries to write with it, or why it may not leave. */
export type Admission = { readonly entries: readonly Entry[] } | { readonly refused: string };

/** What the person who approved a call has changed in its arguments. */
interface Changes {
  readonly with: unknown;
  readonly by: string;
}

/** The answer to a call that waits for its approval. */
export type Approval =
  /** `changes`: what the person has changed in the arguments, and who; null for nothing (PE1). */
  | { readonly is: 'approved'; readonly gate: string; readonly changes: Changes | null }
  | { readonly is: 'denied'; readonly why: string; readonly by: string | null }
  /** It is known by now that the call has happened: an earlier try of it, which no actor waited for any more, came back. */
  | { readonly is: 'settled' }
  /** Its actor was stopped, or the run is over. */
  | { readonly is: 'dropped' };

/** The room that a call needs in the pools of its store (ER10). `of`: its key, or the number of its actor. */
export interface PoolPass {
  /** Waits until the pools have room. @returns the refusal of pools that never will; null if the call goes on, or is over. */
  room(of: string): Promise<Reply | null>;
  /** True where the pools have what the call was admitted for, once that is durable. */
  has(of: string): Promise<boolean>;
  /** The entries by which a try that did not leave gives back what it was admitted for. */
  back(of: string): readonly Entry[];
  /** The entries that give back what this try has reserved in the pools itself: it was made, and has not happened. */
  unmade(of: string): readonly Entry[];
}

/** Why the arguments of a call are none that its tool takes. */
export interface Misfit {
  readonly code: BadArguments['code'];
  readonly reason: string;
}

/** A call as it comes to the guard. `tool` is undefined where the config does not declare it. */
export interface GuardedCall {
  readonly name: string;
  readonly tool: Tool | undefined;
  /** True where its inverse or compensation may be used. */
  readonly undo: boolean;
  readonly instance: InstanceId;
  /** The name that its instance has in keys: the root of a machine that is invoked again has another id by then. */
  readonly keyedAs: InstanceId;
  /** The region in which the call is made, if its unit has several regions; else null (E3). */
  readonly place: string | null;
  /** The number of its actor. */
  readonly actor: number;
  readonly args: unknown;
  /** The call as the machine asks for it, where this one has the arguments that a person had sent (PE2). */
  readonly own?: GuardedCall;
  readonly signal: AbortSignal;
  /** The version of its tool; left out where that names none. */
  readonly version?: ToolVersion | undefined;
  /** True for a call of a branch that nothing undoes: it is held back until the choice (AL2). */
  readonly holds: boolean;
  /** True if the call waits for a person's approval before it leaves. */
  readonly gated: boolean;
  act(key: string | undefined, signal: AbortSignal): Promise<unknown>;
  /** Its pools; left out where it has none. */
  readonly pools?: PoolPass | undefined;
  /** Admits what it spends, under its key or the number of its actor. */
  admit(of: string): Admission;
  /** The charge, once it is known; of a call that came back with an error only its time is. */
  charge(of: string, settled: Settled): readonly Entry[];
  /**
   * Waits for a person's approval of a call that is held at its gate; `like` is the key of an earlier call that it may be the same act as.
   */
  approval(key: string, digest: string, like: string | null): Promise<Approval>;
  /**
   * The relation of an earlier call to this one: the machine still waits for its answer, or it is the same act, or that cannot be told: another
   * state has made it, or one of its declared reads was written since (E3).
   */
  relation(earlier: LedgerCall): 'waited for' | 'same' | 'unsure';
  /** True for an earlier call, of whatever tool, that has to be claimed or undone before this one acts (C8). */
  comesAfter(earlier: LedgerCall): boolean;
  /** Says why its arguments are none that its tool takes now, or null (CS1, OB5). */
  misfit(): Misfit | null;
  /** Asks the preconditions of a call that is about to leave: why it may not, or null. Null itself where it has none. */
  readonly allowed: (() => Promise<string | null>) | null;
  /** Asks everything once more, after an approval. */
  stillAllowed(): Promise<string | null>;
  /** The call with the arguments that its approval has changed; null where the config does not take the change any more (PE1). */
  edited(changes: Changes): GuardedCall | null;
  /** The call with the arguments that were sent under its key before, and are sent again (E3). */
  sending(args: unknown): GuardedCall;
  /** True if an approval still holds at the very moment of its use. */
  opens(gate: string, digest: string): boolean;
  /** The second looks before it leaves; null where it changes nothing, or the config revalidates nothing. */
  readonly looks: SecondLooks | null;
  /** Its way into a sandbox; null where its tool works in none. */
  readonly box: SandboxPass | null;
  /** Looks if a call that has come back had an effect; null where a reply says that (RV6). */
  readonly seen: ((key: string) => Promise<LedgerCall | undefined>) | null;
  /** True where the counterparty may have forgotten the key of an earlier call (E3). */
  isExpired(earlier: LedgerCall): boolean;
  /** Removes what a failed staging may have left. */
  discard(key: string): Promise<void>;
}

/** The reply to a call. */
export type Reply =
  | { readonly is: 'done'; readonly output: unknown }
  /** `key` null where its class takes none, and where it never left. */
  | {
      readonly is: 'failed';
      readonly signal: Signal;
      readonly error: unknown;
      readonly key: string | null;
      /**
       * Present where nothing was asked for: what became of an earlier try has to be known before. That is no error of the
       * machine's.
       */
      readonly held?: true;
    }
  /** It did not leave: an answer that it rests on is another one by now (RV3). */
  | { readonly is: 'moved'; readonly moved: MovedAnswer }
  /** It did not leave, and what it rests on may have changed: it is asked for again. */
  | { readonly is: 'again' }
  /** It did not leave: its sandbox cannot be had (SB3). */
  | { readonly is: 'unready'; readonly sandbox: string; readonly why: string }
  /** It may not leave under its key again, which its counterparty may have forgotten (E3). */
  | { readonly is: 'expired'; readonly recorded: LedgerCall }
  | { readonly is: 'diverged'; readonly recorded: LedgerCall; readonly digest: string }
  /** It did not leave: no journal and no codec holds what lies at a place in its arguments, '' for the whole (E3). */
  | { readonly is: 'unwritten'; readonly path: string; readonly reason: string }
  /** A call of the same tool about the same entity stands in the world, and no replay has taken it over (C8). */
  | { readonly is: 'unclaimed'; readonly kept: LedgerCall }
  /** Its actor was stopped before the call left. */
  | { readonly is: 'dropped' };

/** The class of a tool; an undeclared one is irreversible (E6). */
export function classOf(tool: Tool | undefined): EffectClass {
  return tool?.effect ?? 'irreversible';
}

/** The class of a call that is made again: what both allow, its class of then and that of its tool now (CO2). */
export function classAgain(tool: Tool | undefined, recorded: LedgerCall | undefined): EffectClass {
  return recorded === undefined ? classOf(tool) : classKept(recorded.intent.class, classOf(tool));
}

/** The reply of a call that failed. */
export function failed(signal: Signal, error: unknown, key: string | null): Reply {
  return { is: 'failed', signal, error, key };
}

/** The refusal of a call for its arguments (CS1); null where they fit. */
export function misfitting(call: Pick<GuardedCall, 'name' | 'misfit'>): Reply | null {
  const misfit = call.misfit();
  if (misfit === null) return null;
  return failed('GOVERNOR_DENIED', new BadArguments(call.name, misfit.reason, misfit.code), null);
}

/** It never left, so nothing is asked about it. */
export function denied(why: string): Reply {
  return failed('GOVERNOR_DENIED', new Error(why), null);
}

/** The denial of a call by a budget. The machine can handle it, as the denial by a person. */
export function overBudget(why: string): Reply {
  return failed('GOVERNOR_DENIED', new Denied(why, null), null);
}
