/** What the calls of a run reserve in the pools of its store (semantics.md ER10 to ER13). */
import { PROCESS } from '../../clock/clock.ts';
import { admission, times } from '../../effects/budgets.ts';
import { underEither } from '../../effects/either.ts';
import { failed, type PoolPass, type Reply } from '../../effects/guarded-call.ts';
import { PoolSpent, roomFor } from '../../effects/pools.ts';
import type { PoolDesk } from '../../journal/pools.ts';
import type { SpendEntry } from '../../model/call-entries.ts';
import type { InstanceId } from '../../model/instance.ts';
import type { Call } from '../../runtime/runtime.ts';
import type { RunParts, RunWriter } from '../parts.ts';

/** A call, as its pools know it. */
type PooledCall = Pick<Call, 'tool' | 'input' | 'signal'>;

/** The part of a run in the pools of its store. */
export class Pooling {
  readonly #parts: RunParts;
  readonly #write: RunWriter;
  readonly #cancelled = new AbortController();
  /** The wall clock since which each call waits for room, in milliseconds. */
  readonly #waits = new Set<{ readonly since: number }>();

  constructor(parts: RunParts, write: RunWriter) {
    this.#parts = parts;
    this.#write = write;
  }

  /** Ends every wait: a person has ended the run. */
  cancel(): void {
    this.#cancelled.abort();
  }

  /**
   * The wall clock at which a call that waits for room asks again, whatever process has the run by then; null where no call waits. A long wait puts
   * the time off: a worker keeps the run for a while, and then gives the place to a run that the call waits for.
   */
  get next(): number | null {
    const now = this.#parts.now();
    const times = [...this.#waits].map(({ since }) => now + 2 * (now - since));
    return times.length === 0 ? null : Math.min(...times);
  }

  /** The pass of a call; undefined where the config names no pool. `admits`: what the last try was admitted for. */
  pass(call: PooledCall, instance: InstanceId, admits: () => SpendEntry['amounts']): PoolPass | undefined {
    const { pools, config } = this.#parts;
    if (pools === null) return undefined;
    return {
      room: (of) => this.#room(pools, call, instance, of),
      has: (of) => this.#has(pools, of),
      back: (of) => [{ do: 'spend', of, is: 'admitted', amounts: times(admits(), -1) }],
      unmade: (of) => {
        const own = Object.entries(admits()).filter(([name, amount]) => config.pools.has(name) && amount > 0);
        if (own.length === 0) return [];
        return [{ do: 'spend', of, is: 'admitted', amounts: times(Object.fromEntries(own), -1) }];
      },
    };
  }

  /**
   * Settles what the process before has left of calls without a key: such a call may have spent the most that it was admitted for, and its
   * next try is another call. One that its pool has refused has never left.
   */
  async takenUp(): Promise<void> {
    const { pools, runState } = this.#parts;
    if (pools === null) return;
    for (const [of, { calls: _, time: __, ...amounts }] of [...runState.budgets.parts.admitted]) {
      if (runState.ledger.get(of) !== undefined) continue;
      const isRefused = !(await this.#has(pools, of));
      this.#write.append([{ do: 'spend', of, is: 'charged', amounts: isRefused ? times(amounts, 0) : amounts }]);
    }
  }

  /** Waits until every pool has room for a call. @returns the refusal of a full pool; null where there is room, or the call is not made any more. */
  async #room(pools: PoolDesk, call: PooledCall, instance: InstanceId, of: string): Promise<Reply | null> {
    const { lifecycle, activity } = this.#parts;
    const waits = { since: this.#parts.now() };
    const room = underEither([call.signal, lifecycle.leave, this.#cancelled.signal], async (stop) => {
      for (let isFound = false; ; isFound = true) {
        if (stop.aborted) return null;
        const wait = freedIn(pools, stop);
        try {
          const lacking = await this.#lackingStill(pools, call, of);
          if (lacking === null) return null;
          if (lacking.is === 'refused')
            return failed('GOVERNOR_DENIED', new PoolSpent(lacking.pool, lacking.why), null);
          if (!isFound) this.#tell(lacking.why, instance);
          this.#waits.add(waits);
          await activity.waitFor(wait.freed);
        } finally {
          wait.end();
        }
      }
    });
    return room.finally(() => this.#waits.delete(waits));
  }

  /** The same once what this run gives back itself is durable. */
  async #lackingStill(pools: PoolDesk, call: PooledCall, of: string) {
    const seen = await this.#lacking(pools, call, of);
    if (seen?.is !== 'refused') return seen;
    await this.#write.durable();
    return this.#lacking(pools, call, of);
  }

  /** The first pool with too little room for a call; null for none. */
  async #lacking(pools: PoolDesk, { tool: name, input: args }: PooledCall, of: string) {
    const { config, runState, run } = this.#parts;
    const tool = config.tools.get(name);
    const asked = admission(config.budgets, runState.budgets, tool, args, { pools: config.pools, of });
    if ('refused' in asked) return null;
    for (const [budget, name] of config.pools) {
      const more = asked.admits[budget] ?? 0;
      const amount = (runState.budgets.admitted(of)[budget] ?? 0) + more;
      const pool = more > 0 ? await pools.pool(name) : null;
      const room = pool === null ? null : roomFor(pool, { run, call: of, amount });
      if (room !== null) return { pool: name, ...room };
    }
    return null;
  }

  /** True where the pools of the store have what a call was admitted for. */
  async #has(pools: PoolDesk, of: string): Promise<boolean> {
    const { config, runState, run } = this.#parts;
    for (const [budget, name] of config.pools) {
      const amount = runState.budgets.admitted(of)[budget] ?? 0;
      if (amount === 0) continue;
      const pool = await pools.pool(name);
      const held = pool?.reserved.find((each) => each.run === run && each.call === of)?.amount ?? 0;
      if (pool !== null && held < amount) return false;
    }
    return true;
  }

  #tell(why: string, instance: InstanceId): void {
    const finding = { do: 'finding', code: 'waits_for_pool', instance, text: `waits: ${why}` } as const;
    this.#write.append([finding]);
    this.#parts.onFinding(finding);
  }
}

/** Resolves once a pool may have room: where this process gives something back, at the next look, or where the wait ends. */
function freedIn(pools: PoolDesk, stop: AbortSignal) {
  let resolve = () => {};
  const freed = new Promise<void>((resolved) => {
    resolve = resolved;
  });
  const alarm = PROCESS.after(pools.pollMs, () => resolve());
  const stopFreed = pools.onFreed(() => resolve());
  stop.addEventListener('abort', resolve, { once: true });
  const end = () => {
    alarm.cancel();
    stopFreed();
    stop.removeEventListener('abort', resolve);
  };
  return { freed, end };
}
