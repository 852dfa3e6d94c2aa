/**
 * The entries of attempts: where an attempt stands that waits for the choice, and the attempt that was kept
 * (semantics.md FK7 to FK11).
 */

/**
 * The terms of an attempt: a fork that is one of several, of which one is kept. All attempts of a group have the same
 * but for `number`.
 */
export interface AttemptTerms {
  /** The name of the group: its attempts are runs with that name and a number behind it. */
  readonly of: string;
  /** The number of this attempt, from 1. */
  readonly number: number;
  /** The number of attempts. */
  readonly count: number;
  /** The score, CEL over the output and the context of an attempt; left out where a person chooses. */
  readonly score?: string;
  /**
   * The wall clock from which the choice waits for no attempt any more, in milliseconds; left out where it waits for
   * all.
   */
  readonly until?: number;
}

/** An attempt stands where nothing of it goes on before the choice. */
export interface TriedEntry {
  readonly do: 'tried';
  /**
   * `end`: its machine is at its end. `act`: before a call that nothing takes back. `key`: in line for a key that
   * another attempt of the group has.
   */
  readonly at: 'end' | 'act' | 'key';
  /** The tool of the call that waits; left out at the end. */
  readonly tool?: string;
  /** Its score; left out where it has none. */
  readonly score?: number;
  /** The reason why it has none, if a score was asked for. */
  readonly why?: string;
}

/**
 * An attempt has read which attempt of its group was kept. If it is another one, the attempt is aborted in the same
 * commit.
 */
export interface KeptEntry {
  readonly do: 'kept';
  /** The name of the run that was kept. */
  readonly run: string;
  /** The number of the message; null where no message said so. */
  readonly post: number | null;
  /** The person who chose; null where the score did. */
  readonly by: string | null;
  readonly why: string | null;
  /** The reason why the message changes nothing; null where the choice was taken. */
  readonly refused: string | null;
}

/** The run of an attempt. */
export function attemptNamed(group: string, number: number): string {
  return `${group}-${number}`;
}
