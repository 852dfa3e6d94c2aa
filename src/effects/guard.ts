/**
 * The guard around a tool: intent before the act, outcome after it (semantics.md E1-E4). It never guesses: what a call did is
 * confirmed, known not to have happened, or unknown. A failure is answered elsewhere.
 */
import { encode } from '../journal/codec.ts';
import type { IntentEntry } from '../model/call-entries.ts';
import { isOpen } from '../model/effect.ts';
import { takesVersion } from '../model/tool-version.ts';
import { act, drop, plainCall, stage } from './acting.ts';
import { isAct } from './acts.ts';
import { awaitApproval, reliedBy } from './awaiting-approval.ts';
import { decision, keptAnswer } from './deciding.ts';
import { argsDigest } from './digest.ts';
import { earlier, NOTHING_BEFORE, unclaimed } from './earlier-calls.ts';
import {
  classAgain,
  classOf,
  denied,
  failed,
  type GuardedCall,
  type GuardPort,
  misfitting,
  overBudget,
  type Reply,
} from './guarded-call.ts';
import { isDistrusted, type LedgerCall } from './ledger-call.ts';
import { firstLook } from './looking.ts';
import { hasRoom } from './pooled.ts';
import { type Act, actBefore, actOfCall, repeated, unnamed } from './repeating.ts';
import { ActRepeated } from './signals.ts';

/** Makes a call, or answers it from the ledger. Never throws. */
export async function guardedCall(port: GuardPort, call: GuardedCall): Promise<Reply> {
  const misfit = refusedFor(port, call);
  if (misfit !== null) return misfit;
  if (call.allowed !== null && leaves(port, call)) {
    for (let held = mandated(port, call); held !== null; held = mandated(port, call)) await held;
    const why = await call.allowed();
    if (call.signal.aborted) return { is: 'dropped' };
    if (why !== null) return denied(why);
  }
  return whenClear(port, call);
}

/** The refusal of a call that would leave now and whose arguments are none that its tool takes (CS1); null for any other call. */
export function refusedFor(port: GuardPort, call: GuardedCall): Reply | null {
  const misfit = misfitting(call);
  return misfit !== null && leaves(port, call) ? misfit : null;
}

/** True for a call that would act now: the ledger has no answer for it. */
export function leavesNow(port: GuardPort, call: GuardedCall): boolean {
  return classOf(call.tool) !== 'none' && leaves(port, call);
}

/** True for a call that needs no room in a pool. */
function isHarmless(port: GuardPort, call: GuardedCall): boolean {
  return !leavesNow(port, call);
}

/** True for a call that leaves now and whose sandbox may not be there. What waits for a person starts none before it is approved. */
function needsBox(port: GuardPort, call: GuardedCall): boolean {
  return !call.gated && call.box?.isDue() === true && leaves(port, call);
}

/** What a call waits for before it is made; null where it waits for nothing. */
function holding(port: GuardPort, call: GuardedCall): Promise<void> | null {
  return port.free() ?? mandated(port, call);
}

/** The wait of a call that would change the world now, and that the run has no mandate for (MD3); null for any other call. */
function mandated(port: GuardPort, call: GuardedCall): Promise<void> | null {
  return isHarmless(port, call) ? null : port.mandated(call.name);
}

async function whenClear(port: GuardPort, asked: GuardedCall): Promise<Reply> {
  for (let isAsked = asked.pools === undefined; ; ) {
    for (let held = holding(port, asked); held !== null; held = holding(port, asked)) await held;
    const call = asSent(port, asked.own ?? asked);
    if (isOver(port, call)) return { is: 'dropped' };
    const isBoxed = !needsBox(port, call);
    if (isBoxed && (isAsked || isHarmless(port, call))) return guarded(port, call);
    const not = await (isBoxed ? call.pools?.room(keyAhead(port, call)) : call.box?.make());
    if (not) return isOver(port, call) ? { is: 'dropped' } : not;
    isAsked ||= isBoxed;
  }
}

/** True where a call is not made any more. */
function isOver(port: GuardPort, { signal }: GuardedCall): boolean {
  return signal.aborted || port.cancelled() || port.stopping();
}

