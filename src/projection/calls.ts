/**
 * The calls of a run: their ledger, the questions to people about them, their spending, and their publication by
 * commits.
 */
import { actKey } from '../effects/acts.ts';
import { Budgets } from '../effects/budgets.ts';
import { ApprovalRequests } from '../effects/gates.ts';
import { Ledger } from '../effects/ledger.ts';
import { type LedgerCall, statusOf } from '../effects/ledger-call.ts';
import type { IntentEntry, OutcomeEntry, PublishEntry } from '../model/call-entries.ts';
import type { Decision } from '../model/decision.ts';
import { isOpen } from '../model/effect.ts';
import type { Entry, KeptClass } from '../model/entry.ts';
import { type InstanceId, instanceName } from '../model/instance.ts';
import type { SettledEntry } from '../model/message-entries.ts';
import type { StepEntry } from '../model/step-entry.ts';
import type { Actors } from './actors.ts';
import type { Events } from './events.ts';
import { Looks } from './looks.ts';
import type { OpenDecisions } from './open-decisions.ts';
import { Positions } from './positions.ts';

/** The calls of one run. */
export class Calls {
  readonly ledger = new Ledger();
  /** The questions to people, and their answers. */
  readonly asked = new ApprovalRequests();
  readonly budgets = new Budgets();
  /** The commits whose calls are not all visible yet (E4), in their order. */
  publications: PublishEntry[] = [];
  /** The reads and writes of things that staging areas hold. */
  readonly positions = new Positions(this.ledger);
  /** The answers of tools whose reads are revalidated. */
  readonly looks = new Looks();
  readonly #events: Events;
  readonly #decisions: OpenDecisions;

  constructor(events: Events, decisions: OpenDecisions) {
    this.#events = events;
    this.#decisions = decisions;
  }

  /** Takes a call that is about to leave. */
  intend(entry: IntentEntry): void {
    const { instance, key, tool, undo } = entry;
    const known = this.ledger.get(key);
    const status = statusOf(entry, known);
    if (entry.repeats !== undefined) {
      this.#repeat(entry);
      return;
    }
    const at = this.#events.happen({ do: 'effect', in: instance, id: key, tool, class: entry.class, status, undo });
    const before = known?.repeats === null ? known.at : null;
    this.ledger.intend(entry, before ?? at, this.#events.time);
    this.#act(key, instance);
  }

  /** Takes a call that repeats an act: it reads who made that act (ON4), and an approval of it is void (ON5). */
  #repeat(entry: IntentEntry): void {
    const { key, instance } = entry;
    const act = this.ledger.get(entry.repeats as string)?.act ?? null;
    const at = act === null ? this.#events.head : this.#rest(act, instance);
    this.ledger.intend(entry, at, this.#events.time);
    this.asked.void((gate) => gate.key === key);
  }

  #rest(act: string, instance: InstanceId): number {
    return this.#events.happen({ do: 'read', in: instance, key: actKey(act) });
  }

