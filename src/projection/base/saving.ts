/**
 * The things of a run that others refer to, each once, in the order of meeting them while the run is saved in a base
 * (docs/decisions): steps, calls, instances, timers. A base refers to them by their numbers in these lists; -1 stands
 * for none.
 */
import type { LedgerCall } from '../../effects/ledger-call.ts';
import type { InstanceRecord } from '../../history/registry.ts';
import type { PlacedStep } from '../../history/step-lists.ts';
import type { ValuePlace } from '../../journal/lost.ts';
import type { Entry } from '../../model/entry.ts';
import { type InstanceId, instanceName } from '../../model/instance.ts';
import type { HeardCourse, RecordedStep, Timer } from '../state-types.ts';

/** Lays down what machines, tools and people made. Each answer is plain data. */
export interface BaseTexts {
  entry(entry: Entry): unknown;
  /** The entry of a step that is retained, or was. */
  step(step: RecordedStep): unknown;
  intent(call: LedgerCall): unknown;
  /** The output of a call; null where there is none, as for most that are under way. */
  output(call: LedgerCall): readonly [unknown] | null;
  value(value: unknown, standing: ValuePlace): unknown;
  /** A wall clock that the rows have by the time of their group. */
  time(time: number): number;
  numbers(list: readonly number[]): unknown;
}

/** A list in which everything stands once. */
class Listed<T> {
  readonly all: T[] = [];
  readonly #numbers = new Map<T, number>();

  has(item: T): boolean {
    return this.#numbers.has(item);
  }

  of(item: T | null | undefined): number {
    if (item === null || item === undefined) return -1;
    const known = this.#numbers.get(item);
    if (known !== undefined) return known;
    this.#numbers.set(item, this.all.length);
    return this.all.push(item) - 1;
  }
}

/** A list in which whatever has the same text stands once. */
export class Interned<T> {
  readonly all: T[] = [];
  readonly #numbers = new Map<string, number>();

  of(item: T, text: string): number {
    const known = this.#numbers.get(text);
    if (known !== undefined) return known;
    this.#numbers.set(text, this.all.length);
    return this.all.push(item) - 1;
  }
}

/** The lists of one base. */
export class Saving {
  readonly texts: BaseTexts;
  readonly steps = new Listed<RecordedStep>();
  readonly calls = new Listed<LedgerCall>();
  readonly records = new Listed<InstanceRecord>();
  readonly timers = new Listed<Timer>();
  readonly courses = new Listed<HeardCourse>();
  readonly #ids = new Interned<InstanceId>();
  readonly #words = new Interned<string>();

  constructor(texts: BaseTexts) {
    this.texts = texts;
  }

  step(step: PlacedStep | null | undefined): number {
    return this.steps.of(step as RecordedStep | null | undefined);
  }

  id(id: InstanceId | null): number {
    return id === null ? -1 : this.#ids.of(id, instanceName(id));
  }

  word(text: string): number {
    return this.#words.of(text, text);
  }

  /** The instances and words that were met. */
  get named() {
    const ids = this.#ids.all.map(({ skeleton, entity, ordinal }) => [skeleton, entity, ordinal] as const);
    return { ids, words: this.#words.all };
  }
}
