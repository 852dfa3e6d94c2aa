/** A failure event, as far as a decision reads it (DART def. 2, semantics.md §7). */
import type { InstanceId } from './instance.ts';
import type { Key } from './key.ts';

/** Every signal that a raw error is normalised to. */
export const SIGNALS = [
  'TIMEOUT',
  'TOOL_EXCEPTION',
  'INVALID_OUTPUT',
  'MISSING_INPUT',
  'GOVERNOR_DENIED',
  'CHAIN_EXCEPTION',
  'CONTRACT_VIOLATION',
] as const;

/** The kind of a failure (§7): the closed vocabulary that stands for every raw error. */
export type Signal = (typeof SIGNALS)[number];

/** The cause of a decision without a failure: an act on an event has changed the past (ST3). */
export const STEERED = 'STEERED';

/** The cause of a decision. */
export type Cause = Signal | typeof STEERED;

/**
 * `in`: the failed instance; null if the site of the failure fits no instance, or several (`why`, §8.1). `key`: the key
 * of a write that is suspected; null if none is.
 */
export type Failure =
  | { readonly in: InstanceId; readonly key: Key | null }
  | { readonly in: null; readonly key: null; readonly why: 'fits_nobody' | 'fits_several' };
