/** A call as the ledger knows it (semantics.md §6, E3). */
import { isSame } from '../journal/value-codec.ts';
import type { IntentEntry } from '../model/call-entries.ts';
import type { EffectStatus } from '../model/effect.ts';
import type { Entry } from '../model/entry.ts';
import type { InstanceId } from '../model/instance.ts';

/** Bases that have the intents and the outputs of calls. */
export interface CallSource {
  entry(stored: unknown): Entry;
  value(stored: unknown): unknown;
}

/** One call. */
export interface LedgerCall {
  readonly key: string;
  readonly tool: string;
  intent: IntentEntry;
  status: EffectStatus;
  output: unknown;
  error: string | null;
  /** True while an undo of the call may still be tried; false once a later change of the same thing is known (§6). */
  undo: boolean;
  /**
   * True from the beginning of the call's undo until it is known to be done: the call may stand or not, so it answers
   * nothing (E5).
   */
  undoing: boolean;
  /** True where a held call has been staged: there is something to publish, or to discard (E4). */
  staged: boolean;
  /**
   * The times that its counterparty was asked and did not know, and the wall clock of the next time; null where none is
   * left.
   */
  asked: { readonly tries: number; readonly next: number | null };
  /**
   * The wall clock right before the call left, in milliseconds: of its intent, or of the entry that releases a held
   * call.
   */
  calledAt: number;
  /** The wall clock at which a call first left under its key, in milliseconds; null while none has (E3). */
  keyedAt: number | null;
  /** The number of its intent in the history; null once a restore has undone that place. */
  at: number | null;
  /**
   * The answer that was found wrong: it is never served again, and an equal one is the same failure again (C10). With
   * `isOutdated`, no answer of this call is served, whenever it comes, until the tool is asked again (C11).
   */
  wrong: { readonly output: unknown; readonly isSure: boolean; readonly isOutdated: boolean } | null;
  /**
   * The promise of certified work set aside that its undo would cross, and on whose account; null for none (C7, C9).
   */
  promise: { readonly by: InstanceId | null } | null;
  /** True where the machine has heard its answer. */
  isAnswered: boolean;
  /** True where a finding says that it stands and that the machine left it without its answer (PA11). */
  isNamed: boolean;
  /**
   * True if the work of the call was discarded: the call is no part of the past, and its effect is undone if possible
   * (PA11).
   */
  discarded: boolean;
  /** True where its work was discarded and it cannot be undone: it stands, is named, and blocks nothing (PA11). */
  stands: boolean;
  /** True where its counterparty refuses its key: made again, it gets another one (E3). */
  voided: boolean;
  /** True where a process that the run was taken from may still make it: "not applied" may be undone by that (E2). */
  mayLeave: boolean;
  /** The name of its act, the tool and the digest of the identity; null where its tool declares none (ON1). */
  readonly act: string | null;
  /** The key of the act that it repeats: it is no act (ON2, ON3). */
  readonly repeats: string | null;
  /** True for a call of a tool that decides: it does nothing to the world, and its answer is kept (WH3). */
  readonly decides: boolean;
  /** The region of its unit in which the call was made; null if the unit has only that region (E3). */
  readonly place: string | null;
  /** Has its intent read from a base from here on: it is kept no longer. */
  settle(source: CallSource, intent: unknown): void;
  /** The intent as a base has it; null if the base does not have it unchanged. */
  intentIn(source: CallSource | null): { readonly is: unknown } | null;
  /** The output as a base has it, null inside for no output; null if the base does not have it unchanged. */
  outputIn(source: CallSource | null): { readonly is: readonly [unknown] | null } | null;
}

/** The status of a call at its intent: confirmed for a call that a replay claims, waiting for a held call. */
export function statusOf(intent: IntentEntry, known: LedgerCall | undefined): EffectStatus {
  if (intent.repeats !== undefined) return 'confirmed';
  if (known?.status === 'confirmed' && known.repeats === null && !isDistrusted(known)) return 'confirmed';
  return intent.held === undefined ? 'intended' : 'buffered';
}

/** True where the answer that a ledger has was found wrong, or was asked for before its work went back (C10, C11). */
export function isDistrusted({ wrong, output }: LedgerCall): boolean {
  return wrong !== null && (wrong.isOutdated || isSame(wrong.output, output));
}

/**
 * True for a call that is made again where its answer was found wrong: it is idempotent, or does nothing at all (C10).
 */
export function isAskedAgain({ decides, intent }: Pick<LedgerCall, 'decides' | 'intent'>): boolean {
  return decides || intent.class === 'idempotent';
}