/**
 * True where a call would be made now: what is known of it, or has to be found out, does not depend on its preconditions any
 * more.
 */
function leaves(port: GuardPort, call: GuardedCall): boolean {
  const { ledger } = port;
  const { tool } = call;
  if (tool?.decides) return keptAnswer(port, call) === null;
  const key = keyAhead(port, call);
  const recorded = ledger.get(key);
  if (!stands(recorded) && actBefore(port, actOfCall(port, call), key) !== undefined) return false;
  return (
    !stands(recorded) ||
    isDistrusted(recorded) ||
    (isOpen(recorded.status) && classAgain(tool, recorded) === 'idempotent')
  );
}

/** The key that a call would have now. */
function keyAhead(port: GuardPort, call: GuardedCall): string {
  const { run, ledger } = port;
  const { actor, instance, keyedAs, place, name } = call;
  const known = ledger.ofActor(actor);
  return (
    (known && ledger.keyAgain(known)) ??
    ledger.nextKey(run, { instance, keyedAs, place, tool: name, digest: digestOf(port, call) })
  );
}

/** The digest of what the machine asks for: it says which call this is, whatever a person had sent in its place (PE2). */
function digestOf({ secret, codecs }: GuardPort, call: GuardedCall): string {
  return argsDigest((call.own ?? call).args, secret, codecs);
}

/** The call as it is sent: once a person's arguments have left with a call, the call keeps these arguments (E3, PE2). */
function asSent(port: GuardPort, call: GuardedCall): GuardedCall {
  const recorded = classOf(call.tool) === 'none' ? undefined : port.ledger.get(keyAhead(port, call));
  if (!stands(recorded) || recorded.intent.instead === undefined) return call;
  return recorded.intent.digest === digestOf(port, call) ? call.sending(recorded.intent.args) : call;
}

/** True where a call was made, or waits to be: not where it is known not to have happened, or was taken back. */
function stands(recorded: LedgerCall | undefined): recorded is LedgerCall {
  return recorded !== undefined && isAct(recorded);
}

/** True where a call is the recorded one: it asks the same, and what another version of the tool did under its key is neither it nor its answer (CO4). */
function isSameCall({ version }: GuardedCall, { intent }: LedgerCall, digest: string): boolean {
  return intent.digest === digest && takesVersion(version, intent.version);
}

/** Makes a call that does nothing to the world. */
function harmless(port: GuardPort, call: GuardedCall): Promise<Reply> {
  if (call.tool?.decides) return decision(port, call);
  return call.tool?.revalidate ? firstLook(port, call) : plainCall(port, call);
}

async function guarded(port: GuardPort, call: GuardedCall): Promise<Reply> {
  if (classOf(call.tool) === 'none') return harmless(port, call);
  const lost = encode(call.args, { codecs: port.codecs });
  if (!('text' in lost)) return { is: 'unwritten', path: lost.path.join('/'), reason: lost.reason };
  const made = actOfCall(port, call);
  if (made.is === 'unnamed') return unnamed(call, made.by);
  const { ledger } = port;
  const known = ledger.ofActor(call.actor);
  const digest = digestOf(port, call);
  // A machine that retries by itself makes the same call again while the outcome is unknown: it is the same call.
  const before = known === undefined ? earlier(port, call, digest) : NOTHING_BEFORE;
  if (before.open !== undefined) return unknownBefore(before.open.key);
  const key = keyFor(port, call, digest, before.same);
  const recorded = ledger.get(key);
  const stood = stands(recorded);
  if (stood && !isSameCall(call, recorded, digest)) return { is: 'diverged', recorded, digest };
  const answer =
    recorded === undefined || recorded.repeats !== null
      ? null
      : fromLedger(port, call, recorded, before.same !== undefined, digest);
  if (answer !== null) return answer;
  const intent: IntentEntry = { do: 'intent', ...named(call, made, recorded), key, digest, ...underOf(port) };
  const first = stood ? undefined : actBefore(port, made, key);
  if (first !== undefined)
    return (await repeated(port, call, intent, first, () => whenClear(port, call))) ?? unknownBefore(first.key);
  const kept = stood ? undefined : unclaimed(ledger, call, key);
  if (kept !== undefined) return { is: 'unclaimed', kept };
  if (stood && recorded.status !== 'confirmed' && intent.class !== 'idempotent') return unknownBefore(key);
  // Its counterparty may take it for a new call (E3).
  if (stood && call.isExpired(recorded)) return { is: 'expired', recorded };
  return leave(port, call, intent, stood);
}

