/**
 * The problems that the text of a predicate can have: a closed code, the place in the text, a sentence and its fix (style.md 9).
 */

/** Every reason to refuse a predicate or an expression. */
export type PredicateCode =
  /** The text is no CEL. */
  | 'predicate_syntax'
  /** The types cannot fit, or a condition is no condition. */
  | 'predicate_type'
  | 'predicate_too_long'
  | 'predicate_too_complex'
  | 'unknown_variable'
  | 'unknown_function'
  /** `matches`: a regular expression may take for ever. */
  | 'banned_matches'
  /** A macro within a macro: the cost multiplies. */
  | 'banned_nested_macro'
  /** `in` on anything but a list that is written out. */
  | 'banned_in'
  /** `+`, `-`, `*`, `/` or `%` on a number that may be whole or not. */
  | 'banned_arithmetic'
  /** A literal, an index or a name of a kind that has no meaning here. */
  | 'banned_form'
  /** A guard by name that is not there, or not the one that was reviewed. */
  | 'guard_missing'
  | 'guard_changed';

/** One problem. `offset` is where it begins in the text, in UTF-16 units. */
export interface Problem {
  readonly code: PredicateCode;
  readonly offset: number;
  readonly message: string;
  readonly mend: string;
}
