/** The version of a tool: which function makes its calls, and whose answers are as good as its own (semantics.md CO4). */
export interface ToolVersion {
  /** A name of its own choice; `1` where a tool names none. */
  readonly version: string;
  /** The older versions whose calls and answers it takes for its own. */
  readonly takes: readonly string[];
}

/** The version of a tool that names none. */
const UNNAMED: ToolVersion = { version: '1', takes: [] };

/**
 * True if a tool takes the calls that a given version has made. A tool that names no version has the version `UNNAMED`.
 */
export function takesVersion({ version, takes }: ToolVersion = UNNAMED, then: string = UNNAMED.version): boolean {
  return version === then || takes.includes(then);
}

/** The name under which a config has the rules of a version; a call that has none was made by version 1 (CO4). */
export function versioned(tool: string, version = '1'): string {
  return `${tool}@${version}`;
}