/** The key of a call: a call that is known not to have happened leaves under another one once its key may be forgotten (E3). */
function keyFor(port: GuardPort, call: GuardedCall, digest: string, same: LedgerCall | undefined): string {
  const { ledger, run } = port;
  const { instance, keyedAs, place, name: tool } = call;
  const known = ledger.ofActor(call.actor);
  const named = () =>
    (known && ledger.keyAgain(known)) ?? same?.key ?? ledger.nextKey(run, { instance, keyedAs, place, tool, digest });
  const key = named();
  const recorded = ledger.get(key);
  if (recorded?.status !== 'failed' || !call.isExpired(recorded)) return key;
  port.append([{ do: 'voided', key }]);
  return named();
}

/**
 * The reply to a call whose outcome the ledger knows; null if the call has to leave. `again`: the machine makes it once
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
    if (recorded.intent.held === 'gate') return awaitApproval(port, call, { key, digest }, () => whenClear(port, call));
    return recorded.staged ? { is: 'done', output } : stage(port, call, key);
  }
  if (status !== 'confirmed') return null;
  if (undoing) return { is: 'unclaimed', kept: recorded };
  if (isDistrusted(recorded)) return null;
  if (recorded.at === null || again)
    port.append([
      { do: 'intent', ...named(call, actOfCall(port, call), recorded), key, digest },
      { do: 'outcome', key, status: 'confirmed', output },
    ]);
  return { is: 'done', output };
}

/** Nothing is asked for before it is known what became of an earlier try. */
function unknownBefore(key: string): Reply {
  const error = new Error('it is unknown what became of the call when it was made before');
  return { is: 'failed', signal: 'TOOL_EXCEPTION', error, key, held: true };
}

/** Has a call leave, or wait for what it waits for. `before`: it has left once, and may have happened, whatever is said of this try. */
async function leave(port: GuardPort, call: GuardedCall, intent: IntentEntry, before: boolean): Promise<Reply> {
  const misfit = before ? null : misfitting(call);
  if (misfit !== null) return misfit;
  const { key } = intent;
  const isBuffered = call.holds || Boolean(call.tool?.buffer);
  const first = beforeLeaving(port, call, intent, { before, isBuffered });
  if (first !== null) return first;
  const admission = admitted(call, key, isBuffered);
  if ('refused' in admission) return overBudget(admission.refused);
  const held = isBuffered ? ({ held: 'buffer' } as const) : {};
  port.append([{ ...intent, ...held }, ...admission.entries, ...(isBuffered ? [] : reliedBy(call, key))]);
  const mine = port.ledger.get(key);
  const stays = before || isBuffered ? null : port.leaves(key);
  try {
    await port.durable();
    const away = await turnedAway(port, call, intent, before);
    if (away !== null) return away;
    if (isBuffered) for (let plan = port.clear(); plan !== null; plan = port.clear()) await plan;
    if (call.signal.aborted || port.cancelled()) return before ? { is: 'dropped' } : drop(port, key, mine);
    return isBuffered
      ? await stage(port, call, key)
      : ((await act(port, call, key, mine, before)) ?? whenClear(port, call));
  } finally {
    stays?.();
  }
}

/** The reply of a call whose durable intent another call has forestalled: another run has its act, or the room in its pool. Null where none has. */
async function turnedAway(
  port: GuardPort,
  call: GuardedCall,
  intent: IntentEntry,
  before: boolean,
): Promise<Reply | null> {
  const elsewhere = await inOtherRun(port, call, intent);
  if (elsewhere !== null || (await hasRoom(port, call, intent.key, before))) return elsewhere;
  return whenClear(port, call);
}

