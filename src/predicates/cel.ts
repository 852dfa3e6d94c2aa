/**
 * The only file that uses the CEL library, to parse a text and check its types. Belay evaluates the syntax tree itself,
 * in `evaluate.ts`: the library answers some errors with "absent" (an optional index into a text, say), reads any
 * property, and has no budget. In Belay an error is never a no, and an evaluation has a bounded cost (semantics.md §4).
 */
import { type ASTNode, Environment, ParseError, TypeError as TypingError } from '@marcbachmann/cel-js';

/** A node of the syntax tree: an operator, its operands, and where in the text it stands. */
export type Node = ASTNode;

/** The longest text of a predicate, in UTF-16 units. */
export const LONGEST_TEXT = 2_000;

/** The variables of a predicate and their types; `dyn` is a type that is known only at the step. */
export const VARIABLES = {
  state: 'string',
  action: 'string',
  entity: 'string',
  args: 'dyn',
  memory: 'dyn',
  event: 'dyn',
} as const;

/**
 * Variables that only some conditions have: those of second looks (semantics.md §23), obligations (§29) and mandates
 * (§32).
 */
export const LOOK_VARIABLES: readonly string[] = ['now', 'then', 'verified', 'obligation', 'kept', 'mandate'];

/** An error of the grammar or of the type checker in a text; `offset` counts UTF-16 units. */
export interface CelError {
  readonly kind: 'syntax' | 'limit' | 'type' | 'unknown_variable' | 'unknown_function';
  readonly offset: number;
  readonly message: string;
}

const environment = new Environment({
  unlistedVariablesAreDyn: false,
  homogeneousAggregateLiterals: false,
  enableOptionalTypes: true,
  limits: { maxAstNodes: 250, maxDepth: 24, maxListElements: 64, maxMapEntries: 16, maxCallArguments: 3 },
});
for (const [name, type] of Object.entries(VARIABLES)) environment.registerVariable(name, type);
// Only the type counts here; `evaluate.ts` computes the sum.
environment.registerFunction('list.sum(): dyn', () => 0n);
for (const name of LOOK_VARIABLES) environment.registerVariable(name, 'dyn');

/** Reads a text into its syntax tree. */
export function parse(text: string): { readonly ast: Node } | { readonly error: CelError } {
  try {
    return { ast: environment.parse(text).ast };
  } catch (error) {
    return { error: celError(error) };
  }
}

/** The type of a text (`bool`, `string`, `dyn`), or the first type error. */
export function typeOf(text: string): { readonly type: string } | { readonly error: CelError } {
  const { valid, type, error } = environment.check(text);
  return valid ? { type: type as string } : { error: celError(error) };
}

function celError(error: unknown): CelError {
  if (!(error instanceof ParseError || error instanceof TypingError)) {
    return { kind: 'syntax', offset: 0, message: 'the text cannot be read' };
  }
  return { kind: kindOf(error.code), offset: error.range?.start ?? 0, message: error.summary };
}

function kindOf(code: string): CelError['kind'] {
  if (code === 'unknown_variable') return 'unknown_variable';
  if (code === 'no_matching_overload' || code === 'unknown_function') return 'unknown_function';
  if (/limit|exceed|depth|max_/.test(code)) return 'limit';
  return typingCodes.has(code) ? 'type' : 'syntax';
}

const typingCodes: ReadonlySet<string> = new Set([
  'no_such_overload',
  'no_such_key',
  'invalid_condition_type',
  'invalid_logical_operand',
  'incompatible_ternary_branches',
  'incompatible_argument_type',
  'invalid_comprehension_range',
  'invalid_index_type',
  'cannot_index_type',
  'optional_expected',
  'invalid_macro_argument',
]);
