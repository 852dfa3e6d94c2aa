/** Calls as the sidecar makes them, and what a tool threw. */
import type { UndoCall } from '../../src/effects/counterparty.ts';
import { NotApplied } from '../../src/effects/signals.ts';
import type { ToolCall } from '../../src/runtime/tool-call.ts';

let calls = 0;

/** A key of its own, in the form that the sidecar mints. */
export function newKey(tool = 'act'): string {
  calls += 1;
  return JSON.stringify(['run', 'Order', 'the ördér\n', 0, tool, calls]);
}

export function callOf<T>(input: T, key: string | undefined = newKey(), signal?: AbortSignal): ToolCall<T> {
  return { input, key, signal: signal ?? new AbortController().signal };
}

/** A call as it is made without a sidecar. */
export function keyless<T>(input: T): ToolCall<T> {
  return { input, key: undefined, signal: new AbortController().signal };
}

/** A call as its counterparty is asked about it. */
export const asked = (key: string) => ({ key, tool: 'write', args: {} });

/** A call as it is undone. */
export const undoOf = (key: string): UndoCall => ({ ...asked(key), undoKey: `${key} undo`, output: {} });

/** What an act threw: whether it says that nothing happened, and in which words. */
export async function thrown(act: () => unknown): Promise<{ applied: 'no' | 'unknown'; message: string }> {
  try {
    await act();
  } catch (error) {
    return { applied: error instanceof NotApplied ? 'no' : 'unknown', message: (error as Error).message };
  }
  throw new Error('nothing was thrown');
}
