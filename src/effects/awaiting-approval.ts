/** Holds a call until a person has approved it, and has it leave with that approval (semantics.md R4). */
import type { Entry } from '../model/entry.ts';
import { act, drop } from './acting.ts';
import { earlier } from './earlier-calls.ts';
import { type Approval, denied, failed, type GuardedCall, type GuardPort, type Reply } from './guarded-call.ts';
import type { LedgerCall } from './ledger-call.ts';
import { hasRoom } from './pooled.ts';
import { actBefore, actOfCall } from './repeating.ts';
import { Denied, errorMessage } from './signals.ts';

/** The name of a call that is held, and the digest of its arguments. */
interface HeldCall {
  readonly key: string;
  readonly digest: string;
}

/**
 * Waits for the approval, asks again if the call may leave, and uses the approval up in the commit with which it leaves.
 * @param again makes the call once more, where this try of it was settled meanwhile.
 */
export async function awaitApproval(
  port: GuardPort,
  call: GuardedCall,
  held: HeldCall,
  again: () => Promise<Reply>,
): Promise<Reply> {
  const { key, digest } = held;
  const mine = port.ledger.get(key);
  const isNew = mine?.status === 'buffered';
  const dropped = (): Reply => (isNew ? drop(port, key, mine) : { is: 'dropped' });
  const like = earlier(port, call, digest).like?.key ?? null;
  for (;;) {
    const approval = await call.approval(key, digest, like);
    if (approval.is === 'dropped' || call.signal.aborted) return dropped();
    if (approval.is === 'settled') return { is: 'done', output: port.ledger.get(key)?.output };
    const as = bodyOf(call, approval, isNew);
    // The config does not take the change any more: a person is asked anew.
    if (as === null) continue;
    const next = await answered(port, as, { approval, held, mine, isNew, again });
    if (next === 'dropped') return dropped();
    if (next !== 'asked') return next;
  }
}

/** A call whose approval was answered. */
interface Answered {
  readonly approval: Exclude<Approval, { readonly is: 'dropped' | 'settled' }>;
  readonly held: HeldCall;
  /** The call as the ledger had it when it began to wait. */
  readonly mine: LedgerCall | undefined;
  /** True where it had not left under its key by then. */
  readonly isNew: boolean;
  readonly again: () => Promise<Reply>;
}

/** Has a call leave with the arguments that its answer has let leave, or refuses it. @returns `asked` where a person is asked anew. */
async function answered(
  port: GuardPort,
  call: GuardedCall,
  { approval, held: { key, digest }, mine, isNew, again }: Answered,
): Promise<Reply | 'asked' | 'dropped'> {
  if (!(await mandated(port, call, approval))) return 'dropped';
  const why = await whyNot(call, approval);
  const looked = await roomAndLooks(port, call, { key, isNew }, why);
  if (looked !== null) return call.signal.aborted ? 'dropped' : looked;
  // A person has made the act by hand meanwhile (PE5).
  if (isNew && port.ledger.get(key)?.status === 'confirmed') return 'asked';
  // Another call has made the act meanwhile: this one repeats it, and its approval is void (ON5).
  if (isNew && why === null && isRepetition(port, call, key)) {
    drop(port, key, mine);
    return again();
  }
  const admission = admitted(call, key, why);
  if ('refused' in admission) return refuse(port, key, isNew, deniedBy(approval, admission.refused), admission.refused);
  const { gate, changes } = approval as Extract<Approval, { is: 'approved' }>;
  // While it was asked about, the approval may have run out.
  if (!call.opens(gate, digest) || port.mandated(call.name) !== null) return 'asked';
  const under = port.under();
  const body = { ...(changes !== null && { with: call.args }), ...(under !== null && { under }) };
  port.append([{ do: 'leave', key, gate, ...body }, ...admission.entries, ...reliedBy(call, key)]);
  return (await left(port, call, { key, isNew }, again)) ?? 'dropped';
}

/** Waits until an approved call may leave under the mandate of the run (MD3). @returns false where it is not made any more. */
async function mandated(port: GuardPort, { name, signal }: GuardedCall, { is }: Approval): Promise<boolean> {
  if (is !== 'approved') return true;
  for (let held = port.mandated(name); held !== null; held = port.mandated(name)) await held;
  return !signal.aborted && !port.stopping() && !port.cancelled();
}

