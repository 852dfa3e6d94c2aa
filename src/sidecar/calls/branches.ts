/**
 * The branches of alternatives: which actors are part of one, which of their calls are held, and which calls meet the
 * acts of a branch (semantics.md AL1–AL4). It changes nothing.
 */
import type { Alternatives, BoundaryConfig } from '../../boundaries/config.ts';
import { isHeldInBranch } from '../../boundaries/lint/alternatives.ts';
import { readBy, writesOf } from '../../effects/touched.ts';
import { isOpen } from '../../model/effect.ts';
import { isExternal } from '../../model/external-keys.ts';
import type { InstanceId } from '../../model/instance.ts';
import { overlaps } from '../../model/key.ts';
import type { Choice } from '../../projection/choices.ts';
import type { RunState } from '../../projection/run-state.ts';
import type { ActorState, RecordedStep } from '../../projection/state-types.ts';
import type { Call } from '../../runtime/runtime.ts';
import type { RunParts, RunWriter } from '../parts.ts';
import { argsOf } from './args.ts';

/** The branches that one step has started, in the order of their start. */
export interface BranchSet {
  readonly alternatives: Alternatives;
  readonly by: RecordedStep;
  readonly branches: readonly ActorState[];
  /** The choice among them; undefined before it is made. */
  readonly choice: Choice | undefined;
}

/** The alternatives that an actor is a branch of; undefined for any other actor. */
function alternativesOf({ alternatives }: BoundaryConfig, actor: ActorState): Alternatives | undefined {
  if (actor.parent !== 0 || actor.by === null || actor.by.gone || actor.started?.kind !== 'machine') return undefined;
  const { at, src } = actor.started;
  for (const one of alternatives.values()) if (one.at === at && one.branch === src) return one;
  return undefined;
}

/** The branches of one run. */
export class Branches {
  readonly #parts: Pick<RunParts, 'runState' | 'config' | 'activity'>;

  constructor(parts: Pick<RunParts, 'runState' | 'config' | 'activity'>) {
    this.#parts = parts;
  }

  get #isNone(): boolean {
    return this.#parts.config.alternatives.size === 0;
  }

  get #runState(): RunState {
    return this.#parts.runState;
  }

  /** The branch that an actor is, or is part of; null for any other actor. */
  of(actor: number): ActorState | null {
    if (this.#isNone) return null;
    for (let at: number | null = actor; at !== null; at = this.#runState.actors[at]?.parent ?? null) {
      const one = this.#runState.actors[at];
      if (one !== undefined && alternativesOf(this.#parts.config, one) !== undefined) return one;
    }
    return null;
  }

  /** The sets among these actors. */
  sets(actors: Iterable<ActorState>): BranchSet[] {
    if (this.#isNone) return [];
    const found = new Map<RecordedStep, BranchSet>();
    for (const actor of actors) {
      const alternatives = alternativesOf(this.#parts.config, actor);
      if (alternatives === undefined || found.has(actor.by as RecordedStep)) continue;
      const by = actor.by as RecordedStep;
      const branches: ActorState[] = [];
      for (let number = by.firstStarted; this.#runState.actors[number]?.by === by; number += 1) {
        const one = this.#runState.actors[number] as ActorState;
        if (alternativesOf(this.#parts.config, one) === alternatives) branches.push(one);
      }
      found.set(by, { alternatives, by, branches, choice: this.#runState.choices.of(actor.number) });
    }
    return [...found.values()];
  }

  /** The sets of which a branch goes on. */
  running(): BranchSet[] {
    return this.sets(this.#isNone ? [] : this.#runState.family.childrenOf(0));
  }

  /** True for an actor of a branch that has failed or was not chosen: it does nothing any more (AL4, AL6). */
  isOut(actor: number): boolean {
    const branch = this.of(actor);
    if (branch === null) return false;
    const { choices, actors } = this.#runState;
    return choices.failed.has(branch.number) || choices.hasLost(actors, branch.number);
  }

  /** True where a call that an actor makes is held until the choice: nothing undoes it (AL2). */
  holds(tool: string, actor: number): boolean {
    return this.of(actor) !== null && isHeldInBranch(this.#parts.config.tools.get(tool));
  }

  /** True where a call that an actor makes may be undone, for the alternatives say so (AL2). */
  undoes(tool: string, actor: number): boolean {
    return this.of(actor) !== null && (this.#parts.config.tools.get(tool)?.undo ?? null) !== null;
  }

  /**
   * Says why a branch does not make a call; null where it may, and for a call outside of the branches. Asked right
   * before the call is journaled.
   */
  refuses({ tool, input: args }: Pick<Call, 'tool' | 'input'>, actor: number, { entity }: InstanceId): string | null {
    const branch = this.of(actor);
    if (branch === null) return null;
    if (this.isOut(actor)) return 'its branch goes no further';
    const declared = this.#parts.config.tools.get(tool);
    const isHeld = isHeldInBranch(declared);
    if ((declared?.once ?? null) !== null) return `${tool} has acts that are one over all branches (once)`;
    if (isHeld && (declared?.gate ?? null) !== null) return `${tool} is held until the choice, and needs an approval`;
    if (isHeld) return null;
    const met = this.#metBy({ tool, args, entity }, (other) => other.number !== branch.number);
    return met === null ? null : `it touches ${met.key}, which another branch has written (${met.tool})`;
  }

  /**
   * Null where a call does not meet the acts of undecided branches that it is no part of; else resolves at the next
   * entry (AL3).
   */
  apart({ tool, input: args }: Pick<Call, 'tool' | 'input'>, actor: number, { entity }: InstanceId, write: RunWriter) {
    const isUndecided = this.running().some(({ choice }) => choice === undefined);
    if (!isUndecided || this.of(actor) !== null || this.#metBy({ tool, args, entity }, () => true) === null)
      return null;
    return new Promise<void>((resolve) => write.atNext(resolve));
  }

  /**
   * The act of another branch, undecided or lost, that a call would meet: an act that stands, or whose outcome is open.
   */
  #metBy(
    call: { readonly tool: string; readonly args: unknown; readonly entity: string | null },
    isOther: (branch: ActorState) => boolean,
  ): { readonly tool: string; readonly key: string } | null {
    const { config } = this.#parts;
    const { ledger, choices, actors } = this.#runState;
    const own = [...readBy(config, call), ...writesOf(config, call).filter(isExternal)];
    if (own.length === 0) return null;
    for (const { intent, status, stands } of ledger.all()) {
      if (stands || (status !== 'confirmed' && !isOpen(status))) continue;
      const branch = this.of(intent.actor);
      if (branch === null || !isOther(branch) || choices.hasWon(actors, branch.number)) continue;
      const made = { tool: intent.tool, args: argsOf(this.#runState, intent), entity: intent.instance.entity };
      const key = writesOf(config, made).find((one) => isExternal(one) && own.some((each) => overlaps(one, each)));
      if (key !== undefined) return { tool: intent.tool, key: key.text };
    }
    return null;
  }
}
