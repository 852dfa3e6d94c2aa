/** A call as the function of a tool is handed it, whatever executes the run (semantics.md E3). */
export interface ToolCall<TInput> {
  readonly input: TInput;
  /** Names the decision to make this call: the same when it is made again, so that a counterparty can tell. */
  readonly key: string | undefined;
  readonly signal: AbortSignal;
  /** The handle of the sandbox that the tool works in, as its provider gave it; undefined where it works in none. */
  readonly sandbox?: unknown;
}

/** The function of a tool, as a run calls it. */
export type Act = (call: ToolCall<unknown>) => Promise<unknown>;
