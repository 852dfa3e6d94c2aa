/**
 * The guard around a tool: intent before the act, outcome after it (semantics.md E1-E4). It never guesses: what a call did is
 * confirmed, known not to have happened, or unknown. Whether anything is done about a failure is decided elsewhere.
 */
import type { Tool } from '../boundaries/config.ts';
import { type Encoded, encode } from '../journal/codec.ts';
import { isSame, type ValueCodec } from '../journal/value-codec.ts';
import { type EffectClass, type EffectStatus, isOpen } from '../model/effect.ts';
import type { Entry, IntentEntry, OutcomeEntry } from '../model/entry.ts';
import type { Signal } from '../model/failure.ts';
import type { InstanceId } from '../model/instance.ts';
import { argsDigest } from './digest.ts';
import { entityOf, isDistrusted, type Ledger, type LedgerCall } from './ledger.ts';
import { Denied, errorMessage, NotApplied } from './signals.ts';
import { type Settled, timed } from './timed.ts';

/** Where a guard writes. */
export interface GuardPort {
  readonly run: string;
  /** The secret of the run, under which digests are made; null for a run that has none. */
  readonly secret: string | null;
  /** The codecs of values that have no form of their own. */
  readonly codecs: readonly ValueCodec[];
  readonly ledger: Ledger;
  append(entries: readonly Entry[]): void;
  /** Resolves once everything appended is durable. */
  durable(): Promise<unknown>;
  /** Resolves once no plan is being carried out: nothing new leaves while one is (R5). */
  clear(): Promise<void>;
  /** Whether the process takes leave of the run: what waits then goes on waiting. */
  stopping(): boolean;
}

/** What may be spent by a call: what is to be written down with it, or why it may not leave. */
export type Admission = { readonly entries: readonly Entry[] } | { readonly refused: string };

/** What a person says of a call that waits at its gate. */
export type Approval =
  | { readonly is: 'approved'; readonly gate: string }
  | { readonly is: 'denied'; readonly why: string; readonly by: string | null }
  /** It is known by now that the call has happened: an earlier try of it, which nobody waited for any more, came back. */
  | { readonly is: 'settled' }
  /** Its actor was stopped, or the run is over. */
  | { readonly is: 'dropped' };

/** A call as it comes to the guard. `tool` undefined: nobody declared it. */
export interface GuardedCall {
  readonly name: string;
  readonly tool: Tool | undefined;
  /** Whether its inverse or compensation may be used. */
  readonly undo: boolean;
  readonly instance: InstanceId;
  /** The name that its instance has in keys: the root of a machine that is invoked again has another id by then. */
  readonly keyedAs: InstanceId;
  /** The number of its actor. */
  readonly actor: number;
  readonly args: unknown;
  readonly signal: AbortSignal;
  /** True where it waits for a person's approval before it leaves. */
  readonly gated: boolean;
  act(key: string | undefined, signal: AbortSignal): Promise<unknown>;
  /** Admits what it spends, under its key or the number of its actor. */
  admit(of: string): Admission;
  /** What it is charged once it is known; of a call that came back with an error only its time is. */
  charge(of: string, settled: Settled): readonly Entry[];
  /**
   * Waits for a person's approval of a call that is held at its gate; `like` is the key of an earlier call that it may be the same act as.
   */
  approval(key: string, digest: string, like: string | null): Promise<Approval>;
  /**
   * How an earlier call relates to this one: the machine still waits for its answer, or it is the same act, or that cannot be told: another
   * state has made it, or one of its declared reads was written since (E3).
   */
  relation(earlier: LedgerCall): 'waited for' | 'same' | 'unsure';
  /** Asks the preconditions of a call that is about to leave: why it may not, or null. Null itself where it has none. */
  readonly allowed: (() => Promise<string | null>) | null;
  /** Asks everything once more, after an approval. */
  stillAllowed(): Promise<string | null>;
  /** Whether an approval still opens, at the very moment at which it is used. */
  opens(gate: string, digest: string): boolean;
  /** Removes what a failed staging may have left. */
  discard(key: string): Promise<void>;
}

