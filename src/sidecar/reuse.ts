/**
 * Reuse of work that was set aside (semantics.md C5-C7). When control enters such an instance again, the sidecar takes
 * its record over unchanged if every value that it read from outside of itself is the same now; otherwise the work is
 * done again under its own identity.
 */

import type { Turns } from '../clock/turns.ts';
import { isAct } from '../effects/acts.ts';
import { isDistrusted, type LedgerCall } from '../effects/ledger-call.ts';
import { Overlay } from '../history/overlay.ts';
import { isSame } from '../journal/value-codec.ts';
import { isOpen } from '../model/effect.ts';
import { instanceName } from '../model/instance.ts';
import type { Key } from '../model/key.ts';
import { split } from '../model/region.ts';
import { changeOf } from '../projection/edits.ts';
import { isSeenTheSame } from '../projection/meets.ts';
import { undoneSteps } from '../projection/rollback.ts';
import type { RunState } from '../projection/run-state.ts';
import {
  besideOf,
  EVERYTHING,
  isEqual,
  partOf,
  type ReadValue,
  readsSame,
  type WorkRecord,
} from '../projection/set-aside/records.ts';
import type { Live, RecordedStep } from '../projection/state-types.ts';
import type { Lifecycle } from './lifecycle/lifecycle.ts';

/** The run, as reuse acts on it. */
export interface Reusing {
  readonly lifecycle: Lifecycle;
  /** Says when the claims of a long replay have to let others have their turn. */
  readonly turns: Turns;
  claim(live: Live, record: WorkRecord): void;
  dismiss(record: WorkRecord, why: 'reads_differ' | 'done_again'): void;
  /** Everything that waited for reuse may go on. */
  settled(): void;
  /** The keys that the sender of an event had seen, which a step took; null where these were all (PA6). */
  readsOf(step: RecordedStep): readonly Key[] | null;
  /** The context as work that is entered now sees it. */
  seen(context: unknown): unknown;
  /**
   * What a program asks a call with, which is in no key that the call reads; null where it does not come to it. Null
   * for what is no such program.
   */
  asks(): ((name: string) => Promise<{ readonly input: unknown } | null>) | null;
}

/** The reuse of one run. */
export class Reuse {
  readonly #runState: RunState;
  readonly #run: Reusing;
  readonly #pending = new Set<string>();
  #isScheduled = false;
  /** True while others have their turn, between two claims. */
  #isBetween = false;
  /** The instance whose program was asked, where the run stood then, and whether the program asks for the same. */
  #asked: { readonly name: string; readonly head: number; readonly isSame: boolean } | null = null;

  constructor(runState: RunState, run: Reusing) {
    this.#runState = runState;
    this.#run = run;
    for (const name of runState.records.keys()) if (runState.live.has(name)) this.#pending.add(name);
    this.#note();
  }

