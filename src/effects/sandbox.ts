/** The port through which a run starts and stops what its tools work in (semantics.md SB2). */

/** A sandbox as its provider is asked about it. */
export interface SandboxAsk {
  /** Names the sandbox: a provider that is asked to start a key twice has one sandbox. */
  readonly key: string;
  readonly run: string;
  /** The name in the config. */
  readonly name: string;
  /** The last answer of its start; undefined while the run knows of none. */
  readonly handle: unknown;
}

/** The state of a sandbox. `gone`: there is none under that key, or what it held is lost. */
export type SandboxState =
  | { readonly is: 'running'; readonly handle: unknown }
  | { readonly is: 'starting' }
  | { readonly is: 'stopped' }
  | { readonly is: 'gone' };

/**
 * Starts and stops sandboxes. Each function may be asked again with the same key, also by another process, and finds a
 * sandbox by the key alone. Handles and snapshots are plain data.
 * @example
 * import type { SandboxProvider } from 'belay-sidecar';
 *
 * const rooms = new Map<string, string[]>();
 * const provider: SandboxProvider = {
 *   start: async ({ key }) => {
 *     if (!rooms.has(key)) rooms.set(key, []);
 *     return { room: key };
 *   },
 *   probe: async ({ key }) => (rooms.has(key) ? { is: 'running', handle: { room: key } } : { is: 'gone' }),
 *   stop: async () => {},
 *   destroy: async ({ key }) => void rooms.delete(key),
 * };
 * assert.deepEqual(await provider.start({ key: 'r1', run: 'r', name: 'box', handle: undefined }), { room: 'r1' });
 */
export interface SandboxProvider {
  /** Starts a sandbox, or one that was stopped again, in place. Its answer, the handle, is handed to tools. */
  start(ask: SandboxAsk): Promise<unknown>;
  /** Tells how a sandbox stands. Read-only. To throw says that this cannot be told now. */
  probe(ask: SandboxAsk): Promise<SandboxState>;
  /** Stops a sandbox, also one that is being started; what it holds stays. Nothing happens where there is none. */
  stop(ask: SandboxAsk): Promise<void>;
  /** Destroys a sandbox, if there is one, with all that it holds. */
  destroy(ask: SandboxAsk): Promise<void>;
  /** Keeps the contents of a sandbox that runs. @returns their name, for {@link SandboxProvider.restore}. @throws where it is gone. */
  snapshot?(ask: SandboxAsk): Promise<unknown>;
  /** Gives a sandbox that runs the contents of a snapshot, which may be of an earlier one. */
  restore?(ask: SandboxAsk, snapshot: unknown): Promise<void>;
}
