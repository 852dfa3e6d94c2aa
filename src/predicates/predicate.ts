/**
 * A predicate as other rooms see it: a question about a frozen step with three answers (semantics.md §4). The
 * language behind it is a subset of CEL and lives in this room alone.
 */

/** The facts that a predicate may look at. All are frozen data of the step; `memory` is the machine's context. */
export interface Facts {
  /** The state after the step, named as in `MachineShape`; of several the one that the question is about. */
  readonly state: string;
  /** The tool that the step starts or hears from, else the event's type. */
  readonly action: string;
  /** The input of the actor that the step starts, else the event's payload. */
  readonly args: unknown;
  /** The entity of the instance; null while it is being found. */
  readonly entity: string | null;
  readonly memory: unknown;
  readonly event: unknown;
  /** The answers of two looks at the world, where they are compared. */
  readonly now?: unknown;
  readonly then?: unknown;
  /** The age of the answers that a call rests on, in milliseconds, before it leaves. */
  readonly verified?: { readonly age: number };
  /** The terms of the mandate that a call leaves under; left out for a run that was given none. */
  readonly mandate?: unknown;
  /** The obligation that is asked about, and the call that may keep it. */
  readonly obligation?: unknown;
  readonly kept?: { readonly args: unknown; readonly output: unknown };
}

/** Yes, no, or not known and why: an error is never a no. */
export type Answer =
  | { readonly is: 'yes' }
  | { readonly is: 'no' }
  | { readonly is: 'unknown'; readonly reason: string };

/** A reviewed predicate. */
export interface Predicate {
  readonly text: string;
  /** Bounded in cost, never throws. */
  ask(facts: Facts): Answer;
}

/** An expression whose value is a text. */
export interface Expression {
  readonly text: string;
  /** Bounded in cost, never throws. A value that is no text, or ill-formed Unicode, is a reason. */
  evaluate(facts: Facts): { readonly value: string } | { readonly reason: string };
}

/** An expression whose value is an argument of a call. */
export interface Derivation {
  readonly text: string;
  /** The names of the arguments that the expression reads. */
  readonly reads: ReadonlySet<string>;
  /** Bounded in cost, never throws. A value that JSON does not hold exactly is a reason. */
  evaluate(args: unknown): { readonly value: unknown } | { readonly reason: string };
}

/** An expression whose value is a number. */
export interface Score {
  readonly text: string;
  /** Bounded in cost, never throws. A value that is no finite number is a reason. */
  evaluate(facts: Facts): { readonly value: number } | { readonly reason: string };
}