/** The call with the arguments that its approval has changed; null where they are not taken. A call that has left under its key has its body (E3). */
function bodyOf(call: GuardedCall, approval: Approval, isNew: boolean): GuardedCall | null {
  if (approval.is !== 'approved' || approval.changes === null) return call;
  return isNew ? call.edited(approval.changes) : null;
}

/** The refusal of a call that its pools have no room for (ER11); null where they have. */
async function fullPool(
  port: GuardPort,
  { pools }: GuardedCall,
  { key, isNew }: { readonly key: string; readonly isNew: boolean },
  why: string | null,
): Promise<Reply | null> {
  const full = why === null && pools !== undefined ? await pools.room(key) : null;
  return full?.is === 'failed' ? refuse(port, key, isNew, full, errorMessage(full.error)) : null;
}

/** Waits for room in its pools and for plans, then looks again. @returns why the call may not leave, or null. */
async function roomAndLooks(
  port: GuardPort,
  call: GuardedCall,
  held: { readonly key: string; readonly isNew: boolean },
  why: string | null,
): Promise<Reply | null> {
  const full = await fullPool(port, call, held, why);
  if (full !== null) return full;
  await cleared(port);
  return lookedAt(port, call, why !== null);
}

/** The reason of a person, or of the run, why a call may not leave; null where there is none. */
async function whyNot(call: GuardedCall, approval: Approval): Promise<string | null> {
  return approval.is === 'denied' ? approval.why : call.stillAllowed();
}

/** The pass of a call that nothing speaks against, or the reason why it may not leave. */
function admitted(call: GuardedCall, key: string, why: string | null): ReturnType<GuardedCall['admit']> {
  const refused = why ?? call.looks?.unmet() ?? null;
  return refused === null ? call.admit(key) : { refused };
}

/** Resolves once no plan is being carried out. */
async function cleared(port: GuardPort): Promise<void> {
  for (let plan = port.clear(); plan !== null; plan = port.clear()) await plan;
}

/** The entries of the answers that a call relies on as it leaves. */
export function reliedBy({ looks }: GuardedCall, key: string): readonly Entry[] {
  return looks?.relied(key) ?? [];
}

/** Looks again at what a call rests on, after its approval (RV4). @returns why it may not leave, or null. */
async function lookedAt(port: GuardPort, call: GuardedCall, isRefused: boolean): Promise<Reply | null> {
  const { signal } = call;
  if (signal.aborted) return { is: 'dropped' };
  for (let due = dueOf(call); !isRefused && due !== null; due = dueOf(call)) {
    const reply = signal.aborted ? ({ is: 'dropped' } as const) : await due.make();
    if (reply !== null) return reply;
    await cleared(port);
  }
  return signal.aborted ? { is: 'dropped' } : null;
}

/** What is to be done before a call leaves: its sandbox first, which may take long. */
function dueOf({ box, looks }: GuardedCall) {
  return [box, looks].find((one) => one?.isDue() === true) ?? null;
}

/** True where another call stands as the act of a call that was approved. */
function isRepetition(port: GuardPort, call: GuardedCall, key: string): boolean {
  return actBefore(port, actOfCall(port, call), key) !== undefined;
}

/** Makes a call whose leaving is journaled. @returns null where it was aborted before. */
async function left(
  port: GuardPort,
  call: GuardedCall,
  { key, isNew }: { readonly key: string; readonly isNew: boolean },
  again: () => Promise<Reply>,
): Promise<Reply | null> {
  const leaving = port.ledger.get(key);
  const stays = port.leaves(key);
  try {
    await port.durable();
    if (!(await hasRoom(port, call, key, !isNew))) return again();
    if (call.signal.aborted) return null;
    // What was said meanwhile of this try holds, and another one is asked about anew.
    return (await act(port, call, key, leaving)) ?? again();
  } finally {
    stays();
  }
}

/** Journals that a new call never left. @returns the reply that says why. */
function refuse(port: GuardPort, key: string, isNew: boolean, reply: Reply, error: string): Reply {
  if (isNew) port.append([{ do: 'outcome', key, status: 'failed', error }]);
  return reply;
}

/** A call that was refused at its gate: by a person, whom the error names, or because it may not leave any more. */
function deniedBy(approval: Approval, why: string): Reply {
  if (approval.is !== 'denied') return denied(why);
  return failed('GOVERNOR_DENIED', new Denied(approval.why, approval.by), null);
}
