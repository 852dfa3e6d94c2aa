/**
 * Makes failed calls again as their tools' `retry` says, where nothing has happened, or where the same call again changes
 * nothing (semantics.md E2).
 */
import type { Retry, Tool } from '../../boundaries/config.ts';
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
  const retry = dueRetry(tool, reply, tries);
  if (tool === undefined || retry === null) return false;
  const known = await reconciling.outcome(reply.key);
  const isSafe = known === undefined ? tool.effect === 'none' : known.status === 'failed';
  if (!isSafe && !(known?.status === 'unknown' && classAgain(tool, known) === 'idempotent')) return false;
  await backOff(retry, tries, now, call.signal);
  return true;
}

/** The same, for a call that changes nothing and that no machine makes. */
export async function retriedPlain(
  tool: Pick<Tool, 'retry'> | undefined,
  reply: Failed,
  tries: number,
  now: () => number,
  signal: AbortSignal,
): Promise<boolean> {
  const retry = dueRetry(tool, reply, tries);
  if (retry === null) return false;
  await backOff(retry, tries, now, signal);
  return true;
}

function dueRetry(tool: Pick<Tool, 'retry'> | undefined, reply: Failed, tries: number): Retry | null {
  const retry = tool?.retry ?? null;
  return retry === null || tries >= retry.max || isFinal(reply, retry) ? null : retry;
}

function backOff({ backoff, factor, jitter }: Retry, tries: number, now: () => number, signal: AbortSignal) {
  const wait = Math.min(backoff * factor ** tries, LONGEST_WAIT);
  return pause(wait * (1 - jitter * Math.random()), now, signal);
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
