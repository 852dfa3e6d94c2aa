/** Names that both halves of the codec share. */

/** The only key of an object that stands for something else. */
export const TAG = '$';

/**
 * The number of containers that may enclose a value, in both directions: input may be hostile, and the codec walks it
 * recursively.
 */
export const CODEC_DEPTH = 256;

/** The reasons why a value has no text. */
export type Unencodable =
  | 'function'
  | 'symbol'
  /** A property with a getter or setter: its value depends on code. */
  | 'accessor'
  /** An instance of a class without a form of its own, or a Map, Set or Date with properties of its own. */
  | 'class'
  | 'cycle'
  | 'too_deep'
  | 'too_large'
  /** A value that cannot be inspected: a revoked proxy, a trap that throws. */
  | 'unreadable';
