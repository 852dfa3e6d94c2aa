/** The events of a run as they happen: its history, and the external versions and occurrences beside it. */
import { History } from '../history/history.ts';
import type { HistoryEvent } from '../model/event.ts';
import { isExternal } from '../model/external-keys.ts';
import { type InstanceId, instanceName } from '../model/instance.ts';
import { ExternalVersions } from './external-versions.ts';
import { Occurrences } from './occurrences.ts';

/** The events of one run. */
export class Events {
  readonly history = new History();
  /** The versions of keys outside of the context. */
  readonly versions = new ExternalVersions();
  /** The occurrences of every skeleton and entity: which were used, and which may be taken up again (K2, C5). */
  readonly occurrences = new Occurrences();
  /** The wall clock of the row that is folded, in milliseconds. */
  time = 0;
  readonly #onEvent: (event: HistoryEvent, number: number) => void;
  readonly #onUndo: (id: InstanceId, after: number) => void;

  constructor(onEvent: (event: HistoryEvent, number: number) => void, onUndo: (id: InstanceId, after: number) => void) {
    this.#onEvent = onEvent;
    this.#onUndo = onUndo;
  }

  /** The number of the last event. */
  get head(): number {
    return this.history.head;
  }

  /**
   * Adds an event.
   * @param origin the number under which it happened first, where a replay took its record over.
   * @returns its number.
   */
  happen(event: HistoryEvent, origin?: number): number {
    const number = this.history.apply(event);
    if (event.do === 'write' && isExternal(event.key))
      this.versions.wrote(event.key, number, instanceName(event.in), origin ?? number);
    this.#onEvent(event, number);
    return number;
  }

  /** Undoes the events of instances, each after a number. All of them were entered. */
  undo(undone: readonly (readonly [id: InstanceId, after: number])[]): void {
    const { versions } = this.history;
    for (const [id, after] of undone) {
      const writes = versions.writesBetween(this.history.expect(id), after, this.head);
      this.occurrences.unwrote(
        id,
        writes.map(({ key }) => key),
      );
    }
    this.history.undoAll(undone);
    for (const [id, after] of undone) this.#onUndo(id, after);
  }

  /** The number at which an instance was entered; 0 where it was not. */
  enteredAt(id: InstanceId): number {
    return this.history.registry.get(id)?.entry.at ?? 0;
  }
}
