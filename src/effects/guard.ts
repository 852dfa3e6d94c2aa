/**
 * The guard around a tool: intent before the act, outcome after it (semantics.md E1-E3). It never guesses: what a call did is
 * confirmed, known not to have happened, or unknown. Whether anything is done about a failure is decided elsewhere.
 */
import { createHash } from 'node:crypto';
import type { Tool } from '../boundaries/config.ts';
import { encode } from '../journal/codec.ts';
import type { EffectClass } from '../model/effect.ts';
import type { Entry } from '../model/entry.ts';
import type { Signal } from '../model/failure.ts';
import type { InstanceId } from '../model/instance.ts';
import type { Ledger, LedgerCall } from './ledger.ts';
import { NotApplied, told, toolSignal } from './signals.ts';

/** Where a guard writes. */
export interface GuardPort {
  readonly run: string;
  readonly ledger: Ledger;
  append(entries: readonly Entry[]): void;
  /** Resolves once everything appended is durable. */
  durable(): Promise<unknown>;
}

/** A call as it comes to the guard. `tool` undefined: nobody declared it. */
export interface GuardedCall {
  readonly name: string;
  readonly tool: Tool | undefined;
  /** Whether its inverse or compensation may be used. */
  readonly undo: boolean;
  readonly instance: InstanceId;
  /** The number of its actor. */
  readonly actor: number;
  readonly args: unknown;
  readonly signal: AbortSignal;
  act(key: string | undefined, signal: AbortSignal): Promise<unknown>;
}

/** What became of a call. */
export type Reply =
  | { readonly is: 'done'; readonly output: unknown }
  /** `key` null where its class takes none. */
  | { readonly is: 'failed'; readonly signal: Signal; readonly error: unknown; readonly key: string | null }
  | { readonly is: 'diverged'; readonly recorded: LedgerCall; readonly digest: string }
  /** Its actor was stopped before the call left. */
  | { readonly is: 'dropped' };

/** The class of a tool; one that nobody declared is irreversible (E6). */
function classOf(tool: Tool | undefined): EffectClass {
  return tool?.effect ?? 'irreversible';
}

/** Makes a call, or answers it from the ledger. Never throws. */
export async function guardedCall(port: GuardPort, call: GuardedCall): Promise<Reply> {
  if (classOf(call.tool) === 'none') return plainCall(call);
  const { ledger } = port;
  const known = ledger.ofActor(call.actor);
  const key = known?.key ?? ledger.nextKey(port.run, call.instance, call.name);
  const recorded = ledger.get(key);
  const digest = argsDigest(call.args);
  const stands = recorded !== undefined && recorded.status !== 'failed' && recorded.status !== 'compensated';
  if (stands && recorded.intent.digest !== digest) return { is: 'diverged', recorded, digest };
  const intent: Entry = {
    do: 'intent',
    key,
    actor: call.actor,
    tool: call.name,
    instance: call.instance,
    class: classOf(call.tool),
    undo: call.undo,
    digest,
  };
  if (recorded?.status === 'confirmed') {
    if (recorded.at === null)
      port.append([intent, { do: 'outcome', key, status: 'confirmed', output: recorded.output }]);
    return { is: 'done', output: recorded.output };
  }
  if (recorded !== undefined && stands && classOf(call.tool) !== 'idempotent') {
    return {
      is: 'failed',
      signal: 'TOOL_EXCEPTION',
      error: new Error('the process ended while the call was under way'),
      key,
    };
  }
  port.append([intent]);
  await port.durable();
  if (call.signal.aborted) {
    port.append([{ do: 'outcome', key, status: 'failed', error: 'stopped before the call left' }]);
    return { is: 'dropped' };
  }
  return act(port, call, key);
}

async function plainCall(call: GuardedCall): Promise<Reply> {
  const settled = await timed(call, undefined);
  if ('error' in settled) return { is: 'failed', signal: settled.signal, error: settled.error, key: null };
  const refusal = call.tool?.refuses(settled.output) ?? null;
  if (refusal !== null) return { is: 'failed', signal: 'INVALID_OUTPUT', error: new Error(refusal), key: null };
  return { is: 'done', output: settled.output };
}

async function act(port: GuardPort, call: GuardedCall, key: string): Promise<Reply> {
  const settled = await timed(call, key, (late) => {
    // News after the deadline: it settles what was unknown, and changes nothing that is settled.
    if (port.ledger.get(key)?.status !== 'unknown') return;
    port.append([
      {
        do: 'outcome',
        key,
        ...('error' in late ? lateFailure(late.error) : { status: 'confirmed', output: late.output }),
      },
    ]);
  });
  if ('error' in settled) {
    const { error, signal } = settled;
    port.append([
      { do: 'outcome', key, status: error instanceof NotApplied ? 'failed' : 'unknown', error: told(error) },
    ]);
    return { is: 'failed', signal, error, key };
  }
  const refusal = call.tool?.refuses(settled.output) ?? null;
  if (refusal !== null) {
    port.append([{ do: 'outcome', key, status: 'unknown', error: refusal }]);
    return { is: 'failed', signal: 'INVALID_OUTPUT', error: new Error(refusal), key };
  }
  port.append([{ do: 'outcome', key, status: 'confirmed', output: settled.output }]);
  return { is: 'done', output: settled.output };
}

function lateFailure(error: unknown): { status: 'failed' | 'unknown'; error: string } {
  return { status: error instanceof NotApplied ? 'failed' : 'unknown', error: told(error) };
}

type Settled = { readonly output: unknown } | { readonly error: unknown; readonly signal: Signal };

/** The call, or its deadline, whichever comes first; what comes after the deadline goes to `late`. */
async function timed(call: GuardedCall, key: string | undefined, late?: (settled: Settled) => void): Promise<Settled> {
  const own = new AbortController();
  const forward = () => own.abort(call.signal.reason);
  call.signal.addEventListener('abort', forward, { once: true });
  const settling = settle(call, key, own.signal);
  const { tool } = call;
  if (tool === undefined || tool.timeout === null) return settling;
  const limit = tool.timeout;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const deadline = new Promise<'late'>((resolve) => {
    timer = setTimeout(() => resolve('late'), limit);
  });
  const first = await Promise.race([settling, deadline]);
  clearTimeout(timer);
  if (first !== 'late') return first;
  own.abort();
  if (late !== undefined) void settling.then(late);
  return { error: new Error(`no answer within ${limit} ms`), signal: 'TIMEOUT' };
}

async function settle(call: GuardedCall, key: string | undefined, signal: AbortSignal): Promise<Settled> {
  try {
    return { output: await call.act(key, signal) };
  } catch (error) {
    return { error, signal: toolSignal(error) };
  }
}

/** SHA-256 over a value whose members are put in order; a value without a text has the digest of where it has none. */
function argsDigest(args: unknown): string {
  const encoded = encode(ordered(args, 0));
  return createHash('sha256')
    .update('text' in encoded ? encoded.text : `!${encoded.reason}:${encoded.path.join('/')}`)
    .digest('hex');
}

function ordered(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null || depth > 64) return value;
  if (Array.isArray(value)) return value.map((member) => ordered(member, depth + 1));
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((name) => [name, ordered((value as Record<string, unknown>)[name], depth + 1)]),
  );
}
