/**
 * A restore in the projections of a run (semantics.md R1, C1 to C3): the undone work, the work set aside, and the
 * control after it.
 */

import type { PlacedStep } from '../history/step-lists.ts';
import type { DecisionEntry, Entry } from '../model/entry.ts';
import { type InstanceId, instanceName } from '../model/instance.ts';
import { overlaps, parseKey } from '../model/key.ts';
import { beginAnew } from './begin-anew.ts';
import { nameOfStep } from './received.ts';
import { eventsToRedeliver, type FoundWrong, type Kept, rollBack, stepsFromOutside, undoneSteps } from './rollback.ts';
import { contentsOf, type SetAside } from './set-aside/set-aside.ts';
import type { RecordedStep } from './state-types.ts';
import type { Projections, Steps } from './steps.ts';

type RestoredEntry = Extract<Entry, { do: 'restored' }>;

/** The restores of one run. */
export class Restores {
  readonly #run: Projections;
  readonly #steps: Steps;
  readonly #setAside: SetAside;

  constructor(run: Projections, steps: Steps, setAside: SetAside) {
    this.#run = run;
    this.#steps = steps;
    this.#setAside = setAside;
  }

  /** Folds a restore in. */
  take(entry: RestoredEntry): void {
    const { calls, decisions, instances, places, received, redelivery } = this.#run;
    const { kept, aside = [], wrong = [], sure = [] } = entry;
    const undone = undoneSteps(places, kept);
    const asides = this.#setAside.recordsOf(aside);
    const { steps, keys, members } = contentsOf(asides.values());
    const found = this.#foundWrong();
    if (undone.size > 0) redelivery.unsettle();
    redelivery.add(
      eventsToRedeliver(places, undone, steps, found, ({ nth }) => received.undone(nth) ?? nameOfStep(nth)),
    );
    this.#run.turns.undone(undone);
    this.#steer(undone);
    if (undone.size > 0) redelivery.moved(new Set(kept.map(([id]) => instanceName(id))), found?.keys ?? null);
    for (const of of decisions.pending?.entry.steers?.later ?? []) redelivery.steer({ of, act: 'confirm' });
    this.#undo(kept, keys);
    calls.void(new Set(kept.map(([id]) => instanceName(id)).filter((name) => !members.has(name))));
    decisions.answer((question) => this.#isAnswered(question, kept));
    for (const [name, record] of asides) this.#setAside.records.set(name, record);
    for (const key of wrong) calls.ledger.distrust(key, sure === true || sure.includes(key));
    for (const [id, at] of kept) if (at === 0) instances.forget(instanceName(id));
    rollBack(this.#run, undone);
    for (const [id, at] of kept) if (at > 0) instances.keep(instanceName(id));
    const { begun, event } = decisions.pending?.entry.steers ?? {};
    if (begun !== undefined) beginAnew(places, this.#run.actors, event, begun);
    this.#putControl(entry);
    decisions.restored();
  }

  /** The event that is the cause of a restore is the one that the act makes of it. Where nothing before it goes, it comes first in its place (ST3). */
  #steer(undone: ReadonlySet<PlacedStep>): void {
    const { decisions, places, received, redelivery } = this.#run;
    const steers = decisions.pending?.entry.steers;
    if (steers === undefined) return;
    const back = redelivery.all.find(({ name }) => name === steers.of);
    if (back !== undefined && isFirst(undone, steers.step)) back.place = places.next;
    this.#run.turns.retracted(redelivery.steer(steers));
    for (const of of steers.drops ?? []) {
      received.retract(of);
      this.#run.turns.retracted(redelivery.steer({ of, act: 'retract' }));
    }
  }

  /** The work that the restore takes back because it was found wrong; null where a failure is its cause. */
  #foundWrong(): FoundWrong | null {
    const entry = this.#run.decisions.pending?.entry;
    const { versions, registry } = this.#run.events.history;
    const failed = entry?.decision.failed ?? null;
    const record = failed === null ? undefined : registry.get(failed);
    if (entry?.suspect !== true || record === undefined) return null;
    const key = entry.key === null ? null : parseKey(entry.key);
    const first = versions.firstWrite(record, (written) => key === null || overlaps(written, key));
    return { at: first?.at ?? record.entry.at, keys: entry.key === null ? [] : [entry.key] };
  }

  /** Undoes what instances did, each after a number. Calls with some keys are set aside with their record. */
  #undo(kept: readonly Kept[], aside: ReadonlySet<string>): void {
    const { calls, events } = this.#run;
    const limits = new Map<string, Kept>();
    for (const [id, at] of kept) {
      const name = instanceName(id);
      const known = limits.get(name)?.[1] ?? at;
      if (events.history.registry.named(name) !== undefined) limits.set(name, [id, Math.min(at, known)]);
    }
    for (const [id, at] of limits.values()) if (at === 0) this.#setAside.free(id);
    events.undo([...limits.values()]);
    for (const [name, [id, at]] of limits) {
      const standing = calls.ledger.between(name, at, events.head).filter(({ key }) => aside.has(key));
      calls.displace(id, at, aside);
      for (const call of standing) calls.setAside(call);
      events.versions.forget(name, at);
    }
  }

  #putControl(entry: RestoredEntry): void {
    const { controls, resumed = [] } = entry;
    this.#run.actors.put(controls);
    for (const { region, by } of resumed) this.#steps.put(region, by);
  }

  /** True for an open question that a restore answers: what it is about is undone. What was complained about and still stands is not (C12). */
  #isAnswered({ decision, suspect, key }: DecisionEntry, kept: readonly Kept[]): boolean {
    const { history } = this.#run.events;
    const { failed } = decision;
    const at = failed === null ? undefined : kept.find(([id]) => instanceName(id) === instanceName(failed))?.[1];
    const record = failed === null ? undefined : history.registry.get(failed);
    if (at === undefined || record === undefined || suspect !== true) return at !== undefined;
    if (key === null) return at <= record.entry.at;
    return !history.versions.hasWritten(record, (written) => overlaps(written, parseKey(key)));
  }

  /** The steps that a restore to these positions would take out, in order, without those of work that it sets aside. */
  takenOutBy(kept: readonly Kept[], aside: readonly InstanceId[]): readonly RecordedStep[] {
    const apart = this.#setAside.stepsOf(aside);
    const undone = [...undoneSteps(this.#run.places, kept)] as RecordedStep[];
    return undone.filter((step) => !apart.has(step)).sort((a, b) => a.nth - b.nth);
  }

  /** The events from outside that a restore to these positions would take back, in order. */
  takenBackBy(kept: readonly Kept[], aside: readonly InstanceId[]): unknown[] {
    const { places } = this.#run;
    return stepsFromOutside(undoneSteps(places, kept), this.#setAside.stepsOf(aside)).map(({ outside }) => outside);
  }
}

/** True where a step is the first that goes. */
function isFirst(undone: ReadonlySet<PlacedStep>, step: number): boolean {
  return [...undone].every(({ nth }) => nth >= step);
}
