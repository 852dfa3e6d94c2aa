/**
 * Values that are kept out of everything that people read: the values under some keys of the context, and parts of the
 * inputs and answers of tools. The config declares them, and the journal of a run repeats them for readers without a
 * config.
 */
export interface RedactionRules {
  /** Keys of the context, as texts; they may have `*`. */
  readonly keys: readonly string[];
  /** Member paths such as `args.card` and `output.token`, by the name of the tool. */
  readonly tools: Readonly<Record<string, readonly string[]>>;
}

/** True where a rule keeps anything out. */
export function redacts({ keys, tools }: RedactionRules): boolean {
  return keys.length > 0 || Object.keys(tools).length > 0;
}
