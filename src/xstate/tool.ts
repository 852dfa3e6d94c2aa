/** A tool as an actor: an ordinary promise, to which the sidecar hands the idempotency key of the call (semantics.md E3). */
import { fromPromise, type PromiseActorLogic } from 'xstate';

/** What a tool is called with. `key` is undefined without a sidecar, and for tools of class `none`. */
export interface ToolCall<TInput> {
  readonly input: TInput;
  /** Names the decision to make this call: the same when it is made again, so that a counterparty can tell. */
  readonly key: string | undefined;
  readonly signal: AbortSignal;
}

/** Makes actor logic from a function, as `fromPromise` does. */
export function tool<TOutput, TInput>(
  act: (call: ToolCall<TInput>) => Promise<TOutput>,
): PromiseActorLogic<TOutput, TInput> {
  return fromPromise<TOutput, TInput>((call) => act(call as unknown as ToolCall<TInput>));
}
