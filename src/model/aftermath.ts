/** The circumstances and the results of a decision. A journal knows them; a history alone does not. */
import type { Cause } from './failure.ts';
import type { InstanceId } from './instance.ts';

/** A piece of work that was done again after a restore. */
export interface Replayed {
  readonly instance: InstanceId;
  /** The tools that answered the instance again, in order, until it had certified a boundary or was over. */
  readonly tools: readonly string[];
}

/** The result of a restore: the work done again, and the work that stayed. */
export interface Aftermath {
  readonly replayed: readonly Replayed[];
  /** The completed instances that did not move. */
  readonly preserved: readonly InstanceId[];
}

/** The failure, its place, and the result of the decision about it. */
export interface Circumstance {
  readonly signal: Cause;
  /** The text of the raw error. */
  readonly error: string;
  /** The state in which the work failed; null if unnamed. */
  readonly state: string | null;
  /** The tool whose call failed; null where no call failed. */
  readonly tool: string | null;
  /** Null where nothing was restored. */
  readonly aftermath: Aftermath | null;
}