/** What became of a call. */
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
  | { readonly is: 'diverged'; readonly recorded: LedgerCall; readonly digest: string }
  /** A call of the same tool about the same entity stands in the world, and no replay has taken it over (C8). */
  | { readonly is: 'unclaimed'; readonly kept: LedgerCall }
  /** Its actor was stopped before the call left. */
  | { readonly is: 'dropped' };

/** The class of a tool; one that nobody declared is irreversible (E6). */
function classOf(tool: Tool | undefined): EffectClass {
  return tool?.effect ?? 'irreversible';
}

/** Makes a call, or answers it from the ledger. Never throws. */
export async function guardedCall(port: GuardPort, call: GuardedCall): Promise<Reply> {
  if (call.allowed !== null && leaves(port, call)) {
    const why = await call.allowed();
    if (call.signal.aborted) return { is: 'dropped' };
    if (why !== null) return denied(why);
  }
  return whenClear(port, call);
}

async function whenClear(port: GuardPort, call: GuardedCall): Promise<Reply> {
  await port.clear();
  return call.signal.aborted ? { is: 'dropped' } : guarded(port, call);
}

/** Whether a call would be made now: what is known of it, or has to be found out, does not depend on its preconditions any more. */
function leaves(
  { run, secret, codecs, ledger }: GuardPort,
  { actor, instance, keyedAs, name, tool, args }: GuardedCall,
): boolean {
  const known = ledger.ofActor(actor)?.key;
  const key = known ?? ledger.nextKey(run, { instance, keyedAs, tool: name, digest: argsDigest(args, secret, codecs) });
  const recorded = ledger.get(key);
  return !stands(recorded) || isDistrusted(recorded) || (isOpen(recorded.status) && classOf(tool) === 'idempotent');
}

/** Whether a call was made, or waits to be: not where it is known not to have happened, or was taken back. */
function stands(recorded: LedgerCall | undefined): recorded is LedgerCall {
  return recorded !== undefined && recorded.status !== 'failed' && recorded.status !== 'compensated';
}

async function guarded(port: GuardPort, call: GuardedCall): Promise<Reply> {
  if (classOf(call.tool) === 'none') return plainCall(port, call);
  const lost = encode(call.args, { codecs: port.codecs });
  if (!('text' in lost)) return failed('CONTRACT_VIOLATION', new TypeError(unwritten(call.name, lost)), null);
  const { ledger } = port;
  const known = ledger.ofActor(call.actor);
  const digest = argsDigest(call.args, port.secret, port.codecs);
  // A machine that retries by itself makes the same call again while nobody knows what became of it: it is that call.
  const before = known === undefined ? earlier(port, call, digest) : NOTHING_BEFORE;
  if (before.open !== undefined) return unknownBefore(before.open.key);
  const { instance, keyedAs, name: tool } = call;
  const key = known?.key ?? before.same?.key ?? ledger.nextKey(port.run, { instance, keyedAs, tool, digest });
  const recorded = ledger.get(key);
  const stood = stands(recorded);
  if (stood && recorded.intent.digest !== digest) return { is: 'diverged', recorded, digest };
  const answer = recorded === undefined ? null : fromLedger(port, call, recorded, before.same !== undefined, digest);
  if (answer !== null) return answer;
  const kept = stood ? undefined : unclaimed(ledger, call, key);
  if (kept !== undefined) return { is: 'unclaimed', kept };
  if (stood && recorded.status !== 'confirmed' && classOf(call.tool) !== 'idempotent') return unknownBefore(key);
  return leave(port, call, { do: 'intent', ...named(call), key, digest }, stood);
}

/**
 * The reply to a call of which the ledger knows what became; null where it has to leave. `again`: the machine makes it once
 * more.
 */
