/** The entries of alternatives: a branch has failed, and the choice among the branches (semantics.md AL5, AL10). */

/** The events by which the machine takes a choice: with a winner, and without one. */
export const CHOICE_EVENTS = { chosen: '@belay.chosen', none: '@belay.none' } as const;

/** A branch of alternatives has failed: it goes no further, and is undone at the choice. */
export interface BranchEntry {
  readonly do: 'branch';
  /** The number of the branch's machine. */
  readonly actor: number;
  readonly error: string;
}

/** A process has taken up a run whose branches have a deadline: the time since the last row before is none of the branches' (AL4). */
export interface IdledEntry {
  readonly do: 'idled';
  /** The wall clock of the last row before it, in milliseconds. */
  readonly since: number;
}

/** A branch as the choice has found it. */
export interface Candidate {
  /** The number of its machine. */
  readonly actor: number;
  /** The id of its invocation. */
  readonly branch: string;
  /**
   * `won`; `lost`: it was over, and another one was chosen; `refused`: it was over, and `when` or `score` has not said yes; `failed`;
   * `unfinished`: it was under way.
   */
  readonly is: 'won' | 'lost' | 'refused' | 'failed' | 'unfinished';
  /** Its score; left out where none was asked for, or it has none. */
  readonly score?: number;
  /** The reason, for one that has failed or is refused. */
  readonly why?: string;
}

/** A branch as a person is shown it, who chooses among them (AL11). */
export interface Shown {
  /** The number of its machine. */
  readonly actor: number;
  /** The id of its invocation. */
  readonly branch: string;
  /** `over`: it may be chosen. The others as in a choice. */
  readonly is: 'over' | 'refused' | 'failed' | 'unfinished';
  readonly score?: number;
  /** The reason, for one that has failed or is refused. */
  readonly why?: string;
  /** Its output; for one that may be chosen. */
  readonly output?: unknown;
}

/** The name under which a person is asked to choose among the branches that one step has started. */
export function choiceKey(alternatives: string, branches: readonly { readonly actor: number }[]): string {
  return `${alternatives}:${branches[0]?.actor ?? 0}`;
}

/** The name of the alternatives that a choice is about, by the name under which a person is asked. */
export function alternativesAsked(key: string): string {
  return key.slice(0, key.lastIndexOf(':'));
}

/** The choice among the branches of alternatives: everything after it is redo-only (AL5). */
export interface ChoiceEntry {
  readonly do: 'choice';
  /** The name of the alternatives in the config. */
  readonly alternatives: string;
  /** The event that led to it. `left`: the machine has left the state without a choice, and all branches have lost. `gate`: a person was asked. */
  readonly by: 'first' | 'best' | 'gate' | 'deadline' | 'left';
  readonly branches: readonly Candidate[];
  /** The request that a person has answered; left out where none has. */
  readonly gate?: string;
}
