/** The sandboxes of one run, as its journal tells them (semantics.md SB1). */
import type { SandboxEntry } from '../model/sandbox-entry.ts';

/** One sandbox. */
export interface Sandbox {
  readonly name: string;
  readonly key: string;
  /** The number of sandboxes of that name before it. */
  readonly nth: number;
  readonly provider: string;
  is: 'starting' | 'started' | 'stopped' | 'gone';
  /** The answer of its start; null while none is known. */
  handle: { readonly is: unknown } | null;
  /** The wall clock since which the sandbox is in its state, in milliseconds; while it starts, of the last start. */
  since: number;
  /** The last snapshot of the contents; null where there is none, or where a call in the snapshot was undone since. */
  snapshot: { readonly is: unknown } | null;
  /** The calls whose effects the snapshot has. */
  readonly covered: Set<string>;
  /** The calls whose effects only the sandbox itself has. */
  readonly fresh: Set<string>;
}

/** The sandboxes of one run, each name with the newest. */
export class Sandboxes {
  readonly all = new Map<string, Sandbox>();

  take(entry: SandboxEntry, time: number): void {
    const known = this.all.get(entry.name);
    if (entry.is === 'starting') {
      if (known?.key === entry.key) Object.assign(known, { is: 'starting', since: time });
      else this.#begin(entry, known, time);
      return;
    }
    if (known?.key !== entry.key) return;
    if (entry.is === 'kept') {
      for (const key of known.fresh) known.covered.add(key);
      known.fresh.clear();
      known.snapshot = { is: entry.snapshot };
      return;
    }
    Object.assign(known, { is: entry.is, since: time });
    if (entry.is === 'started') known.handle = { is: entry.handle };
  }

  /** A call in a sandbox has happened, or was taken back. */
  settle(name: string, key: string, status: 'confirmed' | 'compensated'): void {
    const box = this.all.get(name);
    if (box === undefined) return;
    if (status === 'confirmed') {
      if (!box.covered.has(key)) box.fresh.add(key);
      return;
    }
    box.fresh.delete(key);
    if (!box.covered.delete(key)) return;
    // The snapshot has what is undone now: it is no way back any more.
    box.snapshot = null;
    for (const each of box.covered) box.fresh.add(each);
    box.covered.clear();
  }

  /** Them as plain data, for a base. */
  get saved() {
    return [...this.all.values()].map((box) => ({ ...box, covered: [...box.covered], fresh: [...box.fresh] }));
  }

  /** Goes on from what a base has. */
  resumeAt(saved: Sandboxes['saved']): void {
    for (const box of saved)
      this.all.set(box.name, { ...box, covered: new Set(box.covered), fresh: new Set(box.fresh) });
  }

  #begin(entry: Extract<SandboxEntry, { is: 'starting' }>, before: Sandbox | undefined, since: number): void {
    const { name, key, provider, is } = entry;
    const snapshot = before?.snapshot ?? null;
    // Nothing was undone between: what the snapshot has, the new one will have.
    const covered = new Set(before?.covered);
    const nth = before === undefined ? 0 : before.nth + 1;
    this.all.set(name, { name, key, nth, provider, is, handle: null, since, snapshot, covered, fresh: new Set() });
  }
}
