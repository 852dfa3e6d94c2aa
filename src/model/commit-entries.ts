/** The entries of commits that speak: what a commit says, and that the program was told of it (semantics.md SP1, SP3). */
import type { InstanceId } from './instance.ts';

/** A commit boundary has certified that says something, or that the program is told of. */
export interface CommittedEntry {
  readonly do: 'committed';
  /** Names the commit, also once a replay has taken its work over. */
  readonly id: string;
  readonly instance: InstanceId;
  /** The actor whose step it is. */
  readonly actor: number;
  readonly boundary: string;
  /** The number of the boundary's event in the history. */
  readonly at: number;
  /** The message of the boundary; left out where it has none, or where the message has no value. */
  readonly text?: string;
  /** True where the program is told of it. */
  readonly due?: true;
}

/** The program was told of a commit: its function has returned. */
export interface AnnouncedEntry {
  readonly do: 'announced';
  readonly id: string;
}
