/** Watches the life of every run in this process: each state that it comes to, and each change from one to the next. */
import { Lifecycle } from '../../src/sidecar/lifecycle/lifecycle.ts';
import type { Configuration } from '../../src/sidecar/lifecycle/table.ts';

/** The changes that were seen, each with how often. */
export type Changes = Map<string, { readonly from: Configuration; readonly to: Configuration; count: number }>;

/** Watches while something runs. @returns every change of a run's life that it made. */
export async function watchingLives(run: () => Promise<void>): Promise<Changes> {
  const changes: Changes = new Map();
  const last = new WeakMap<Lifecycle, Configuration>();
  const { moved } = Lifecycle.prototype;
  Lifecycle.prototype.moved = function watched(this: Lifecycle): void {
    const [from, to] = [last.get(this), this.configuration];
    last.set(this, to);
    const name = `${textOf(from ?? to)} -> ${textOf(to)}`;
    const known = changes.get(name) ?? { from: from ?? to, to, count: 0 };
    known.count += 1;
    changes.set(name, known);
    moved.call(this);
  };
  try {
    await run();
  } finally {
    Lifecycle.prototype.moved = moved;
  }
  return changes;
}

function textOf(configuration: Configuration): string {
  return Object.values(configuration).join(' ');
}
