/** Checks that every adapter makes before a call acts: it has a key to act under, and was not stopped. */
import { createHash } from 'node:crypto';
import { NotApplied } from '../effects/signals.ts';
import type { ToolCall } from '../runtime/tool-call.ts';

/** The key of a call that is to act now. @throws NotApplied where it has none, or was stopped. */
export function keyOf({ key, signal }: Pick<ToolCall<unknown>, 'key' | 'signal'>): string {
  if (signal.aborted) throw new NotApplied('the call was stopped before it acted');
  if (key === undefined) {
    throw new NotApplied('the call has no idempotency key: it takes a sidecar, and a tool whose effect is not `none`');
  }
  return key;
}

/** The SHA-256 of a key in hex: a name for it where its own characters cannot stand. */
export function nameOf(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}
