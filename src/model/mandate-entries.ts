/** The entries of mandates: what a run may do and until when, who gave it, and who has withdrawn it (semantics.md MD1 to MD7). */

/** The terms of a mandate: conditions read them as `mandate`. Limits of any other name may stand beside these. */
export interface MandateTerms {
  /** Names it, in every run that is under it; left out, a digest of the terms does. */
  readonly id?: string;
  /** The person who gives it. */
  readonly by: string;
  /** The policy that it rests on. */
  readonly policy?: string;
  /** The time at which it is over, as ISO 8601; left out for never. */
  readonly until?: string;
  readonly [limit: string]: unknown;
}

/** Why a run has no mandate: a person has withdrawn it, its time is over, or none was given yet. */
export type MandateOver = 'revoked' | 'expired' | 'missing';

/** What becomes of the mandate of a run, in the order of the journal. */
export type MandateEntry =
  /** A person gives the run a mandate, which takes the place of the one before (MD1). */
  | {
      readonly do: 'mandate';
      readonly is: 'given';
      readonly id: string;
      readonly terms: MandateTerms;
      readonly why: string | null;
      /** The number of the message; null where the program said so. */
      readonly post: number | null;
      /** The reason why it was refused; null where it was taken. */
      readonly refused: string | null;
    }
  /** A person withdraws the mandate (MD4). */
  | {
      readonly do: 'mandate';
      readonly is: 'revoked';
      /** The mandate that is meant; null for the one that the run is under. */
      readonly id: string | null;
      readonly by: string;
      readonly why: string | null;
      readonly post: number | null;
      readonly refused: string | null;
    }
  /** The run has no mandate any more, or needs one and has none yet (MD3). */
  | { readonly do: 'mandate'; readonly is: 'over'; readonly why: Exclude<MandateOver, 'revoked'> }
  /** A call or a commit waits for another mandate: once, until one is given (MD5). */
  | { readonly do: 'mandate'; readonly is: 'wanted'; readonly tool: string };