/** The reply of a call that does not leave at once: it may be an earlier act, needs an approval, or rests on an answer that is too old. Null where it leaves now. */
function beforeLeaving(
  port: GuardPort,
  call: GuardedCall,
  intent: IntentEntry,
  { before, isBuffered }: { readonly before: boolean; readonly isBuffered: boolean },
): Reply | Promise<Reply> | null {
  const { like } = earlier(port, call, intent.digest);
  if (call.holds && like !== undefined)
    return denied('it may be the same act as an earlier call, and a held call asks no person');
  if (call.gated || like !== undefined) return leaveApproved(port, call, intent, before);
  // A staged call is looked at with its commit (RV2).
  return !isBuffered && call.looks?.isDue() === true ? looked(port, call) : null;
}

/** Looks again at what a call rests on. Anything may have happened meanwhile: all is asked anew. */
async function looked(port: GuardPort, call: GuardedCall): Promise<Reply> {
  return (await call.looks?.make()) ?? whenClear(port, call);
}

/** The pass of a call, unless an answer that it rests on is older than its own condition allows. */
function admitted(call: GuardedCall, key: string, isBuffered: boolean): ReturnType<GuardedCall['admit']> {
  const refused = isBuffered ? null : (call.looks?.unmet() ?? null);
  return refused === null ? call.admit(key) : { refused };
}

/** Has a call leave once a person has approved it; no person is asked about a call whose act another run has. */
async function leaveApproved(port: GuardPort, call: GuardedCall, intent: IntentEntry, before: boolean): Promise<Reply> {
  const { key, digest } = intent;
  port.append([before ? intent : { ...intent, held: 'gate' }]);
  const elsewhere = await inOtherRun(port, call, intent);
  return elsewhere ?? awaitApproval(port, call, { key, digest }, () => whenClear(port, call));
}

/** The refusal of a call whose act another run of the store has; null where it has none (ON6). The intent is durable by then. */
async function inOtherRun(port: GuardPort, call: GuardedCall, { key, inStore }: IntentEntry): Promise<Reply | null> {
  if (!inStore) return null;
  await port.durable();
  const run = await port.elsewhere(key);
  if (run === null) return null;
  const error = new ActRepeated(call.name, { run, key: null });
  port.append([{ do: 'outcome', key, status: 'failed', error: error.message }]);
  return failed('GOVERNOR_DENIED', error, null);
}

/** The members of an intent that are those of a call. `recorded`: the call under the same key. */
function named(
  { name, tool, undo, instance, keyedAs, place, actor, args, version }: GuardedCall,
  act: Act,
  recorded: LedgerCall | undefined,
) {
  const own = keyedAs.entity === instance.entity ? {} : { keyedAs: keyedAs.entity };
  const once = act.is === 'one' ? { once: act.once, ...(act.inStore && { inStore: true as const }) } : {};
  return {
    actor,
    tool: name,
    instance,
    class: classAgain(tool, recorded),
    // A repetition is no act: what is its own from here on is undone as any other (ON3).
    undo: undo && (recorded?.status !== 'confirmed' || recorded.repeats !== null || recorded.undo),
    ...bodyOf(args, recorded),
    ...own,
    ...once,
    ...(place !== null && { place }),
    ...(version !== undefined && { version: version.version }),
    ...(tool?.in?.beyond === false && { sandbox: tool.in.sandbox }),
  };
}

/** The arguments that a call is journaled with: those of the call under the same key, where a person had others sent than the machine asks for (PE2). */
function bodyOf(
  args: unknown,
  recorded: LedgerCall | undefined,
): Pick<IntentEntry, 'args' | 'instead' | 'byHand' | 'under'> {
  if (!stands(recorded)) return { args };
  const { args: sent, instead, byHand, under } = recorded.intent;
  return {
    args: instead === undefined ? args : sent,
    ...(instead !== undefined && { instead }),
    ...(byHand !== undefined && { byHand }),
    ...(under !== undefined && { under }),
  };
}

/** The mandate that a call leaves under, as a member of its entry (MD2). */
function underOf(port: GuardPort): Pick<IntentEntry, 'under'> {
  const under = port.under();
  return under === null ? {} : { under };
}
