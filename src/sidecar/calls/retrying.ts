/**
 * Makes failed calls again as their tools' `retry` says, where nothing has happened, or where the same call again changes
 * nothing (semantics.md E2).
 */
import type { Retry } from '../../boundaries/config.ts';
import { LONGEST_WAIT } from '../../boundaries/page/time.ts';
import { setAlarm } from '../../clock/alarm.ts';
import { classAgain, type Reply } from '../../effects/guarded-call.ts';
import type { Signal } from '../../model/failure.ts';
import type { Call } from '../../runtime/runtime.ts';
import type { RunParts } from '../parts.ts';
import type { Reconciling } from './reconciling.ts';

type Failed = Extract<Reply, { is: 'failed' }>;

/** The failures of a tool itself, which another try may not have. */
const OWN_FAILURES: ReadonlySet<Signal> = new Set(['TOOL_EXCEPTION', 'TIMEOUT', 'INVALID_OUTPUT']);

/**
 * Waits until a failed call is made again.
 * @param tries how often it was made again before.
 * @returns true where it is.
 */
export async function retried(
  call: Call,
  reply: Failed,
  tries: number,
  { config, now }: RunParts,
  reconciling: Reconciling,
): Promise<boolean> {
  const tool = config.tools.get(call.tool);
  const retry = tool?.retry ?? null;
  if (tool === undefined || retry === null || tries >= retry.max || isFinal(reply, retry)) return false;
  const known = await reconciling.outcome(reply.key);
  const isSafe = known === undefined ? tool.effect === 'none' : known.status === 'failed';
  if (!isSafe && !(known?.status === 'unknown' && classAgain(tool, known) === 'idempotent')) return false;
  const wait = Math.min(retry.backoff * retry.factor ** tries, LONGEST_WAIT);
  await pause(wait * (1 - retry.jitter * Math.random()), now, call.signal);
  return true;
}

/** True for a failure after which its tool is not called again. */
function isFinal({ signal, error, held }: Failed, { never }: Retry): boolean {
  if (held === true || !OWN_FAILURES.has(signal)) return true;
  const { name, code } = (typeof error === 'object' && error !== null ? error : {}) as {
    name?: unknown;
    code?: unknown;
  };
  return [signal, name, code].some((word) => never.has(String(word)));
}

/** Waits so many milliseconds, or until the call is aborted. */
function pause(wait: number, now: () => number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const over = () => {
      alarm.cancel();
      signal.removeEventListener('abort', over);
      resolve();
    };
    const alarm = setAlarm(now() + wait, now, over, true);
    signal.addEventListener('abort', over, { once: true });
  });
}
