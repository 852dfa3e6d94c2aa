/**
 * The effects of a history, each at the place of its intent (semantics.md §6). A later report replaces what is known of
 * an effect and never its place, so an instance's floor (§9) can be read from its list.
 */
import { crossing, type Effect, isOpen } from '../model/effect.ts';
import type { EffectEvent } from '../model/event.ts';
import { instanceName } from '../model/instance.ts';
import { between, countUpTo } from './ascending.ts';
import type { InstanceRecord } from './registry.ts';

/** The effects of one history. Only `record` adds to it. */
export class Effects {
  readonly #of = new Map<InstanceRecord, Effect[]>();
  readonly #byId = new Map<string | null, Effect>();
  readonly #open = new Map<InstanceRecord, number>();
  readonly #blocking = new Map<number, Effect>();
  readonly #undoable = new Map<number, Effect>();
  /** The effects of work that was set aside and not claimed, by their ids: they still stand in the world (C3). */
  readonly #aside = new Map<string, Effect>();

  /** All effects that have a place, each with the record of its instance. */
  *placed(): Generator<readonly [InstanceRecord, Effect]> {
    for (const [record, effects] of this.#of) for (const effect of effects) yield [record, effect];
  }

  /** Adds an effect that an earlier process recorded, after the effects of the same instance that precede it. */
  readd(record: InstanceRecord, effect: Effect): void {
    const list = this.#of.get(record);
    if (list === undefined) this.#of.set(record, [effect]);
    else list.push(effect);
    if (effect.id !== null) this.#byId.set(effect.id, effect);
    if (isOpen(effect.status)) this.#open.set(record, (this.#open.get(record) ?? 0) + 1);
    this.#stand(effect);
  }

  /** The effects of an instance whose intent lies after `after` and up to `upTo`, in that order. */
  of(record: InstanceRecord, after: number, upTo: number): Effect[] {
    return between(this.#of.get(record) ?? [], after, upTo);
  }

  /** The number of effects, of any instance, that no rollback may cross: a rerun is safe only at 0 (§8). */
  get blockingCount(): number {
    let count = this.#blocking.size;
    for (const effect of this.#aside.values()) if (isBlocking(effect)) count += 1;
    return count;
  }

  /** The effects that no rollback may cross, of any instance, in the order of their intents. */
  blocking(): Effect[] {
    return [...this.#blocking.values(), ...[...this.#aside.values()].filter(isBlocking)].sort((a, b) => a.at - b.at);
  }

  /** The confirmed effects that a rerun would have to undo first, in the order of their intents. */
  undoable(): Effect[] {
    const aside = [...this.#aside.values()].filter((effect) => crossing(effect) === 'undo');
    return [...this.#undoable.values(), ...aside].sort((a, b) => a.at - b.at);
  }

  /**
   * Keeps an effect that no retained instance has made: it was set aside with its instance. Without an id it cannot be
   * named.
   */
  setAside(effect: Effect): void {
    if (effect.id !== null) this.#aside.set(effect.id, effect);
  }

  /** The effects that were set aside and that no replay has made again. */
  asides(): Effect[] {
    return [...this.#aside.values()];
  }

  /** Notes a report about an effect that was set aside: it was undone, or can no longer be undone. */
  newsAside(id: string, news: Partial<Pick<Effect, 'status' | 'undo'>>): void {
    const effect = this.#aside.get(id);
    if (effect !== undefined) this.#aside.set(id, { ...effect, ...news });
  }

  /** Notes that an effect is kept as another class, wherever it is (CO2). */
  keepAs(id: string, kept: Pick<Effect, 'class' | 'undo'>): void {
    const aside = this.#aside.get(id);
    if (aside !== undefined) this.#aside.set(id, { ...aside, ...kept });
    const known = this.#byId.get(id);
    if (known === undefined) return;
    for (const effects of this.#of.values()) {
      const index = countUpTo(effects, known.at - 1);
      if (effects[index] === known) effects[index] = { ...known, ...kept };
    }
    this.#byId.set(id, { ...known, ...kept });
    this.#stand({ ...known, ...kept });
  }

  /** True if an outcome of this instance is still open, so that no boundary of it can have certified (§4). */
  hasOpen(record: InstanceRecord): boolean {
    return (this.#open.get(record) ?? 0) > 0;
  }

  /** True if the event may carry its id: it is new, or names the same instance and class as before. */
  accepts(event: EffectEvent): boolean {
    const known = this.#byId.get(event.id);
    return (
      known === undefined || (known.class === event.class && instanceName(known.instance) === instanceName(event.in))
    );
  }

  /** Records an effect that `accepts` lets through, or a report about one. */
  record(record: InstanceRecord, event: EffectEvent, at: number): void {
    const known = this.#byId.get(event.id);
    const tool = event.tool ?? known?.tool;
    const effect: Effect = {
      instance: record.id,
      id: event.id,
      ...(tool !== undefined && { tool }),
      class: event.class,
      status: event.status,
      undo: event.undo ?? known?.undo ?? false,
      at: known?.at ?? at,
    };
    const list = this.#of.get(record) ?? [];
    list[countUpTo(list, effect.at - 1)] = effect;
    this.#of.set(record, list);
    if (effect.id !== null) {
      this.#byId.set(effect.id, effect);
      this.#aside.delete(effect.id);
    }
    const before = known !== undefined && isOpen(known.status) ? 1 : 0;
    const now = isOpen(effect.status) ? 1 : 0;
    this.#open.set(record, (this.#open.get(record) ?? 0) + now - before);
    this.#stand(effect);
  }

  /** Forgets the effects of an instance that were intended after event `after`, because their place was undone. */
  forget(record: InstanceRecord, after: number): void {
    const list = this.#of.get(record) ?? [];
    for (const effect of list.splice(countUpTo(list, after))) {
      if (effect.id !== null) this.#byId.delete(effect.id);
      if (isOpen(effect.status)) this.#open.set(record, (this.#open.get(record) ?? 0) - 1);
      this.#blocking.delete(effect.at);
      this.#undoable.delete(effect.at);
    }
  }

  #stand(effect: Effect): void {
    this.#blocking.delete(effect.at);
    this.#undoable.delete(effect.at);
    const answer = crossing(effect);
    if (answer === 'cross') return;
    (answer === 'undo' ? this.#undoable : this.#blocking).set(effect.at, effect);
  }
}

function isBlocking(effect: Effect): boolean {
  const answer = crossing(effect);
  return answer !== 'cross' && answer !== 'undo';
}
