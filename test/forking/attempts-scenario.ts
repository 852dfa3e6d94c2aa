/** A group of attempts that is tried: what happens to each, in turn. */
import type { ActClass } from './world.ts';

export type AttemptMove =
  | { readonly is: 'go' | 'reopen' | 'lost' | 'refused' | 'pause' | 'unpause' | 'abort' | 'cancel' }
  | { readonly is: 'fail'; readonly unit: string };

/** A word of a person that keeps an attempt. `dies`: the number of messages after which the chooser is gone. */
export interface KeepMove {
  readonly is: 'keep';
  readonly run: number;
  readonly dies: number | null;
  /** True where another person keeps the next one at the same time. */
  readonly two: boolean;
}

export interface AttemptsScenario {
  readonly classes: readonly ActClass[];
  readonly keys?: readonly (string | null)[];
  readonly count: number;
  readonly score: boolean;
  readonly deadline: boolean;
  readonly moves: readonly (KeepMove | { readonly run: number; readonly move: AttemptMove })[];
  /** The death of a process, at an append or a message of its own, counted from the fork. */
  readonly deaths: readonly { readonly run: number; readonly at: number; readonly when: 'before' | 'after' }[];
}
