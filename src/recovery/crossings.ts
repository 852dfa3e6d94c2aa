/**
 * The effects (§6) and commitments of others (§5) that a line crosses on its way down. An older candidate crosses
 * everything that a newer candidate does. So each candidate is charged with the difference only, and nothing is
 * examined twice.
 */
import type { History } from '../history/history.ts';
import type { InstanceRecord } from '../history/registry.ts';
import type { Checkpoint } from '../model/checkpoint.ts';
import type { Aside } from '../model/decision.ts';
import { crossing, type Effect } from '../model/effect.ts';
import type { InstanceId } from '../model/instance.ts';
import type { Dependence } from '../model/veto.ts';

/**
 * The position of one instance under a line, and the dependency that forced it; `keep` null is ⊥, `cause` null the failure
 * itself.
 */
export interface Placement {
  readonly keep: Checkpoint | null;
  readonly cause: Dependence | null;
}

/** A committed instance that would lose what it relied on: its promise, and the dependency that would break it. */
export interface Consumer {
  readonly dependence: Dependence;
  readonly committed: Checkpoint;
}

/**
 * The crossings of a candidate that no newer one made: consumers in the order of their discovery, effects by their
 * intents.
 */
export interface Crossed {
  readonly candidate: Checkpoint;
  readonly consumers: readonly Consumer[];
  readonly blocked: readonly Effect[];
  /** The effects to undo first, newest first (E5). */
  readonly undo: readonly Effect[];
  /** The calls in flight whose replies are dropped (C11). */
  readonly dropped?: readonly string[];
}

/** The answer of a policy: the instances that its newest candidate moves, and the crossings of each candidate, newest first. */
export interface Proposal {
  readonly moves: ReadonlyMap<InstanceRecord, Placement>;
  readonly crossed: readonly Crossed[];
  /** True if a line of this policy may cross commitments at all, given leave. */
  readonly crossable: boolean;
  /** The instances for which the plan's postconditions fail; such a candidate cannot be used. */
  readonly escapes?: readonly InstanceId[];
  /**
   * The number of other instances that the candidate undoes, if control is known: roots promise nothing and do not
   * count.
   */
  readonly others?: number;
  /** The work that it sets aside instead (C2). */
  readonly aside?: readonly Aside[];
}

/** The last event that a placement keeps: 0 for ⊥, so that an event is undone iff its number is greater (§9). */
export function keptUpTo(placement: Placement): number {
  return placement.keep?.at ?? 0;
}

/** Gathers what is crossed, candidate by candidate. */
export class Crossings {
  readonly #history: History;
  readonly #failed: InstanceRecord;
  #consumers: Consumer[] = [];
  #blocked: Effect[] = [];
  #undo: Effect[] = [];

  constructor(history: History, failed: InstanceRecord) {
    this.#history = history;
    this.#failed = failed;
  }

  /**
   * Notes that an instance kept up to event `upTo` so far is now kept where `placement` says. Costs its effects in
   * between.
   */
  lower(record: InstanceRecord, placement: Placement, upTo: number): void {
    const after = keptUpTo(placement);
    const { committed } = record;
    if (record !== this.#failed && committed !== null && after < committed.at && committed.at <= upTo) {
      // Only the failed instance moves without a cause.
      this.#consumers.push({ dependence: placement.cause as Dependence, committed });
    }
    for (const effect of this.#history.effects.of(record, after, upTo)) {
      const answer = crossing(effect);
      if (answer === 'undo') this.#undo.push(effect);
      else if (answer !== 'cross') this.#blocked.push(effect);
    }
  }

  /** Lowers the failed instance from candidate to candidate, where no other instance moves on its account. */
  lowerAlone(candidates: readonly Checkpoint[]): Crossed[] {
    let upTo = this.#history.head;
    return candidates.map((candidate) => {
      this.lower(this.#failed, { keep: candidate, cause: null }, upTo);
      upTo = candidate.at;
      return this.charge(candidate);
    });
  }

  /** Charges a candidate with the crossings since the last charge. */
  charge(candidate: Checkpoint): Crossed {
    const blocked = this.#blocked.sort((a, b) => a.at - b.at);
    const undo = this.#undo.sort((a, b) => b.at - a.at);
    const crossed = { candidate, consumers: this.#consumers, blocked, undo };
    this.#consumers = [];
    this.#blocked = [];
    this.#undo = [];
    return crossed;
  }
}
