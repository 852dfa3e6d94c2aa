/** The entries of obligations: what a call has taken on, and what was said of it (semantics.md OB1 to OB6). */

/** A person's answer for an obligation: it was kept in another way, nothing is owed any more, or it is not kept. */
export type ObligationAnswer = 'kept' | 'released' | 'broken';

/** The event that tells a machine of an obligation which is overdue. */
export const DUE_EVENT = '@belay.due';

/** What becomes of the obligations of a call, in the order of the journal. */
export type ObligationEntry =
  /** A call has taken obligations on, by the config of its intent; written in the commit of the intent (OB1). */
  | {
      readonly do: 'obligation';
      readonly is: 'owed';
      readonly key: string;
      /** The place in the arguments of the call that lists them, or the list. */
      readonly each: string | readonly unknown[];
      /** The due time of each as a wall clock in milliseconds; null for none. */
      readonly due: readonly (number | null)[];
      readonly keptBy: string;
      /** The conditions, as the config has them. */
      readonly as?: string;
      readonly until?: string;
    }
  /** A person has answered for the obligation `KEY#1` (OB4). */
  | {
      readonly do: 'obligation';
      readonly is: 'answered';
      readonly name: string;
      readonly as: ObligationAnswer;
      readonly by: string;
      readonly why: string | null;
    }
  /** It was owed when it was due: a finding says so, once (OB6). */
  | { readonly do: 'obligation'; readonly is: 'overdue'; readonly name: string }
  /** No call that would keep it may leave, for this reason: a person is asked (OB7). Null once one may again. */
  | { readonly do: 'obligation'; readonly is: 'unkept'; readonly name: string; readonly why: string | null };
