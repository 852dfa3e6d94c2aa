/** Makes an admitted call, or stages it, and writes its outcome (semantics.md E2, E4). */
import { isSame } from '../journal/value-codec.ts';
import type { OutcomeEntry } from '../model/call-entries.ts';
import { type EffectStatus, isOpen } from '../model/effect.ts';
import type { Entry } from '../model/entry.ts';
import { failed, type GuardedCall, type GuardPort, overBudget, type Reply } from './guarded-call.ts';
import type { LedgerCall } from './ledger-call.ts';
import { errorMessage, NotApplied } from './signals.ts';
import { type Settled, timed } from './timed.ts';

/** A call that changes nothing. */
export type PlainCall = Pick<GuardedCall, 'actor' | 'tool' | 'signal' | 'act' | 'admit' | 'charge' | 'pools'>;

/** Where the call of a tool that changes nothing writes. */
export type PlainPort = Pick<GuardPort, 'append' | 'durable' | 'clear' | 'cancelled' | 'stopping'>;

/** Makes a call that changes nothing: only what it spends is written. */
export async function plainCall(port: PlainPort, call: PlainCall): Promise<Reply> {
  const of = String(call.actor);
  const not = await admittedPlain(port, call, of);
  if (not !== null) return not;
  const settled = await timed(call, undefined);
  const spent = call.charge(of, settled);
  if (spent.length > 0) port.append(spent);
  if ('error' in settled) return failed(settled.signal, settled.error, null);
  const refusal = call.tool?.refuses(settled.output) ?? null;
  if (refusal !== null) return failed('INVALID_OUTPUT', new Error(refusal), null);
  return { is: 'done', output: settled.output };
}

/** The reply of a call that its pools have no room for, or that is not made any more by then; null for any other call. */
async function withoutRoom(port: PlainPort, { pools, signal }: PlainCall, of: string): Promise<Reply | null> {
  if (pools === undefined) return null;
  const full = await pools.room(of);
  if (full !== null) return full;
  return signal.aborted || port.cancelled() || port.stopping() ? { is: 'dropped' } : null;
}

/** Admits a call that changes nothing, once its pools have what it may spend. @returns null where it leaves now. */
async function admittedPlain(port: PlainPort, call: PlainCall, of: string): Promise<Reply | null> {
  const isOver = () => call.signal.aborted || port.cancelled();
  for (;;) {
    const not = await withoutRoom(port, call, of);
    if (not !== null) return not;
    const admission = call.admit(of);
    if ('refused' in admission) return overBudget(admission.refused);
    const back = (): Reply => {
      if (call.pools !== undefined) port.append(call.pools.back(of));
      return { is: 'dropped' };
    };
    if (admission.entries.length > 0) {
      port.append(admission.entries);
      await port.durable();
      if ((await call.pools?.has(of)) === false) {
        back();
        continue;
      }
      for (let plan = port.clear(); plan !== null; plan = port.clear()) await plan;
      if (isOver()) return back();
    }
    return port.stopping() ? back() : null;
  }
}