function fromLedger(
  port: GuardPort,
  call: GuardedCall,
  recorded: LedgerCall,
  again: boolean,
  digest: string,
): Reply | Promise<Reply> | null {
  const { key, status, output, undoing } = recorded;
  if (status === 'buffered') {
    if (recorded.intent.held === 'gate') return throughGate(port, call, key, digest);
    return recorded.staged ? { is: 'done', output } : stage(port, call, key);
  }
  if (status !== 'confirmed') return null;
  if (undoing) return { is: 'unclaimed', kept: recorded };
  if (isDistrusted(recorded)) return null;
  if (recorded.at === null || again)
    port.append([
      { do: 'intent', ...named(call), key, digest },
      { do: 'outcome', key, status: 'confirmed', output },
    ]);
  return { is: 'done', output };
}

/** The earlier calls that one may repeat. */
interface Earlier {
  /** The same act, whose answer the machine has not heard. */
  readonly same?: LedgerCall;
  /** One whose outcome has to be known before anything like it leaves. */
  readonly open?: LedgerCall;
  /** One that has happened and that no call has been answered with: a person says whether this is the same act. */
  readonly like?: LedgerCall;
}

const NOTHING_BEFORE: Earlier = {};

/** What a call may repeat, of what its instance has called before (E3). */
function earlier({ ledger }: GuardPort, call: GuardedCall, digest: string): Earlier {
  if (call.tool?.buffer) return NOTHING_BEFORE;
  // What is asked of an idempotent counterparty with other arguments is another thing, whatever became of the first.
  const isOnlySame = classOf(call.tool) === 'idempotent';
  const unheard = ledger.unheard(call.instance, call.name).filter((other) => {
    return !(isOnlySame && other.intent.digest !== digest) && call.relation(other) !== 'waited for';
  });
  const same = unheard.find((other) => other.intent.digest === digest && call.relation(other) === 'same');
  if (same !== undefined) return { same };
  const open = unheard.find(({ status }) => status === 'unknown');
  if (open !== undefined) return { open };
  const like = unheard.at(-1);
  return like === undefined ? NOTHING_BEFORE : { like };
}

/** Nothing is asked for before it is known what became of an earlier try. */
function unknownBefore(key: string): Reply {
  const error = new Error('nobody knows what became of the call when it was made before');
  return { is: 'failed', signal: 'TOOL_EXCEPTION', error, key, held: true };
}

/** Why a call may not leave whose arguments nobody could send again, or tell from others (E3). */
function unwritten(tool: string, { path, reason }: Exclude<Encoded, { text: string }>): string {
  const at = path.length === 0 ? 'its input' : `its input at ${path.join('/')}`;
  return `${tool} changes the world, so what it is called with is journaled; no journal can hold ${at}: ${reason}. Pass plain values, or register a codec.`;
}

/** A kept effect of the same tool and entity that no replay has claimed: nothing new of its kind is done before (C8). */
function unclaimed(ledger: Ledger, { name, keyedAs }: GuardedCall, key: string): LedgerCall | undefined {
  return ledger.kept().find((other) => {
    return other.key !== key && other.intent.tool === name && entityOf(other) === keyedAs.entity;
  });
}

/**
 * Has a call leave, or wait for what it waits for. `before`: it has left once, and may have happened, whatever is said of this
 * try.
 */
async function leave(port: GuardPort, call: GuardedCall, intent: IntentEntry, before: boolean): Promise<Reply> {
  const { key, digest } = intent;
  if (call.gated || earlier(port, call, digest).like !== undefined) {
    port.append([before ? intent : { ...intent, held: 'gate' }]);
    return throughGate(port, call, key, digest);
  }
  const admission = call.admit(key);
  if ('refused' in admission) return denied(admission.refused);
  const held = call.tool?.buffer ? ({ held: 'buffer' } as const) : {};
  port.append([{ ...intent, ...held }, ...admission.entries]);
  const mine = port.ledger.get(key);
  await port.durable();
  if (call.signal.aborted) return before ? { is: 'dropped' } : drop(port, key, mine);
  // It was said meanwhile, for good, that it did not happen, or what came of it: then this is another try.
  if (mine !== undefined && !isOpen(mine.status) && mine.status !== 'buffered') return whenClear(port, call);
  return call.tool?.buffer ? stage(port, call, key) : act(port, call, key, before);
}

