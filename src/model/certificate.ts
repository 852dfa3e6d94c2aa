/** The digests of the part of a config that certificates rest on (semantics.md CO1). */
export interface Certificate {
  /** That of all but the tools. */
  readonly page: string;
  /** Those of the tools, by their names: nothing rests on a tool that a run has never called. */
  readonly tools: Readonly<Record<string, string>>;
}
