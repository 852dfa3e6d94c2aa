/** The pools of a store in memory. */
import { Freed } from '../claims.ts';
import {
  hasRoom,
  heldIn,
  type Pool,
  type PoolChange,
  type PoolDesk,
  type PoolListed,
  type Reserved,
} from '../pools.ts';

interface Kept {
  limit: number;
  spent: number;
  /** By run and call. */
  readonly reserved: Map<string, Reserved>;
  readonly spentBy: Map<string, number>;
}

/** The pools of one store. */
export class MemoryPools implements PoolDesk {
  readonly pollMs = 1_000;
  readonly #pools = new Map<string, Kept>();
  readonly #refuseIfClosed: () => void;
  readonly #freed = new Freed();

  constructor(refuseIfClosed: () => void) {
    this.#refuseIfClosed = refuseIfClosed;
  }

  join(name: string, limit: number): number {
    this.#refuseIfClosed();
    const kept = this.#pools.get(name) ?? { limit, spent: 0, reserved: new Map(), spentBy: new Map() };
    this.#pools.set(name, kept);
    return kept.limit;
  }

  pool(name: string): Pool | null {
    this.#refuseIfClosed();
    const kept = this.#pools.get(name);
    return kept === undefined ? null : poolOf(name, kept);
  }

  list(): readonly PoolListed[] {
    this.#refuseIfClosed();
    return [...this.#pools]
      .map(([name, kept]) => ({
        ...poolOf(name, kept),
        spentBy: [...kept.spentBy].map(([run, spent]) => ({ run, spent })).sort((a, b) => (a.run < b.run ? -1 : 1)),
      }))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  limit(name: string, limit: number): boolean {
    this.#refuseIfClosed();
    const kept = this.#pools.get(name);
    if (kept !== undefined) kept.limit = limit;
    this.#freed.tell();
    return kept !== undefined;
  }

  onFreed(listener: () => void): () => void {
    return this.#freed.onFreed(listener);
  }

  /** Makes the changes of a commit of a run, in their order. */
  change(run: string, changes: readonly PoolChange[]): void {
    for (const { pool, call, amount, spent, open } of changes) {
      const kept = this.#pools.get(pool);
      if (kept === undefined) continue;
      kept.spent += spent;
      if (spent !== 0) kept.spentBy.set(run, (kept.spentBy.get(run) ?? 0) + spent);
      const id = JSON.stringify([run, call]);
      const before = kept.reserved.get(id)?.amount ?? 0;
      const held = heldIn([...kept.reserved.values()]);
      const now = hasRoom({ ...kept, held }, before, amount) ? amount : before;
      if (now === 0) kept.reserved.delete(id);
      else kept.reserved.set(id, { run, call, amount: now, open });
    }
    if (changes.length > 0) this.#freed.tell();
  }

  /** A run was deleted: what its calls have reserved counts as spent. */
  deleted(run: string): void {
    for (const [pool, { reserved }] of this.#pools)
      for (const { run: owner, call, amount } of [...reserved.values()])
        if (owner === run) this.change(run, [{ pool, call, amount: 0, spent: amount, open: false }]);
  }
}

function poolOf(name: string, { limit, spent, reserved }: Kept): Pool {
  return { name, limit, spent, reserved: [...reserved.values()] };
}
