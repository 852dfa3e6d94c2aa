/** The sandboxes of a store in memory. */
import type { SandboxDesk, SandboxRow } from '../sandboxes.ts';

/** The rows of one store. */
export class MemorySandboxes implements SandboxDesk {
  readonly #rows = new Map<string, { readonly row: SandboxRow; leased: number }>();
  readonly #refuseIfClosed: () => void;

  constructor(refuseIfClosed: () => void) {
    this.#refuseIfClosed = refuseIfClosed;
  }

  put(row: SandboxRow): void {
    this.#refuseIfClosed();
    this.#rows.set(nameOf(row), { row, leased: 0 });
  }

  list(run?: string): readonly SandboxRow[] {
    this.#refuseIfClosed();
    const rows = [...this.#rows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, { row }]) => row);
    return run === undefined ? rows : rows.filter((row) => row.run === run);
  }

  take(now: number, limit: number, leaseMs: number): readonly SandboxRow[] {
    this.#refuseIfClosed();
    const due = [...this.#rows.values()]
      .filter(({ row, leased }) => isDue(row, now) && leased <= now)
      .toSorted((a, b) => (a.row.until ?? 0) - (b.row.until ?? 0))
      .slice(0, limit);
    for (const each of due) each.leased = now + leaseMs;
    return due.map(({ row }) => row);
  }

  remove(row: SandboxRow): void {
    this.#refuseIfClosed();
    const now = this.#rows.get(nameOf(row))?.row;
    if (now?.key === row.key && now.until === row.until) this.#rows.delete(nameOf(row));
  }
}

function nameOf({ run, name }: SandboxRow): string {
  return JSON.stringify([run, name]);
}

function isDue({ until }: SandboxRow, now: number): boolean {
  return until !== null && until <= now;
}
