/**
 * The parts of a plan: the entries, questions and passed boundaries of steps that take the same transitions while the
 * same instances live.
 */
import type { Boundary, BoundaryConfig } from '../boundaries/config.ts';
import type { EntryEncoder } from '../journal/entry-codec.ts';
import type { Key } from '../model/key.ts';
import type { Answer, Facts } from '../predicates/predicate.ts';
import type { RunState } from '../projection/run-state.ts';
import type { Live } from '../projection/state-types.ts';
import type { DecisionPolicy } from '../recovery/decision-policy.ts';

/** Tells what no journal holds, and knows the texts of parts that come again. */
export type Encoding = Pick<EntryEncoder, 'lostIn' | 'expect'>;

/** The needs of a recorder of steps: the config, the state of the run so far, and what certifies. */
export interface RecorderPort {
  readonly config: BoundaryConfig;
  readonly runState: RunState;
  readonly decisionPolicy: DecisionPolicy;
  readonly encoder: Encoding;
}

/** A skeleton that a step enters anew unless the entity is that of its live instance. */
export interface Entry {
  readonly entity: string;
  evaluate(facts: Facts): { readonly value: string } | { readonly reason: string };
  readonly state: string;
}

/** A boundary whose condition is asked at a step. */
export interface Asked {
  readonly boundary: Boundary;
  readonly state: string;
  /** True where it is asked again though it has certified: control has just come there. */
  readonly isArrival: boolean;
}

/**
 * A boundary that control passes with a step, unless it certified; it is reported if the keys that it promises are
 * missing.
 */
export interface Passed {
  readonly live: Live;
  readonly id: string;
  /** The boundaries at the same place, one of which may have certified. */
  readonly others: readonly string[];
  readonly keys: readonly Key[];
}

/** The answers that a plan has heard before it gave up: they are not asked for again. */
export interface Heard {
  readonly of: Live | null;
  readonly answers: ReadonlyMap<Boundary, Answer>;
}
