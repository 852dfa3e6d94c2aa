/** A change of a run's life: who makes it, where it may happen, and what it changes. */
import type { Configuration, Question } from '../../src/sidecar/lifecycle/table.ts';

/** Those who move a run. */
type Mover = 'run' | 'world' | 'person' | 'program' | 'worker' | 'process' | 'death';

export interface Transition {
  readonly name: string;
  readonly by: Mover;
  /** The states in which it may happen, by region; a region that is not named may be in any. */
  readonly on: { readonly [R in keyof Configuration]?: readonly Configuration[R][] };
  /** The question that has to be answered yes. */
  readonly ask?: Question;
  readonly to: (from: Configuration) => Partial<Configuration>;
}