  /** The call that makes an act writes its name, and each call that repeats the act rests on that write (ON4). */
  #act(key: string, instance: InstanceId): void {
    const act = this.ledger.get(key)?.act ?? null;
    if (act !== null) this.#events.happen({ do: 'write', in: instance, key: actKey(act), mode: 'blind' });
  }

  /**
   * Takes what became of a call.
   * @returns true where its record has nothing left to be claimed for: its effect does not stand any more (C9).
   */
  settle(entry: OutcomeEntry): boolean {
    const call = this.ledger.settle(entry);
    if (call === undefined || call.repeats !== null) return false;
    if (entry.status === 'confirmed') this.positions.wrote(call);
    // What a commit has decided leaves again, and spends what it was admitted for.
    const leavesAgain = this.publications.some(({ keys }) => keys.includes(entry.key));
    if (entry.status === 'failed' && !leavesAgain) this.budgets.release(entry.key);
    if (!isOpen(entry.status)) {
      this.asked.void((gate) => gate.key === entry.key && gate.status === 'pending');
      this.#dropVisible();
    }
    if (call.at !== null) {
      this.#tell(call, null);
      return false;
    }
    this.#events.history.effects.newsAside(entry.key, { status: entry.status });
    return entry.status === 'compensated' || entry.status === 'failed';
  }

  /** Takes a call that leaves by an approval, which it uses up. */
  opened(entry: Extract<Entry, { do: 'leave' }>): void {
    const { gate, key, under } = entry;
    if ('with' in entry) this.ledger.edit(key, entry.with, this.asked.get(gate)?.by ?? '');
    this.asked.use(gate);
    this.compared(key);
    this.leave([key], under);
  }

  /** Has calls that were held leave. */
  leave(keys: readonly string[], under?: string): void {
    for (const key of keys) {
      this.ledger.leave(key, this.#events.time, under);
      this.settle({ do: 'outcome', key, status: 'intended' });
    }
  }

  /** Takes a commit: what it makes visible leaves. */
  publish(entry: PublishEntry): void {
    this.#decisions.committed(entry.id);
    this.publications.push(entry);
    this.leave(entry.keys);
  }

  /** Takes a commit back: its calls are held again. */
  withdraw(id: string): void {
    const keys = this.publications.find((entry) => entry.id === id)?.keys ?? [];
    this.publications = this.publications.filter((entry) => entry.id !== id);
    for (const key of keys) {
      const call = this.ledger.hold(key);
      if (call !== undefined) this.#tell(call, null);
    }
  }

  /** Notes that a call can no longer be undone. */
  demote(key: string): void {
    const call = this.ledger.get(key);
    if (call === undefined) return;
    call.undo = false;
    if (call.at !== null) this.#tell(call, false);
    else this.#events.history.effects.newsAside(key, { undo: false });
  }

  /** Notes that a call is kept as another class from here on (CO2). */
  keepAs({ key, class: kept, undo }: KeptClass): void {
    const call = this.ledger.get(key);
    if (call === undefined) return;
    call.intent = { ...call.intent, class: kept };
    call.undo = undo;
    this.#events.history.effects.keepAs(key, { class: kept, undo });
  }

  /**
   * Takes the word of a person who has made the act of a call by hand (PE5). What no machine undoes is not taken back
   * by asking the counterparty again: it never heard of the key.
   */
  supplied({ key, by, why }: Pick<SettledEntry, 'key' | 'by' | 'why'>): void {
    const call = this.ledger.get(key);
    if (call === undefined) return;
    const kept = call.intent.class === 'idempotent' ? 'irreversible' : call.intent.class;
    this.keepAs({ key, class: kept, undo: call.undo });
    call.intent = { ...call.intent, byHand: by };
    this.asked.supplied(key, by, why);
  }

  /** Notes that the undo of a call is about to leave. */
  undoing({ phase, effect }: Extract<Entry, { do: 'phase' }>): void {
    const undone = phase === 'COMPENSATING' ? this.ledger.get(effect ?? '') : undefined;
    if (undone !== undefined) undone.undoing = true;
  }

  /** Notes that a counterparty was asked about a call and did not know. */
  reconciled({ key, tries, next }: Extract<Entry, { do: 'asked' }>): void {
    const call = this.ledger.get(key);
    if (call !== undefined) call.asked = { tries, next };
  }

  /** Notes that a machine heard the answer of a call: it answers no other. */
  heard(step: StepEntry, actors: Actors): void {
    const child = actors.heard(step, 'done');
    const call = child === undefined ? undefined : this.ledger.ofActor(child.number);
    if (call !== undefined) call.isAnswered = true;
  }

  /** Notes that a person said whether a call is the same act as an earlier one: that one answers no other any more. */
  compared(key: string): void {
    const like = this.ledger.get(this.asked.of(key)?.like ?? '');
    if (like !== undefined) like.isAnswered = true;
  }

  /** Has the calls of an instance after a number give way, but for those with some keys. */
  displace(id: InstanceId, after: number, but?: ReadonlySet<string>): void {
    for (const call of this.ledger.displace(id, after, but)) this.budgets.release(call.key);
  }

  /** Takes a unit's calls out of the past: its work is discarded (PA11). */
  discard(id: InstanceId): void {
    for (const call of this.ledger.discard(id)) this.budgets.release(call.key);
    const { registry, effects } = this.#events.history;
    const record = registry.get(id);
    if (record !== undefined) {
      effects.forget(record, 0);
      // What it did is undone: no later change keeps a part of it, and it promises nothing.
      registry.cut(record, record.entry.at);
    }
    this.void(new Set([instanceName(id)]));
  }

  /** Removes the calls of lost branches from the past, and releases their budgets (AL6). */
  abandon(isLost: (call: LedgerCall) => boolean): void {
    const units = new Map<string, InstanceId>();
    for (const call of this.ledger.all())
      if (isLost(call)) units.set(instanceName(call.intent.instance), call.intent.instance);
    for (const call of this.ledger.abandon(isLost)) this.budgets.release(call.key);
    const { registry, effects } = this.#events.history;
    for (const id of units.values()) {
      const record = registry.get(id);
      if (record !== undefined) effects.forget(record, 0);
    }
    this.void(new Set());
  }

  /** Has no answer served that a decision's cut takes back unheard: it was asked for before (C11). */
  outdate({ verdict, line }: Decision): void {
    if (verdict !== 'restore' && verdict !== 'restore_joint') return;
    for (const { instance, keep } of line?.moves ?? []) this.ledger.outdate(instance, keep === 'none' ? 0 : keep.at);
  }

  /** Has a call of work that was set aside stand in the world, with no place in the history. */
  setAside(call: LedgerCall): void {
    if (call.repeats !== null) return;
    call.promise = { by: this.#decisions.account };
    const { key, intent, status, undo } = call;
    const { instance, tool, class: kind } = intent;
    const at = this.#events.head;
    this.#events.history.effects.setAside({ instance, id: key, tool, class: kind, status, undo, at });
  }

  /** Has a call of a record happen again, as an act of an instance. */
  claim({ key, status, undo, intent, act, repeats }: LedgerCall, instance: InstanceId): void {
    const { tool, class: kind } = intent;
    if (repeats !== null && act !== null) {
      this.ledger.claim(key, this.#rest(act, instance), instance);
      return;
    }
    const at = this.#events.happen({ do: 'effect', in: instance, id: key, tool, class: kind, status, undo });
    this.ledger.claim(key, at, instance);
    this.#act(key, instance);
  }

  /** Voids what was granted to instances that go back (R4), and the commits whose calls they take back. */
  void(moved: ReadonlySet<string>): void {
    this.asked.void(({ key }) => {
      const call = this.ledger.get(key);
      return call === undefined || call.at === null || moved.has(instanceName(call.intent.instance));
    });
    this.#dropVisible();
  }

  /** Ends the commits whose calls are all visible, given up or taken back, and the questions about those commits. */
  #dropVisible(): void {
    const over = this.publications.filter(({ keys }) => keys.every((key) => this.#isVisible(key)));
    if (over.length === 0) return;
    this.publications = this.publications.filter((entry) => !over.includes(entry));
    for (const { id } of over) this.#decisions.committed(id);
  }

  /** True for a call that was published and is there to be seen, or is given up, or was taken back. */
  #isVisible(key: string): boolean {
    const call = this.ledger.get(key);
    return call === undefined || call.at === null || call.status === 'confirmed' || call.status === 'compensated';
  }

  #tell({ key, status, intent: { instance, tool, class: kind } }: LedgerCall, undo: boolean | null): void {
    this.#events.happen({ do: 'effect', in: instance, id: key, tool, class: kind, status, undo });
  }
}
