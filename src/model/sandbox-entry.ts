/** The entry of a sandbox (semantics.md SB1): an effect of the run and of no instance, which no line moves. */

/**
 * A sandbox is about to be started (again), was started, was stopped, has its contents kept, or is gone. The key names
 * it for its provider; one that is made after a loss has another key.
 */
export type SandboxEntry = { readonly do: 'sandbox'; readonly name: string; readonly key: string } & (
  | { readonly is: 'starting'; readonly provider: string }
  | { readonly is: 'started'; readonly handle: unknown }
  | { readonly is: 'kept'; readonly snapshot: unknown }
  | { readonly is: 'stopped' | 'gone' }
);
