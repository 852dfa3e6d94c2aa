/**
 * An act of a tool on the world. Its class says what kind of act it is; its status says how much is known of the act.
 * Only the table of semantics.md §6 says whether a rollback may cross an effect.
 */
import type { InstanceId } from './instance.ts';

/** Every class of effect, the most harmless first. */
export const EFFECT_CLASSES = ['none', 'idempotent', 'reversible', 'compensable', 'irreversible'] as const;

/**
 * The class of an effect says how it can be taken back (§6). A tool that the config does not declare is `irreversible`
 * (E6).
 */
export type EffectClass = (typeof EFFECT_CLASSES)[number];

/**
 * The class of an effect of which two configs say different classes (CO2): what both allow. The classes are no chain: an idempotent act is never
 * undone, and a reversible one is undone before it is made again, so that neither holds for an act that may be either.
 */
export function joinOf(a: EffectClass, b: EffectClass): EffectClass {
  if (a === b || b === 'none') return a;
  if (a === 'none') return b;
  const undone: ReadonlySet<EffectClass> = new Set(['reversible', 'compensable']);
  return undone.has(a) && undone.has(b) ? 'compensable' : 'irreversible';
}

/** The class of a call that left under one class and is of another one today: without a key, it cannot be made again as the same act. */
export function classKept(then: EffectClass, now: EffectClass): EffectClass {
  return now === 'none' && then === 'idempotent' ? 'irreversible' : joinOf(then, now);
}

/** Every status of an effect. */
export const EFFECT_STATUSES = ['intended', 'unknown', 'confirmed', 'failed', 'compensated', 'buffered'] as const;

/** The knowledge of the act: `intended` and `unknown` are not settled (E1, E2). */
export type EffectStatus = (typeof EFFECT_STATUSES)[number];

/** One effect as a history knows it. `at` is the number of its intent, which stays its place whatever happens later (§6). */
export interface Effect {
  readonly instance: InstanceId;
  /** The name that later reports about the effect carry; null if no report can come. */
  readonly id: string | null;
  /** The name of the tool whose call it is; left out where the history does not say. */
  readonly tool?: string;
  readonly class: EffectClass;
  readonly status: EffectStatus;
  /** True if an inverse or a compensation is registered and the policy allows it. */
  readonly undo: boolean;
  readonly at: number;
}

/** The reasons for which an effect may not be crossed (§6). */
export type EffectVeto = 'irreversible_effect_policy' | 'effect_outcome_unknown' | 'compensation_missing';

/** The answer of §6's table: `cross` and nothing is owed, `undo` first and then cross, or the code that blocks. */
export type Crossing = 'cross' | 'undo' | EffectVeto;

/** True if the outcome of an effect is still open: no boundary certifies meanwhile (§4, Controllable). */
export function isOpen(status: EffectStatus): boolean {
  return status === 'intended' || status === 'unknown';
}

/** Reads §6's table: says if a rollback may cross this effect, and what it then owes. */
export function crossing(effect: Pick<Effect, 'class' | 'status' | 'undo'>): Crossing {
  switch (effect.class) {
    case 'none':
    case 'idempotent':
      return 'cross';
    case 'reversible':
    case 'compensable':
      if (isOpen(effect.status)) return 'effect_outcome_unknown';
      if (effect.status !== 'confirmed') return 'cross';
      return effect.undo ? 'undo' : 'compensation_missing';
    case 'irreversible':
      if (isOpen(effect.status)) return 'effect_outcome_unknown';
      return effect.status === 'confirmed' ? 'irreversible_effect_policy' : 'cross';
  }
}
