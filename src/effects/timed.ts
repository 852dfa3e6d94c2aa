/** A call and its deadline: whichever comes first settles it. */
import type { Tool } from '../boundaries/config.ts';
import { within } from '../clock/clock.ts';
import type { Signal } from '../model/failure.ts';
import { toolSignal } from './signals.ts';

/** The result. */
export type Settled = { readonly output: unknown } | { readonly error: unknown; readonly signal: Signal };

/** A function that can be called. */
export interface Timeable {
  readonly tool: Pick<Tool, 'timeout'> | undefined;
  readonly signal: AbortSignal;
  act(key: string | undefined, signal: AbortSignal): Promise<unknown>;
}

/** The call, or its deadline, whichever comes first; what comes after the deadline goes to `late`. Never throws. */
export async function timed(
  call: Timeable,
  key: string | undefined,
  late?: (settled: Settled) => void,
): Promise<Settled> {
  const own = new AbortController();
  const forward = () => own.abort(call.signal.reason);
  call.signal.addEventListener('abort', forward, { once: true });
  const settling = settle(call, key, own.signal).finally(() => call.signal.removeEventListener('abort', forward));
  const { tool } = call;
  if (tool === undefined || tool.timeout === null) return settling;
  const first = await within(tool.timeout, settling);
  if (first !== null) return first.is;
  own.abort();
  if (late !== undefined) void settling.then(late);
  // A machine that handles timeouts tells them by their name, whoever has given up waiting.
  const error = Object.assign(new Error(`no answer within ${tool.timeout} ms`), { name: 'TimeoutError' });
  return { error, signal: 'TIMEOUT' };
}

async function settle(call: Timeable, key: string | undefined, signal: AbortSignal): Promise<Settled> {
  try {
    return { output: await call.act(key, signal) };
  } catch (error) {
    return { error, signal: toolSignal(error) };
  }
}
