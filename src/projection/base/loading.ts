/** The things of a run that others refer to, restored from a base. */
import type { LedgerCall } from '../../effects/ledger-call.ts';
import type { InstanceRecord } from '../../history/registry.ts';
import type { PlacedStep } from '../../history/step-lists.ts';
import type { Entry } from '../../model/entry.ts';
import type { InstanceId } from '../../model/instance.ts';
import { type Key, parseKey } from '../../model/key.ts';
import type { HeardCourse, RecordedStep, StepSource, Timer } from '../state-types.ts';
import type { Saving } from './saving.ts';

/** Makes again what a base laid down. */
export interface BaseSource extends StepSource {
  entry(stored: unknown): Entry;
  value(stored: unknown): unknown;
  numbers(stored: unknown): readonly number[];
}

/** The lists of one base. A number that none of them has is damage. */
export class Loading {
  readonly source: BaseSource;
  readonly steps: RecordedStep[] = [];
  readonly calls: LedgerCall[] = [];
  readonly records: InstanceRecord[] = [];
  readonly timers: Timer[] = [];
  readonly courses: HeardCourse[] = [];
  readonly #ids: readonly InstanceId[];
  readonly #words: readonly string[];
  readonly #keys = new Map<number, Key>();

  constructor(source: BaseSource, { ids, words }: Saving['named']) {
    this.source = source;
    this.#ids = ids.map(([skeleton, entity, ordinal]) => ({ skeleton, entity, ordinal }));
    this.#words = words;
  }

  step(number: number): RecordedStep {
    return found(this.steps, number);
  }

  stepOrNull(number: number): PlacedStep | null {
    return number === -1 ? null : this.step(number);
  }

  call(number: number): LedgerCall {
    return found(this.calls, number);
  }

  record(number: number): InstanceRecord {
    return found(this.records, number);
  }

  timer(number: number): Timer {
    return found(this.timers, number);
  }

  id(number: number): InstanceId {
    return found(this.#ids, number);
  }

  word(number: number): string {
    return found(this.#words, number);
  }

  /** The key that a word is. */
  key(number: number): Key {
    const known = this.#keys.get(number) ?? parseKey(this.word(number));
    this.#keys.set(number, known);
    return known;
  }
}

function found<T>(list: readonly T[], number: number): T {
  const item = list[number];
  if (item === undefined) throw new RangeError(`there is no number ${number} among ${list.length}`);
  return item;
}