function named({ name, tool, undo, instance, keyedAs, actor, args }: GuardedCall) {
  const own = keyedAs.entity === instance.entity ? {} : { keyedAs: keyedAs.entity };
  return { actor, tool: name, instance, class: classOf(tool), undo, args, ...own };
}

function failed(signal: Signal, error: unknown, key: string | null): Reply {
  return { is: 'failed', signal, error, key };
}

/** It never left, so nothing is asked about it. */
function denied(why: string): Reply {
  return failed('GOVERNOR_DENIED', new Error(why), null);
}

/**
 * Its actor was stopped before it left. What a restore has taken back meanwhile may be somebody else's by now, and what waits when
 * the process takes leave of the run goes on waiting.
 */
function drop(port: GuardPort, key: string, mine: LedgerCall | undefined): Reply {
  const own = port.ledger.get(key);
  // The same call may have been asked for again meanwhile, by the same actor: that intent is another one.
  const isOwn = own !== undefined && own === mine && own.at !== null && own.status !== 'confirmed';
  if (isOwn && !(own.status === 'buffered' && port.stopping()))
    port.append([{ do: 'outcome', key, status: 'failed', error: 'stopped before the call left' }]);
  return { is: 'dropped' };
}

async function plainCall(port: GuardPort, call: GuardedCall): Promise<Reply> {
  const of = String(call.actor);
  const admission = call.admit(of);
  if ('refused' in admission) return denied(admission.refused);
  if (admission.entries.length > 0) {
    port.append(admission.entries);
    await port.durable();
    if (call.signal.aborted) return { is: 'dropped' };
  }
  const settled = await timed(call, undefined);
  const spent = call.charge(of, settled);
  if (spent.length > 0) port.append(spent);
  if ('error' in settled) return failed(settled.signal, settled.error, null);
  const refusal = call.tool?.refuses(settled.output) ?? null;
  if (refusal !== null) return failed('INVALID_OUTPUT', new Error(refusal), null);
  return { is: 'done', output: settled.output };
}

/** Waits for the approval, asks again whether the call may leave, and uses the approval up in the commit with which it leaves. */
async function throughGate(port: GuardPort, call: GuardedCall, key: string, digest: string): Promise<Reply> {
  const mine = port.ledger.get(key);
  const isNew = mine?.status === 'buffered';
  const dropped = (): Reply => (isNew ? drop(port, key, mine) : { is: 'dropped' });
  const like = earlier(port, call, digest).like?.key ?? null;
  for (;;) {
    const approval = await call.approval(key, digest, like);
    if (approval.is === 'dropped' || call.signal.aborted) return dropped();
    if (approval.is === 'settled') return { is: 'done', output: port.ledger.get(key)?.output };
    const why = approval.is === 'denied' ? approval.why : await call.stillAllowed();
    await port.clear();
    if (call.signal.aborted) return dropped();
    const admission = why === null ? call.admit(key) : { refused: why };
    if ('refused' in admission) {
      if (isNew) port.append([{ do: 'outcome', key, status: 'failed', error: admission.refused }]);
      return deniedBy(approval, admission.refused);
    }
    const { gate } = approval as { gate: string };
    // While it was asked about, the approval may have run out.
    if (!call.opens(gate, digest)) continue;
    port.append([{ do: 'leave', key, gate }, ...admission.entries]);
    const leaving = port.ledger.get(key);
    await port.durable();
    if (call.signal.aborted) return dropped();
    // As above: what was said meanwhile of this try holds, and another one is asked about anew.
    return leaving !== undefined && !isOpen(leaving.status) ? whenClear(port, call) : act(port, call, key);
  }
}

