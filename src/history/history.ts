/**
 * Everything that a decision reads: the events of one run, folded in order into the registry, the versions and the
 * effects. It does no IO, and it refuses an event that no run can have produced.
 */
import { CodedError } from '../model/coded-error.ts';
import type { HistoryEvent } from '../model/event.ts';
import { type InstanceId, instanceName } from '../model/instance.ts';
import { Effects } from './effects.ts';
import { type InstanceRecord, Registry } from './registry.ts';
import { Versions } from './versions.ts';

/** The reason why an event cannot follow the ones before it. */
export type HistoryErrorCode =
  | 'not_entered'
  | 'starter_not_entered'
  | 'entered_twice'
  | 'outcome_open'
  | 'effect_id_taken';

/** Thrown for a broken contract of the event stream. The history is as it was before the event. */
export class HistoryError extends CodedError<HistoryErrorCode> {
  override readonly name = 'HistoryError';
}

/** The projection of one run's events. It grows through `apply`, and `decide` reads it. */
export class History {
  /** @internal The instances that were entered, and the positions that each may take. */
  readonly registry = new Registry();
  /** @internal The reads and writes of instances. */
  readonly versions = new Versions();
  /** @internal The effects on the world. */
  readonly effects = new Effects();
  #head = 0;
  /** The instance that acted last, and its record: the next event is nearly always one of its, too. */
  #last: InstanceRecord | null = null;

  /** Goes on from a number of a last event, where the events up to it are known already. */
  resumeAt(head: number): void {
    this.#head = head;
  }

  /** The number of the last event; 0 before the first. */
  get head(): number {
    return this.#head;
  }

  /**
   * Folds one event in and numbers it. Costs the depth of its key, or a constant.
   * @returns the number of the event, counted from 1.
   * @throws HistoryError when no run can have produced the event here; nothing is changed then.
   */
  apply(event: HistoryEvent): number {
    const at = this.#head + 1;
    if (event.do === 'enter') this.#enter(event, at);
    else this.#act(event, this.#recordOf(event.in), at);
    this.#head = at;
    return at;
  }

  /**
   * Undoes what an instance did after event `after`: its reads and writes, its effects and its checkpoints. 0 is ⊥: it
   * never started. Numbers are not reused. Costs what is undone.
   * @throws HistoryError `not_entered` where there is no such instance.
   */
  undo(id: InstanceId, after: number): void {
    this.undoAll([[id, after]]);
  }

  /**
   * Undoes what several instances did, each after an event, in one pass.
   * @internal
   * @throws HistoryError `not_entered` where one of the instances is not there; nothing is changed then.
   */
  undoAll(undone: Iterable<readonly [id: InstanceId, after: number]>): void {
    const records = [...undone].map(([id, after]) => [this.expect(id), after] as const);
    this.versions.forget(records);
    for (const [record, after] of records) {
      this.effects.forget(record, after);
      this.registry.cut(record, after);
    }
    this.#last = null;
  }

  #recordOf(id: InstanceId): InstanceRecord {
    if (this.#last?.id !== id) this.#last = this.expect(id);
    return this.#last;
  }

  /**
   * The record of an instance that was entered.
   * @internal
   * @throws HistoryError `not_entered` where there is none.
   */
  expect(id: InstanceId): InstanceRecord {
    const record = this.registry.get(id);
    if (record === undefined) throw new HistoryError('not_entered', `${instanceName(id)} has not been entered`);
    return record;
  }

  #enter(event: Extract<HistoryEvent, { do: 'enter' }>, at: number): void {
    if (this.registry.get(event.in) !== undefined) {
      throw new HistoryError(
        'entered_twice',
        `${instanceName(event.in)} was entered before; a re-entry takes the next ordinal`,
      );
    }
    if (event.by !== null && this.registry.get(event.by) === undefined) {
      throw new HistoryError('starter_not_entered', `its starter ${instanceName(event.by)} has not been entered`);
    }
    this.registry.enter(event.in, event.by, at);
  }

  #act(event: Exclude<HistoryEvent, { do: 'enter' }>, record: InstanceRecord, at: number): void {
    switch (event.do) {
      case 'read':
        this.versions.read({ at, by: record, key: this.versions.own(event.key) });
        break;
      case 'write':
        this.versions.write({ at, by: record, key: this.versions.own(event.key) }, event.mode);
        break;
      case 'boundary':
        if (this.effects.hasOpen(record)) {
          const message = `${instanceName(record.id)} has an effect whose outcome is open: no boundary certifies meanwhile`;
          throw new HistoryError('outcome_open', message);
        }
        this.registry.certify(event.in, event.kind, at);
        break;
      case 'effect':
        if (!this.effects.accepts(event)) {
          throw new HistoryError(
            'effect_id_taken',
            `effect "${event.id}" belongs to another instance or has another class`,
          );
        }
        this.effects.record(record, event, at);
        break;
    }
  }
}