  #note(): void {
    this.#run.lifecycle.note({ claims: this.#pending.size });
  }

  /**
   * True where an instance has been entered whose record is neither claimed nor given up: nothing else happens before
   * (C5).
   */
  get isPending(): boolean {
    return this.#pending.size > 0;
  }

  /** Notes the instances that a step has entered. @returns whether any of them has a record. */
  entered(names: readonly string[]): boolean {
    for (const name of names) if (this.#runState.records.has(name)) this.#pending.add(name);
    this.#note();
    return this.isPending;
  }

  /** Looks at what is pending after the macrostep that is under way, one record after the other. */
  begin(): void {
    if (this.#isScheduled || !this.isPending) return;
    this.#isScheduled = true;
    queueMicrotask(() => {
      this.#isScheduled = false;
      this.#go();
    });
  }

  /**
   * Makes the pending claims. Each claim is whole: between two claims, a long replay waits for its turn, and checks
   * again whether it may claim.
   */
  #go(): void {
    const { turns } = this.#run;
    if (this.#isBetween) return;
    while (this.isPending && this.#run.lifecycle.may('claim')) {
      if (turns.isDue) {
        this.#isBetween = true;
        void turns.next().then(() => {
          this.#isBetween = false;
          this.#go();
        });
        return;
      }
      const name = this.#next();
      if (!this.#isAsked(name)) return;
      turns.spend(() => this.#lookAt(name));
    }
    if (this.isPending) return;
    this.#note();
    this.#run.settled();
  }

  /**
   * Asks a program whether it comes to the work of a record with the same arguments (PA13).
   * @returns false until that is known.
   */
  #isAsked(name: string): boolean {
    const asks = this.#run.asks();
    const { head } = this.#runState.history;
    const record = this.#runState.records.get(name);
    if (asks === null || record === undefined) return true;
    if (this.#asked?.name === name && this.#asked.head === head) return true;
    this.#isBetween = true;
    const started = record.entered.entry?.started ?? [];
    const same = started.map(async ({ id, input }) => {
      const asked = await asks(id);
      return asked !== null && isSame(asked.input, input);
    });
    void Promise.all(same).then((each) => {
      this.#asked = { name, head, isSame: each.every(Boolean) };
      this.#isBetween = false;
      this.#go();
    });
    return false;
  }

  /** Has the record of an instance that was entered claimed, or given up. */
  #lookAt(name: string): void {
    this.#pending.delete(name);
    const record = this.#runState.records.get(name);
    const live = this.#runState.live.get(name);
    if (record === undefined) return;
    if (live === undefined) {
      // It came past in one macrostep: it has been done again already.
      if (this.#runState.places.of(name) !== undefined) this.#run.dismiss(record, 'done_again');
    } else if (this.#asked?.isSame !== false && this.#isSame(live, record)) this.#run.claim(live, record);
    else this.#run.dismiss(record, 'reads_differ');
  }

  /** Regions in a fixed order (C5). */
  #next(): string {
    const order = (name: string) => `${this.#runState.records.get(name)?.structure ?? ''} ${name}`;
    return [...this.#pending].sort((a, b) => (order(a) < order(b) ? -1 : 1))[0] as string;
  }

  /**
   * True if a record is claimed unchanged: the work was entered at the same state, and read the values that are there
   * now (C6).
   */
  #isSame(live: Live, record: WorkRecord): boolean {
    const place = this.#runState.places.of(instanceName(live.id));
    if (place === undefined) return false;
    const [actor, path] = split(place.region);
    const entered = place.entered as RecordedStep;
    if (JSON.stringify(partOf(entered.value, path) ?? null) !== record.entry) return false;
    // Another config may declare that it read more, or other things, than is recorded (CO1).
    if (record.entered.to <= this.#runState.staleUpTo) return false;
    const at = this.#runState.history.registry.get(live.id)?.entry.at ?? 0;
    const since = undoneSteps(this.#runState.places, [[live.id, at]]);
    // What it has done by itself since gives way to the record; what others have a part in does not.
    const isOwn = ([...since] as RecordedStep[]).every(
      (step) =>
        step.actor !== actor ||
        (step.parties.length === 1 && step.leads.length === 0 && step.ties.length === 0 && step.edits.length === 0),
    );
    if (!isOwn) return false;
    const version = (key: Key) => this.#runState.versions.newest(key, Number.POSITIVE_INFINITY, record.members);
    // Where a step of many is under way, what a record beside has written is in the context, and is not seen yet.
    const { context } = this.#runState.actor(actor);
    const seen = this.#run.seen(context);
    if (!record.items.every((item) => item.is === 'step' || this.#restsAsBefore(item.call, record))) return false;
    const { value } = this.#runState.actor(actor);
    const isSeen = (step: RecordedStep, then: unknown, now: unknown) => {
      const reads = this.#run.readsOf(step);
      if (reads === null && !isEqual(besideOf(step.value, path), besideOf(value, path))) return false;
      const control = '';
      return isSeenTheSame(reads, { context: then, control }, { context: now, control });
    };
    const again = { version, isSeen };
    return isReadAgain(record, context, again) && (seen === context || isReadAgain(record, seen, again));
  }

  /** True where a call of a record repeats the act that it has repeated, or none (ON4). */
  #restsAsBefore({ repeats, output }: LedgerCall, record: WorkRecord): boolean {
    if (repeats === null) return true;
    const first = this.#runState.ledger.get(repeats);
    if (first === undefined || !isAct(first) || first.undoing || isDistrusted(first)) return false;
    // An idempotent call that was asked again is the same act, and may have another answer.
    if (!isSame(output, first.output)) return false;
    return first.at !== null || record.items.some((item) => item.is === 'call' && item.call === first);
  }
}

/** Compares the values that a record has read with the present values. */
interface Again {
  readonly version: Parameters<typeof readsSame>[2];
  /** True if the sender of an event inside the record would see the same values as before (PA10). */
  isSeen(step: RecordedStep, then: unknown, now: unknown): boolean;
}

/** True where a record, taken over in a context, reads what it has read, and each event inside meets what it met. */
function isReadAgain(record: WorkRecord, before: unknown, { version, isSeen }: Again): boolean {
  const memory = new Overlay(before);
  const isSame = (read: ReadValue) => readsSame(read, (path) => memory.at(path), version);
  if (!record.first.every(isSame)) return false;
  for (const item of record.items) {
    if (item.is === 'call') {
      // What was taken back meanwhile, or found wrong, is done again.
      const { status, undoing } = item.call;
      if (status === 'compensated' || undoing || isOpen(status) || isDistrusted(item.call)) return false;
      continue;
    }
    const { step } = item;
    const isOfSender = ({ key }: ReadValue, place: number) =>
      place === 0 && step.isOutside && key.text === EVERYTHING.text;
    const isMet = (read: ReadValue, place: number) =>
      isOfSender(read, place) ? isSeen(step, read.saw, memory.at([])?.is) : isSame(read);
    if (!item.reads.every(isMet)) return false;
    if (item.step.actor === record.actor) memory.apply(item.step.edits.map(changeOf));
  }
  return true;
}