/** A call that was refused at its gate: by a person, whom the error names, or because it may not leave any more. */
function deniedBy(approval: Approval, why: string): Reply {
  if (approval.is !== 'denied') return denied(why);
  return failed('GOVERNOR_DENIED', new Denied(approval.why, approval.by), null);
}

/** Stages a call that is held back until its instance commits (E4). Nobody sees it: what fails here has not happened. */
async function stage(port: GuardPort, call: GuardedCall, key: string): Promise<Reply> {
  if (call.tool?.buffer === 'call') {
    port.append([{ do: 'outcome', key, status: 'buffered' }]);
    return { is: 'done', output: undefined };
  }
  const settled = await timed(call, key);
  if (call.signal.aborted) return { is: 'dropped' };
  const refusal = 'error' in settled ? null : (call.tool?.refuses(settled.output) ?? null);
  if ('error' in settled || refusal !== null) {
    const error = 'error' in settled ? settled.error : new Error(refusal as string);
    await call.discard(key);
    port.append([{ do: 'outcome', key, status: 'failed', error: errorMessage(error) }]);
    return failed('error' in settled ? settled.signal : 'INVALID_OUTPUT', error, key);
  }
  port.append([{ do: 'outcome', key, status: 'buffered', output: settled.output }]);
  return { is: 'done', output: settled.output };
}

/**
 * Makes the call. What comes back is news of this try alone: where the call was made again since, or is known to have happened, an error
 * says nothing of that, and is not written over it (E2). `before`: it has left once under this key, and that this try did not happen says nothing of
 * the first.
 */
async function act(port: GuardPort, call: GuardedCall, key: string, before = false): Promise<Reply> {
  const mine = port.ledger.get(key);
  const isNews = ({ status }: { readonly status: EffectStatus }) => {
    const now = port.ledger.get(key);
    if (status === 'confirmed') return now === mine || now?.status !== 'confirmed';
    return now === mine && now?.status !== 'confirmed' && now?.status !== 'compensated';
  };
  const write = (outcome: Omit<OutcomeEntry, 'do' | 'key'>, spent: readonly Entry[] = []) => {
    const entries = isNews(outcome) ? [...spent, { do: 'outcome', key, ...outcome } as const] : spent;
    if (entries.length > 0) port.append(entries);
  };
  const settled = await timed(call, key, (late) => {
    // News after the deadline: it settles what was unknown, and changes nothing that is settled.
    if (port.ledger.get(key)?.status === 'unknown') write(completion(late));
  });
  const spent = call.charge(key, settled);
  if ('error' in settled) {
    const told = completion(settled);
    const isOpenStill = before && told.status === 'failed';
    write({ ...told, ...(isOpenStill && { status: 'unknown' as const }) }, spent);
    return failed(settled.signal, settled.error, key);
  }
  const refusal = call.tool?.refuses(settled.output) ?? null;
  if (refusal !== null) {
    write({ status: 'unknown', error: refusal }, spent);
    return failed('INVALID_OUTPUT', new Error(refusal), key);
  }
  const wrong = port.ledger.get(key)?.wrong ?? null;
  write({ status: 'confirmed', output: settled.output }, spent);
  if (wrong?.isSure === true && isSame(wrong.output, settled.output)) {
    const error = new Error(`${call.name} gives the answer again that was found wrong`);
    return { is: 'failed', signal: 'CONTRACT_VIOLATION', error, key: null, held: true };
  }
  return { is: 'done', output: settled.output };
}

/** What a call that came back says of itself (E2). */
export function completion(settled: Settled) {
  if (!('error' in settled)) return { status: 'confirmed', output: settled.output } as const;
  const { error } = settled;
  return { status: error instanceof NotApplied ? 'failed' : 'unknown', error: errorMessage(error) } as const;
}
