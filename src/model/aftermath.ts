/** What was around a decision, and what came of it: a journal knows that, and a history alone does not. */
import type { Signal } from './failure.ts';
import type { InstanceId } from './instance.ts';

/** A piece of work that was done again after a restore. */
export interface Replayed {
  readonly instance: InstanceId;
  /** The tools that answered it again, in order, until it had certified a boundary or was over. */
  readonly tools: readonly string[];
}

/** What came of a restore. */
export interface Aftermath {
  readonly replayed: readonly Replayed[];
  /** The completed instances that did not move. */
  readonly preserved: readonly InstanceId[];
}

/** What failed, where, and what came of what was decided about it. */
export interface Circumstance {
  readonly signal: Signal;
  /** What the raw error said. */
  readonly error: string;
  /** The state in which it failed, as far as one can be named. */
  readonly state: string | null;
  /** The tool whose call failed; null where no call did. */
  readonly tool: string | null;
  /** Null where nothing was restored. */
  readonly aftermath: Aftermath | null;
}
