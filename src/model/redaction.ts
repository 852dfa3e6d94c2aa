/**
 * Values that are kept out of everything that people read: the values under some keys of the memory, and parts of what tools are given and answer.
 * As the config has it, and as the journal of a run says it again: whoever reads that has no config.
 */
export interface RedactionRules {
  /** Keys of the memory, as texts; they may have `*`. */
  readonly keys: readonly string[];
  /** Member paths such as `args.card` and `output.token`, by the name of the tool. */
  readonly tools: Readonly<Record<string, readonly string[]>>;
}

/** True where a rule keeps anything out. */
export function redacts({ keys, tools }: RedactionRules): boolean {
  return keys.length > 0 || Object.keys(tools).length > 0;
}
