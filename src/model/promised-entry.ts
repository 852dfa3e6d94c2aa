/** The promise of a boundary: behind it the run touches some external keys no more (semantics.md ER9). */
import type { InstanceId } from './instance.ts';

/** The boundary that a promise was made at, and its event in the history. */
export interface Promised {
  readonly instance: InstanceId;
  readonly boundary: string;
  readonly at: number;
}

/** Keys that are promised not to be touched any more, by their texts. */
export interface PromisedEntry extends Promised {
  readonly do: 'promised';
  readonly keys: readonly string[];
}
