/** The sandboxes of a run for its readers (semantics.md §30). */
import type { RunState } from '../projection/run-state.ts';

/** A sandbox as its run knows it. */
export interface SandboxReport {
  readonly name: string;
  /** The name that its provider knows it by. */
  readonly key: string;
  readonly provider: string;
  readonly is: 'starting' | 'running' | 'stopped' | 'gone';
  /** The wall clock of that, in milliseconds. */
  readonly since: number;
  /** The answer of its start; left out while none is known. */
  readonly handle?: unknown;
  /** The number of calls that only the sandbox has, and of those that a snapshot has. */
  readonly calls: number;
  readonly kept: number;
}

/** The sandboxes of a run, each name with the newest. */
export function sandboxReports({ sandboxes, redaction }: RunState): readonly SandboxReport[] {
  return [...sandboxes.all.values()].map(({ name, key, provider, is, since, handle, fresh, covered }) => ({
    ...{ name, key, provider, since, calls: fresh.size, kept: covered.size },
    is: is === 'started' ? ('running' as const) : is,
    ...(handle !== null && { handle: redaction.isActive ? '(hidden)' : handle.is }),
  }));
}

/** A handle as a person reads it: its fields where it is a record. */
export function handleText(handle: unknown): string {
  if (handle === undefined) return '';
  if (typeof handle !== 'object' || handle === null) return String(handle);
  const plain = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));
  return Object.entries(handle)
    .map(([name, value]) => `${name} ${plain(value)}`)
    .join(', ');
}
