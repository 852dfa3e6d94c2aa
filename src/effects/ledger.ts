/**
 * The ledger: every call of a tool that may change the world, under the key that names the decision to make it (semantics.md
 * §6, E3). It is a projection of intents and outcomes; it remembers what a restore has undone, because the world does.
 */
import { isSame } from '../journal/value-codec.ts';
import type { IntentEntry, OutcomeEntry } from '../model/call-entries.ts';
import { type EffectStatus, isOpen } from '../model/effect.ts';
import { type InstanceId, instanceName } from '../model/instance.ts';
import { DisplacedCalls } from './displaced-calls.ts';
import { freeKey, type KeyedCall, type KeyForm, keyOf } from './keys.ts';
import { PlacedCalls } from './placed-calls.ts';

/** One call. */
export interface LedgerCall {
  readonly key: string;
  intent: IntentEntry;
  status: EffectStatus;
  output: unknown;
  error: string | null;
  /** True where an undo of it may still be tried; false once it is known that what it changed has moved on (§6). */
  undo: boolean;
  /** True where its undo has begun and is not known to be done: it stands or not, so that it answers nothing (E5). */
  undoing: boolean;
  /** True where a held call has been staged: there is something to publish, or to discard (E4). */
  staged: boolean;
  /** The times that its counterparty was asked and did not know, and the wall clock of the next time; null where none is left. */
  asked: { readonly tries: number; readonly next: number | null };
  /** The wall clock of its intent, in milliseconds. */
  readonly calledAt: number;
  /** The number of its intent in the history; null once a restore has undone that place. */
  at: number | null;
  /** The answer that was found wrong: it is never served again, and an equal one is the same failure again (C10). */
  wrong: { readonly output: unknown; readonly isSure: boolean } | null;
  /** The promise of certified work set aside that its undo would cross, and on whose account; null for none (C7, C9). */
  promise: { readonly by: InstanceId | null } | null;
  /** True where the machine has heard its answer. */
  isAnswered: boolean;
}

/** The calls of a run. */
export class Ledger {
  /** The form of the run's keys. */
  form: KeyForm = { is: 'opaque' };
  readonly #calls = new Map<string, LedgerCall>();
  /** The calls that have a place in the history, by the name of their instance, in the order of their intents. */
  readonly #placed = new Map<string, PlacedCalls<LedgerCall>>();
  readonly #byActor = new Map<number, LedgerCall>();
  readonly #displaced = new DisplacedCalls<LedgerCall>();
  readonly #heldBack = new Set<LedgerCall>();

  get(key: string): LedgerCall | undefined {
    return this.#calls.get(key);
  }

  /** The call that a person names: by its key, or by what that is made of, as JSON. */
  named(text: string): LedgerCall | undefined {
    return this.#calls.get(text) ?? this.#calls.get(keyOf(text, this.form));
  }

  all(): IterableIterator<LedgerCall> {
    return this.#calls.values();
  }

