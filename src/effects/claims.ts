/**
 * Claims keep runs apart that touch the same things outside: what a run has touched is its own until the run is over, or gives it
 * free. A run that wants it meanwhile waits in line; two that would wait for each other are told, and one of them is refused.
 */

import { type Key, overlaps } from '../model/key.ts';
import { type Alarm, setAlarm } from './alarm.ts';

/** The thing that a run wants to have to itself; `shared`: with others who want it shared. */
export interface Claim {
  readonly key: Key;
  readonly shared: boolean;
}

/** The claims of runs. One for all runs that may meet. */
export interface Claims {
  /**
   * Takes claims for a run, all at once, and waits where others have them. A run takes what it has once more at no cost.
   * @param waits told once, with the reason, where it has to wait.
   * @returns null once the run has them, or why it does not get them; null as well where `signal` has ended the wait.
   */
  take(
    run: string,
    wanted: readonly Claim[],
    signal: AbortSignal,
    waits: (reason: string) => void,
  ): Promise<string | null>;
  /** Gives everything free that a run has: it is over. A run that was given up stays in the way until this is called for it. */
  release(run: string): void;
}

interface Waiter {
  readonly run: string;
  readonly wanted: readonly Claim[];
  settle(reason: string | null): void;
}

/**
 * Claims for the runs of one process.
 * @param patience how long a call waits before it is refused, in milliseconds; left out, as long as it takes.
 * @example
 * import { claimsInMemory, type SidecarOptions } from 'belay-sidecar';
 *
 * const claims = claimsInMemory({ patience: 10_000 });
 * const shared: Pick<SidecarOptions, 'claims'> = { claims }; // to attach() each of the runs with
 * assert.equal(shared.claims, claims);
 */
export function claimsInMemory({ patience = Number.POSITIVE_INFINITY }: { readonly patience?: number } = {}): Claims {
  return new MemoryClaims(patience);
}

class MemoryClaims implements Claims {
  readonly #patience: number;
  readonly #held = new Map<string, Claim[]>();
  #line: Waiter[] = [];

  constructor(patience: number) {
    this.#patience = patience;
  }

  async take(
    run: string,
    wanted: readonly Claim[],
    signal: AbortSignal,
    waits: (reason: string) => void,
  ): Promise<string | null> {
    if (signal.aborted) return null;
    const owners = this.#owners(run, wanted);
    const [first] = owners;
    if (first === undefined) {
      this.#hold(run, wanted);
      this.#breakCircles();
      return null;
    }
    const circle = this.#circle(run, owners);
    if (circle !== null) return circle;
    if (this.#patience <= 0) return heldBy(first);
    waits(heldBy(first));
    return new Promise((resolve) => {
      let late: Alarm | undefined;
      const settle = (refused: string | null) => {
        late?.cancel();
        signal.removeEventListener('abort', leave);
        this.#line = this.#line.filter((each) => each !== waiter);
        resolve(refused);
      };
      const leave = () => settle(null);
      const waiter: Waiter = { run, wanted, settle };
      this.#line.push(waiter);
      signal.addEventListener('abort', leave);
      const now = () => Date.now();
      if (Number.isFinite(this.#patience)) late = setAlarm(now() + this.#patience, now, () => settle(heldBy(first)));
    });
  }

  /** Grants what no other run holds any more, in the order in which runs asked. */
  release(run: string): void {
    this.#held.delete(run);
    for (const waiter of [...this.#line]) {
      if (this.#owners(waiter.run, waiter.wanted).length > 0) continue;
      this.#hold(waiter.run, waiter.wanted);
      waiter.settle(null);
    }
    this.#breakCircles();
  }

  /** Refuses runs that wait in a circle: a run that waits with one call may be given with another what closes one. */
  #breakCircles(): void {
    for (const waiter of this.#line) {
      const circle = this.#circle(waiter.run, this.#owners(waiter.run, waiter.wanted));
      if (circle !== null) waiter.settle(circle);
    }
  }

  /** The reason why a run must not wait for others: one of them waits for it. */
  #circle(run: string, owners: readonly Owner[]): string | null {
    const circle = owners.find((owner) => this.#waitsFor(owner.run, run));
    return circle === undefined ? null : `${heldBy(circle)}, which waits for what this run holds`;
  }

  /** The others who have something of what a run wants. */
  #owners(run: string, wanted: readonly Claim[]): Owner[] {
    return [...this.#held].flatMap(([other, claims]) => {
      const met = other === run ? undefined : claims.find((claim) => wanted.some((want) => meet(claim, want)));
      return met === undefined ? [] : [{ run: other, key: met.key }];
    });
  }

  /** True where a run waits for another one, or for one that waits for it. */
  #waitsFor(run: string, other: string, seen = new Set<string>()): boolean {
    if (seen.has(run)) return false;
    seen.add(run);
    const own = this.#line.filter((each) => each.run === run);
    const owners = own.flatMap(({ wanted }) => this.#owners(run, wanted));
    return owners.some((owner) => owner.run === other || this.#waitsFor(owner.run, other, seen));
  }

  #hold(run: string, wanted: readonly Claim[]): void {
    const own = this.#held.get(run) ?? [];
    const has = ({ key, shared }: Claim) => own.some((each) => each.key.text === key.text && (shared || !each.shared));
    this.#held.set(run, [...own, ...wanted.filter((claim) => !has(claim))]);
  }
}

/** Another run that has something, and what. */
interface Owner {
  readonly run: string;
  readonly key: Key;
}

function heldBy({ run, key }: Owner): string {
  return `${key.text} is held by the run ${run}`;
}

function meet(a: Claim, b: Claim): boolean {
  return !(a.shared && b.shared) && overlaps(a.key, b.key);
}
