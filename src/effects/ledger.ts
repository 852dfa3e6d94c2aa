/**
 * The ledger: every call of a tool that may change the world, under the key that names the decision to make it (semantics.md
 * §6, E3). It is a fold of intents and outcomes; it remembers what a restore has undone, because the world does.
 */

import { type EffectStatus, isOpen } from '../model/effect.ts';
import type { IntentEntry, OutcomeEntry } from '../model/entry.ts';
import { type InstanceId, instanceName } from '../model/instance.ts';

/** One call. */
export interface LedgerCall {
  readonly key: string;
  readonly intent: IntentEntry;
  status: EffectStatus;
  output: unknown;
  error: string | null;
  /** Whether an undo of it may still be tried; false once it is known that what it changed has moved on (§6). */
  undo: boolean;
  /** Whether a held call has been staged: there is something to publish, or to discard (E4). */
  staged: boolean;
  /** How often its counterparty was asked and did not know, and the wall clock of the next time; null where none is left. */
  asked: { readonly tries: number; readonly next: number | null };
  /** The number of its intent in the history; null once a restore has undone that place. */
  at: number | null;
}

/** The calls of a run. */
export class Ledger {
  readonly #calls = new Map<string, LedgerCall>();
  readonly #placed = new Map<string, LedgerCall[]>();
  readonly #byActor = new Map<number, LedgerCall>();
  readonly #displaced = new Set<LedgerCall>();
  readonly #heldBack = new Set<LedgerCall>();

  get(key: string): LedgerCall | undefined {
    return this.#calls.get(key);
  }

  all(): IterableIterator<LedgerCall> {
    return this.#calls.values();
  }

  /** The calls whose outcome nobody knows, in the order of their intents. */
  open(): LedgerCall[] {
    return [...this.#calls.values()].filter((call) => isOpen(call.status));
  }

  /** The call that an actor has made, if it has made one: it keeps its key when it is started again. */
  ofActor(actor: number): LedgerCall | undefined {
    const call = this.#byActor.get(actor);
    return call?.at === null ? undefined : call;
  }

  /**
   * The key of the next call of a tool by an instance: its number among those that are retained (E3). A call that was
   * compensated is another decision when it is made again, since its counterparty would answer from memory.
   */
  nextKey(run: string, instance: InstanceId, tool: string): string {
    const nth = (this.#placed.get(callName(instance, tool)) ?? []).length;
    const key = JSON.stringify([run, instance.skeleton, instance.entity, instance.ordinal, tool, nth]);
    let again = 0;
    let name = key;
    while (this.#calls.get(name)?.status === 'compensated') {
      again += 1;
      name = `${key}~${again}`;
    }
    return name;
  }

  /** Records an intent at event `at`; an earlier call of the same key is claimed by it. */
  intend(intent: IntentEntry, at: number): void {
    const known = this.#calls.get(intent.key);
    const call: LedgerCall = {
      key: intent.key,
      intent,
      status: statusOf(intent, known),
      output: known?.output,
      error: null,
      undo: intent.undo,
      staged: false,
      asked: { tries: 0, next: null },
      at,
    };
    this.#calls.set(intent.key, call);
    this.#byActor.set(intent.actor, call);
    if (known !== undefined) this.#displaced.delete(known);
    if (call.status === 'buffered' && intent.held === 'buffer') this.#heldBack.add(call);
    const name = callName(intent.instance, intent.tool);
    const placed = (this.#placed.get(name) ?? []).filter((other) => other.key !== intent.key);
    this.#placed.set(name, [...placed, call]);
  }

  /** Records news of a call. */
  settle(outcome: OutcomeEntry): LedgerCall | undefined {
    const call = this.#calls.get(outcome.key);
    if (call === undefined) return undefined;
    call.status = outcome.status;
    call.error = outcome.error ?? null;
    if ('output' in outcome) call.output = outcome.output;
    if (outcome.status === 'buffered') call.staged = true;
    else this.#heldBack.delete(call);
    return call;
  }

  /** The calls that are held back until their instance commits (E4), in the order of their intents; of one instance, or all. */
  buffered(instance?: InstanceId): LedgerCall[] {
    const all = [...this.#heldBack];
    return instance === undefined ? all : all.filter(({ intent }) => same(intent.instance, instance));
  }

  /**
   * A restore undid what an instance intended after event `after`: the calls stay known and lose their places. Those that had not
   * left never will.
   * @returns those.
   */
  displace(instance: InstanceId, after: number): LedgerCall[] {
    const never: LedgerCall[] = [];
    for (const [name, calls] of this.#placed) {
      if (!calls.some((call) => call.at !== null && call.at > after && same(call.intent.instance, instance))) continue;
      const stays = calls.filter((call) => !same(call.intent.instance, instance) || (call.at ?? 0) <= after);
      for (const call of calls) {
        if (stays.includes(call)) continue;
        call.at = null;
        this.#displaced.add(call);
        if (call.status !== 'buffered') continue;
        this.#heldBack.delete(call);
        call.status = 'failed';
        call.error = 'rolled back before it left';
        never.push(call);
      }
      this.#placed.set(name, stays);
    }
    return never;
  }

  /** The kept effects of an instance that its replay has not claimed (E7). */
  orphans(instance: InstanceId): LedgerCall[] {
    return [...this.#displaced].filter((call) => call.status === 'confirmed' && same(call.intent.instance, instance));
  }
}

/** What is known of a call at its intent: one that is claimed by a replay has been confirmed, and one that is held waits. */
export function statusOf(intent: IntentEntry, known: LedgerCall | undefined): EffectStatus {
  if (known?.status === 'confirmed') return 'confirmed';
  return intent.held === undefined ? 'intended' : 'buffered';
}

function callName(instance: InstanceId, tool: string): string {
  return `${instanceName(instance)} ${tool}`;
}

function same(a: InstanceId, b: InstanceId): boolean {
  return a.skeleton === b.skeleton && a.entity === b.entity && a.ordinal === b.ordinal;
}
