/**
 * Asks the staging areas of a commit, before it is decided, whether it can be made. Nothing is visible yet, and one
 * refusal refuses the whole commit (semantics.md E4).
 */
import type { Clock } from '../../clock/clock.ts';
import type { LedgerCall } from '../../effects/ledger-call.ts';
import { CommitRefused, errorMessage } from '../../effects/signals.ts';
import type { PublishEntry } from '../../model/call-entries.ts';
import type { Staging } from './staging.ts';

/** The answer of the areas: the tokens of the areas that gave one, or the first refusal. */
export type Prepared = { readonly tokens: Readonly<Record<string, string>> } | { readonly refused: Refusal };

/** The reason why a commit cannot be made. */
export interface Refusal {
  readonly why: string;
  /** The call that is to blame: the one that was named, or the first of the area. */
  readonly call: LedgerCall;
  /** True where what the call relies on has moved on since the run read it. */
  readonly moved: boolean;
}

/** The manner in which areas are asked. */
export interface Asking extends Pick<Clock, 'pause'> {
  /** The wait before each try, in milliseconds; there are no more tries than waits. */
  readonly waits: readonly number[];
  isStopped(): boolean;
}

/** Asks all areas of a commit. An area that is busy is asked again, and holds nothing meanwhile. */
export async function prepareAll(
  staging: Staging,
  entry: PublishEntry,
  { waits, pause, isStopped }: Asking,
): Promise<Prepared> {
  let refused: Refusal | null = null;
  for (const wait of waits) {
    if (wait > 0) await pause(wait);
    if (isStopped()) break;
    const tokens: Record<string, string> = {};
    const failure = await prepareOnce(staging, entry, tokens);
    if (failure === null) return { tokens };
    refused = failure.refused;
    await withdrawAll(staging, entry);
    if (failure.isFinal) break;
  }
  const [call] = staging.asked(entry)[0]?.calls ?? [];
  return { refused: refused ?? { why: 'the run was stopped', call: call as LedgerCall, moved: false } };
}

async function prepareOnce(
  staging: Staging,
  entry: PublishEntry,
  tokens: Record<string, string>,
): Promise<{ readonly refused: Refusal; readonly isFinal: boolean } | null> {
  for (const { name, area, calls } of staging.asked(entry)) {
    try {
      const staged = calls.map((call) => staging.staged(call));
      const token = await area.prepare?.(staged, staging.publicationOf(entry, name));
      if (typeof token === 'string') tokens[name] = token;
    } catch (error) {
      return { refused: refusalOf(error, calls), isFinal: error instanceof CommitRefused };
    }
  }
  return null;
}

/** The refusal that an error of an area is for a commit. */
export function refusalOf(error: unknown, calls: readonly LedgerCall[]): Refusal {
  const { call, moved } = error instanceof CommitRefused ? error : { call: undefined, moved: false };
  const named = calls.find(({ key }) => key === call) ?? (calls[0] as LedgerCall);
  return { why: errorMessage(error), call: named, moved };
}

/** Releases the commit's reservations; if an area fails, its reservation expires. */
export async function withdrawAll(staging: Staging, entry: PublishEntry): Promise<void> {
  for (const { name, area, calls } of staging.asked(entry)) {
    try {
      await area.withdraw?.(
        calls.map((call) => staging.staged(call)),
        staging.publicationOf(entry, name),
      );
    } catch {
      // A reservation is no promise of the run's: the next commit says why it has to wait.
    }
  }
}