/** Stages a call that is held back until its instance commits (E4). It is not visible: what fails here has not happened. */
export async function stage(port: GuardPort, call: GuardedCall, key: string): Promise<Reply> {
  if (call.holds || call.tool?.buffer === 'call') {
    port.append([{ do: 'outcome', key, status: 'buffered' }]);
    return { is: 'done', output: undefined };
  }
  if (port.stopping()) return { is: 'dropped' };
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
 * Makes the call once it may leave: while no plan is being carried out (R5), and when no other process can have taken
 * the run.
 * @param leaving the call, as the ledger had it when the call was about to leave.
 * @param before true if the call has left once under this key; that this attempt did not happen then says nothing about
 * the first.
 * @returns null if the journal has meanwhile settled this call; the caller makes a new attempt.
 */
export async function act(
  port: GuardPort,
  call: GuardedCall,
  key: string,
  leaving: LedgerCall | undefined,
  before = false,
): Promise<Reply | null> {
  // Between the last look and the call nothing is waited for.
  for (let isConfirmed = false; ; ) {
    const plan = port.clear();
    if (plan === null && isConfirmed) break;
    const asked = plan === null ? port.confirm() : plan.then(yes);
    isConfirmed = plan === null;
    if ((asked !== null && !(await asked)) || call.signal.aborted || port.stopping())
      return before ? { is: 'dropped' } : drop(port, key, leaving);
  }
  if (leaving !== undefined && !isOpen(leaving.status)) return null;
  if (!isLate(port, call, key, before) && isMandated(port, call, key)) return made(port, call, key, before);
  if (!before) drop(port, key, leaving);
  return null;
}

/** True where a call has waited behind its intent until what it rests on, or its key, is too old (RV2, E3). */
function isLate({ ledger }: GuardPort, call: GuardedCall, key: string, before: boolean): boolean {
  const recorded = before ? ledger.get(key) : undefined;
  return (
    call.looks?.isDue() === true || call.box?.isDue() === true || (recorded !== undefined && call.isExpired(recorded))
  );
}

/** True where the run still has the mandate that the intent of a call names (MD3). */
function isMandated(port: GuardPort, { name }: GuardedCall, key: string): boolean {
  return port.mandated(name) === null && (port.ledger.get(key)?.intent.under ?? null) === port.under();
}

function yes(): true {
  return true;
}

/**
 * Makes the call. Its reply is news about this attempt alone, and is not written in three cases (E2, C11):
 * - An error, if the call was made again since or is known to have happened.
 * - Any reply, if the call was reconciled and undone while under way: the reply is about the act that was undone.
 * - Any reply, if the tool was asked again meanwhile: the earlier answer is outdated.
 */
async function made(port: GuardPort, call: GuardedCall, key: string, before: boolean): Promise<Reply> {
  const mine = port.ledger.get(key);
  const isNews = ({ status }: { readonly status: EffectStatus }) => {
    const now = port.ledger.get(key);
    if (now?.intent.byHand !== undefined) return false;
    if (now?.status === 'compensated' || (now !== mine && mine?.wrong?.isOutdated === true)) return false;
    if (status === 'confirmed') return now === mine || now?.status !== 'confirmed';
    return now === mine && now?.status !== 'confirmed';
  };
  const write = (outcome: Omit<OutcomeEntry, 'do' | 'key'>, spent: readonly Entry[] = []) => {
    const written = isNews(outcome) ? [{ do: 'outcome', key, ...outcome } as const] : madeTwice(port, key, outcome);
    const entries = [...spent, ...written];
    if (entries.length > 0) port.append(entries);
  };
  const settled = await timed(call, key, (late) => {
    // News after the deadline: it settles what was unknown, and changes nothing that is settled.
    if (port.ledger.get(key)?.status !== 'unknown' && port.ledger.get(key)?.intent.byHand === undefined) return;
    write(completion(late));
    // Nothing else may happen that would write it: the run may be parked over this call.
    void port.durable().catch(() => {});
  });
  const spent = call.charge(key, settled);
  if ('error' in settled) {
    const completed = completion(settled);
    const isOpenStill = before && completed.status === 'failed';
    // An earlier try may have happened, and has been counted: this one gives back what it has reserved itself (ER12).
    const back = isOpenStill ? (call.pools?.unmade(key) ?? []) : [];
    write({ ...completed, ...(isOpenStill && { status: 'unknown' as const }) }, [...spent, ...back]);
    return failed(settled.signal, settled.error, key);
  }
  const refusal = call.tool?.refuses(settled.output) ?? null;
  if (refusal !== null) {
    write({ status: 'unknown', error: refusal }, spent);
    return failed('INVALID_OUTPUT', new Error(refusal), key);
  }
  const wrong = port.ledger.get(key)?.wrong ?? null;
  if (call.seen === null) write({ status: 'confirmed', output: settled.output }, spent);
  else {
    write({ status: 'unknown', output: settled.output, error: 'no effect of it was seen yet' }, spent);
    const known = await call.seen(key);
    if (known?.status !== 'confirmed') return failed('TOOL_EXCEPTION', unseen(call.name, known), key);
  }
  if (wrong?.isSure === true && isSame(wrong.output, settled.output)) {
    const error = new Error(`${call.name} gives the answer again that was found wrong`);
    return { is: 'failed', signal: 'CONTRACT_VIOLATION', error, key: null, held: true };
  }
  return { is: 'done', output: settled.output };
}

/** The finding that a call has happened although a person has made its act by hand (PE7). */
function madeTwice(
  { ledger }: GuardPort,
  key: string,
  { status }: { readonly status: EffectStatus },
): readonly Entry[] {
  const { instance, tool, byHand } = ledger.get(key)?.intent ?? {};
  if (byHand === undefined || instance === undefined || status !== 'confirmed') return [];
  const text = `${tool} came back, and ${byHand} had made it by hand: it was made twice, and a person takes one of them back`;
  return [{ do: 'finding', code: 'made_twice', instance, text, effect: key }];
}

/** The error of a call that came back and whose effect was not seen. */
function unseen(name: string, known: LedgerCall | undefined): Error {
  if (known?.status === 'failed') return new NotApplied(`${name} came back, and had no effect`);
  return new Error(`${name} came back, and it is not known whether it had an effect`);
}

/** The outcome that a call which came back says of itself. */
export function completion(settled: Settled) {
  if (!('error' in settled)) return { status: 'confirmed', output: settled.output } as const;
  const { error } = settled;
  return { status: error instanceof NotApplied ? 'failed' : 'unknown', error: errorMessage(error) } as const;
}

/**
 * Its actor was stopped before it left. What a restore has taken back meanwhile may belong to another call by now, and what waits when
 * the process takes leave of the run goes on waiting.
 */
export function drop(port: GuardPort, key: string, mine: LedgerCall | undefined): Reply {
  const own = port.ledger.get(key);
  // The same call may have been asked for again meanwhile, by the same actor: that intent is another one.
  const isOwn = own !== undefined && own === mine && own.at !== null && own.status !== 'confirmed';
  if (isOwn && !(own.status === 'buffered' && port.stopping()))
    port.append([{ do: 'outcome', key, status: 'failed', error: 'stopped before the call left' }]);
  return { is: 'dropped' };
}