  /** The calls whose outcome is not known, in the order of their intents. */
  open(): LedgerCall[] {
    const open: LedgerCall[] = [];
    for (const call of this.#calls.values()) if (isOpen(call.status)) open.push(call);
    return open;
  }

  /** The call that an actor has made, if it has made one: it keeps its key when it is started again. */
  ofActor(actor: number): LedgerCall | undefined {
    const call = this.#byActor.get(actor);
    return call?.at === null ? undefined : call;
  }

  /**
   * The key of the next call of a tool by an instance: its number among those that are retained (E3). A call that was
   * compensated is another decision when it is made again, since its counterparty would answer from memory; and so is one with other
   * arguments than were sent, or were about to be, by a call that is known not to have happened: one key has one body.
   */
  nextKey(run: string, { instance, keyedAs, tool, digest }: KeyedCall): string {
    const nth = this.#placed.get(instanceName(instance))?.countOf(tool) ?? 0;
    const key = keyOf(JSON.stringify([run, keyedAs.skeleton, keyedAs.entity, keyedAs.ordinal, tool, nth]), this.form);
    return freeKey(key, digest, (name) => this.#calls.get(name));
  }

  /**
   * The earlier calls of a tool by an instance of which it is not known what became, or whose answer came too late for the machine to hear, in
   * the order of their intents. One outcome answers one call.
   */
  unheard(instance: InstanceId, tool: string): LedgerCall[] {
    return this.#placed.get(instanceName(instance))?.unheard(tool) ?? [];
  }

  /** Records an intent at event `at` and wall clock `time`; an earlier call of the same key is claimed by it. */
  intend(intent: IntentEntry, at: number, time: number): void {
    const known = this.#calls.get(intent.key);
    const call: LedgerCall = {
      key: intent.key,
      intent,
      status: statusOf(intent, known),
      output: known?.output,
      error: null,
      undo: intent.undo,
      undoing: false,
      staged: false,
      asked: { tries: 0, next: null },
      calledAt: time,
      at,
      wrong: known?.wrong ?? null,
      promise: null,
      isAnswered: false,
    };
    this.#calls.set(intent.key, call);
    this.#byActor.set(intent.actor, call);
    if (known !== undefined) this.#displaced.delete(known);
    this.#place(call);
  }

  #place(call: LedgerCall): void {
    if (call.status === 'buffered' && call.intent.held === 'buffer') this.#heldBack.add(call);
    const name = instanceName(call.intent.instance);
    const placed = this.#placed.get(name) ?? new PlacedCalls<LedgerCall>();
    this.#placed.set(name, placed);
    placed.add(call);
  }

  /** The calls of an instance, by its name, whose intents lie after one event and up to another. */
  between(name: string, after: number, upTo: number): LedgerCall[] {
    return this.#placed.get(name)?.between(after, upTo) ?? [];
  }

  /** A replay takes the record over that a call belongs to: it has a place again, with the instance that it is now (C5). */
  claim(key: string, at: number, instance: InstanceId): void {
    const call = this.#calls.get(key);
    if (call === undefined) return;
    this.#displaced.delete(call);
    call.at = at;
    call.intent = { ...call.intent, instance };
    call.promise = null;
    this.#place(call);
  }

  /** The record that a call belongs to is given up: what had not left never will. */
  dismiss(key: string): void {
    const call = this.#calls.get(key);
    if (call?.at === null) this.#neverLeaves(call);
  }

  /** The recorded answer of a call was found wrong, or may be: it is not served again (C10). */
  distrust(key: string, isSure: boolean): void {
    const call = this.#calls.get(key);
    if (call !== undefined) call.wrong = { output: call.output, isSure };
  }

  /** The calls whose places a restore has taken back and that no replay has taken over, in the order of their intents. */
  displaced(): LedgerCall[] {
    return this.#displaced.all();
  }

  /** The calls whose undo has begun, and was not finished. */
  halfUndone(): LedgerCall[] {
    return this.#displaced.all().filter(({ undoing, status }) => undoing && status === 'confirmed');
  }

  /** The calls that stand in the world and that no replay has taken over (C8, C9). */
  get kept(): Pick<DisplacedCalls<LedgerCall>, 'isKept' | 'keptOf' | 'keptBy'> {
    return this.#displaced;
  }

  /** Records news of a call. */
  settle(outcome: OutcomeEntry): LedgerCall | undefined {
    const call = this.#calls.get(outcome.key);
    if (call === undefined) return undefined;
    call.status = outcome.status;
    call.error = outcome.error ?? null;
    if (outcome.status === 'compensated') call.undoing = false;
    if ('output' in outcome) {
      call.output = outcome.output;
      // Where several answers may have been the wrong one, one that is given again was not.
      if (call.wrong?.isSure === false && !isOpen(outcome.status)) call.wrong = null;
    }
    if (outcome.status === 'buffered') call.staged = true;
    else this.#heldBack.delete(call);
    this.#placed.get(instanceName(call.intent.instance))?.changed(call);
    return call;
  }

  /** The commit that a call belongs to is withdrawn before anything of it was visible: it waits again (E4). */
  hold(key: string): LedgerCall | undefined {
    const call = this.#calls.get(key);
    if (call === undefined || call.at === null) return undefined;
    call.status = 'buffered';
    this.#heldBack.add(call);
    this.#placed.get(instanceName(call.intent.instance))?.changed(call);
    return call;
  }

  /** The calls that are held back until their instance commits (E4), in the order of their intents; of one instance, or all. */
  buffered(instance?: InstanceId): LedgerCall[] {
    const all = [...this.#heldBack];
    return instance === undefined
      ? all
      : all.filter(({ intent }) => instanceName(intent.instance) === instanceName(instance));
  }

  /**
   * A restore took back what an instance intended after event `after`: the calls stay known and lose their places. Those that had not
   * left never will, unless they belong to work that is set aside: that stays staged and unseen.
   * @param aside the keys of such calls.
   * @returns those that never leave.
   */
  displace(instance: InstanceId, after: number, aside: ReadonlySet<string> = new Set()): LedgerCall[] {
    const name = instanceName(instance);
    const never: LedgerCall[] = [];
    for (const call of this.between(name, after, Number.POSITIVE_INFINITY)) {
      this.#placed.get(name)?.remove(call.key);
      call.at = null;
      this.#displaced.add(call);
      this.#heldBack.delete(call);
      if (!aside.has(call.key) && this.#neverLeaves(call)) never.push(call);
    }
    return never;
  }

  #neverLeaves(call: LedgerCall): boolean {
    if (call.status !== 'buffered') return false;
    call.status = 'failed';
    call.error = 'rolled back before it left';
    return true;
  }

  /** The kept effects of an instance that its replay has not claimed (E7). */
  orphans(instance: InstanceId): LedgerCall[] {
    const kept = this.#displaced.keptOf(instance);
    return kept.filter((call) => call.status === 'confirmed' && call.intent.instance.ordinal === instance.ordinal);
  }
}

/** The status of a call at its intent: one that is claimed by a replay has been confirmed, and one that is held waits. */
export function statusOf(intent: IntentEntry, known: LedgerCall | undefined): EffectStatus {
  if (known?.status === 'confirmed' && !isDistrusted(known)) return 'confirmed';
  return intent.held === undefined ? 'intended' : 'buffered';
}

/** True where the answer that a ledger has is the one that was found wrong (C10). */
export function isDistrusted({ wrong, output }: LedgerCall): boolean {
  return wrong !== null && isSame(wrong.output, output);
}
