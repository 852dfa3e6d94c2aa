/** The alternatives of a run as its journal tells them: failed branches, and choices (semantics.md AL4, AL5). */
import type { BranchEntry, Candidate, ChoiceEntry } from '../model/choice-entries.ts';
import type { ActorState } from './state-types.ts';

/** A choice that was made. */
export interface Choice extends Omit<ChoiceEntry, 'do'> {
  /** The number of the history's last event before it. */
  readonly at: number;
}

/** The failed branches and the choices of one run. */
export class Choices {
  readonly all: Choice[] = [];
  /** The errors of the branches that have failed, by the numbers of their machines. */
  readonly failed = new Map<number, string>();
  /** The times in which the branches could do nothing: no process had the run, or a person had paused it. None meets another. */
  readonly #idle: (readonly [from: number, to: number])[] = [];
  /** The wall clock of the pause that the run is in; null while it is in none. */
  #pausedAt: number | null = null;
  /** The choices by the numbers of the machines of their branches. */
  readonly #of = new Map<number, Choice>();

  fail({ actor, error }: BranchEntry): void {
    this.failed.set(actor, error);
  }

  choose({ do: _, ...entry }: ChoiceEntry, at: number): void {
    this.#add({ ...entry, at });
  }

  /** The branches could do nothing between two times. */
  idle(from: number, to: number): void {
    const after = Math.max(from, this.#idle.at(-1)?.[1] ?? 0);
    if (after < to) this.#idle.push([after, to]);
  }

  /** A person pauses the run, or has it go on. */
  pause(paused: boolean, at: number): void {
    if (!paused && this.#pausedAt !== null) this.idle(this.#pausedAt, at);
    this.#pausedAt = paused ? at : null;
  }

  /** The time since a wall clock in which the branches could do nothing, in milliseconds. */
  idleSince(since: number): number {
    return this.#idle.reduce((sum, [from, to]) => sum + Math.max(0, to - Math.max(from, since)), 0);
  }

  /** The choice that a branch was part of, by the number of its machine. */
  of(actor: number): Choice | undefined {
    return this.#of.get(actor);
  }

  /** The branch that an actor is, or is part of, and the choice about it; undefined where no choice was made about it. */
  branchOf(
    actors: readonly ActorState[],
    actor: number,
  ): { readonly choice: Choice; readonly is: Candidate } | undefined {
    if (this.all.length === 0) return undefined;
    for (let at: number | null = actor; at !== null; at = actors[at]?.parent ?? null) {
      const choice = this.#of.get(at);
      const is = choice?.branches.find((branch) => branch.actor === at);
      if (choice !== undefined && is !== undefined) return { choice, is };
    }
    return undefined;
  }

  /** True for an actor of a branch that was chosen. */
  hasWon(actors: readonly ActorState[], actor: number): boolean {
    return this.branchOf(actors, actor)?.is.is === 'won';
  }

  /** True for an actor of a branch that was not chosen. */
  hasLost(actors: readonly ActorState[], actor: number): boolean {
    const branch = this.branchOf(actors, actor);
    return branch !== undefined && branch.is.is !== 'won';
  }

  /** All that a base keeps of them. */
  get saved(): {
    readonly all: readonly Choice[];
    readonly failed: readonly (readonly [number, string])[];
    /** Left out while the branches have had all the time. */
    readonly idle?: readonly (readonly [number, number])[];
    readonly pausedAt?: number | null;
  } {
    const times = { idle: [...this.#idle], pausedAt: this.#pausedAt };
    return {
      all: [...this.all],
      failed: [...this.failed],
      ...(times.idle.length > 0 || times.pausedAt !== null ? times : {}),
    };
  }

  resumeAt({ all, failed, idle = [], pausedAt = null }: Choices['saved']): void {
    for (const [actor, error] of failed) this.failed.set(actor, error);
    for (const choice of all) this.#add(choice);
    this.#idle.push(...idle);
    this.#pausedAt = pausedAt;
  }

  #add(choice: Choice): void {
    this.all.push(choice);
    for (const { actor } of choice.branches) this.#of.set(actor, choice);
  }
}
