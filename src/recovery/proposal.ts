/**
 * What a policy proposes for one candidate, and what stands against it. A policy says where the instances would stand;
 * judging that against the effects (§6) and the commitments of others (§5) is the same for every policy.
 */
import type { History } from '../history/history.ts';
import type { InstanceRecord } from '../history/registry.ts';
import type { Checkpoint } from '../model/checkpoint.ts';
import { crossing, type Effect } from '../model/effect.ts';
import type { Dependence } from '../model/veto.ts';

/** Where a line puts one instance, and the dependency that forced it; `keep` null is ⊥, `cause` null the failure itself. */
export interface Placement {
  readonly keep: Checkpoint | null;
  readonly cause: Dependence | null;
}

/** The instances that move if the failed one goes back to `candidate`. */
export interface Proposal {
  readonly candidate: Checkpoint;
  readonly moves: ReadonlyMap<InstanceRecord, Placement>;
  /** The committed instances that would lose what they relied on, one witness each. */
  readonly consumers: readonly { readonly dependence: Dependence; readonly committed: Checkpoint }[];
}

/** The effects that a proposal crosses: those that block it, by intent, and those to undo first, newest first (E5). */
export interface Crossed {
  readonly blocked: readonly Effect[];
  readonly undo: readonly Effect[];
}

/** A candidate's proposal and what it crosses. */
export interface Judged {
  readonly proposal: Proposal;
  readonly crossed: Crossed;
}

/** The last event that a placement keeps: 0 for ⊥, so that an event is undone iff its number is greater (§9). */
export function keptUpTo(placement: Pick<Placement, 'keep'>): number {
  return placement.keep?.at ?? 0;
}

/** The consumers of a line: every instance but the failed one that it moves below its own commitment. Only that one moves without a cause. */
export function crossedConsumers(
  moves: ReadonlyMap<InstanceRecord, Placement>,
  failed: InstanceRecord,
): Proposal['consumers'] {
  const consumers: { dependence: Dependence; committed: Checkpoint }[] = [];
  for (const [record, placement] of moves) {
    const { committed } = record;
    if (record === failed || committed === null || keptUpTo(placement) >= committed.at) continue;
    consumers.push({ dependence: placement.cause as Dependence, committed });
  }
  return consumers;
}

/** Holds a proposal against §6. Costs the effects of the instances that move. */
export function crossed(history: History, moves: Proposal['moves']): Crossed {
  const blocked: Effect[] = [];
  const undo: Effect[] = [];
  for (const [record, placement] of moves) {
    for (const effect of history.effects.of(record, keptUpTo(placement), history.head)) {
      const answer = crossing(effect);
      if (answer === 'undo') undo.push(effect);
      else if (answer !== 'cross') blocked.push(effect);
    }
  }
  return { blocked: blocked.sort((a, b) => a.at - b.at), undo: undo.sort((a, b) => b.at - a.at) };
}
