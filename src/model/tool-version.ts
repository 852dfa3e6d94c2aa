/** The version of a tool: which function makes its calls, and whose answers are as good as its own (semantics.md CO4). */
export interface ToolVersion {
  /** A name of its own choice; `1` where a tool names none. */
  readonly version: string;
  /** The older versions whose calls and answers it takes for its own. */
  readonly takes: readonly string[];
}

/** The version of a tool that names none. */
const UNNAMED: ToolVersion = { version: '1', takes: [] };

/** True where a tool takes the calls that one of a version has made; left out: the version of one that names none. */
export function takesVersion({ version, takes }: ToolVersion = UNNAMED, then: string = UNNAMED.version): boolean {
  return version === then || takes.includes(then);
}
