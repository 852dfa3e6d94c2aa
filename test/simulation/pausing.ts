/** A person who pauses a run at some call and has it go on a while later, or after its process is gone (LC10). */
import type { Sidecar } from 'belay-sidecar/xstate';
import { Chance } from './chance.ts';
import type { Fault } from './scenario.ts';
import type { World } from './world.ts';

/** A pause that a run is to have. */
type Pause = Extract<Fault, { fault: 'pause' }>;

/** Draws pauses from a stream of their own: the rest of the scenario is the same without them. */
export function drawPauses(seed: number, index: number, calls: number): Fault[] {
  const chance = new Chance(seed ^ 0x6a09e667, index);
  return Array.from({ length: chance.int(1, 3) }, () => {
    return { fault: 'pause' as const, calls: chance.int(1, calls + 1), ms: chance.int(0, 6), lasts: chance.int(0, 40) };
  });
}

/** The run, as the person sees it. */
interface Watched {
  readonly world: World;
  /** The sidecar of the process that lives; null where none does, or it can be told nothing. */
  sidecar(): Sidecar | null;
  /** Has the next process find a message that says unpause. */
  leave(): void;
  tell(text: string): void;
}

/** The person. */
export class Pauser {
  readonly #watched: Watched;
  readonly #faults: readonly Fault[];
  /** True while the run was told to stand still, and not to go on. */
  #isPaused = false;

  constructor(faults: readonly Fault[], watched: Watched) {
    this.#faults = faults;
    this.#watched = watched;
  }

  /** A call has begun. @param isHeld true where it is one of a publication, which may have begun before. */
  onCall(isHeld: boolean): void {
    const { world } = this.#watched;
    if (this.#watched.sidecar()?.status === 'paused' && !isHeld) world.leftWhilePaused += 1;
    for (const fault of this.#faults) {
      if (fault.fault !== 'pause' || world.fired.has(fault) || world.calls.length < fault.calls) continue;
      world.fired.add(fault);
      setTimeout(() => void this.#pause(fault), fault.ms);
    }
  }

  async #pause({ lasts }: Pause): Promise<void> {
    const sidecar = this.#watched.sidecar();
    if (sidecar === null || this.#isPaused || !['running', 'recovering', 'parked', 'stuck'].includes(sidecar.status))
      return;
    const paused = sidecar.pause({ by: 'ann' });
    // From the word on nothing leaves.
    this.#isPaused = sidecar.status === 'paused';
    await paused.catch(() => {});
    this.#watched.tell('paused');
    setTimeout(() => void this.goOn(), lasts);
  }

  /** Has the run go on: by its process where one lives, else by a message that the next one hears. @param isSure true where the run itself has said that it is paused. */
  async goOn(isSure = false): Promise<void> {
    if (!this.#isPaused && !isSure) return;
    this.#isPaused = false;
    const sidecar = this.#watched.sidecar();
    this.#watched.tell(sidecar === null ? 'unpaused by a message' : 'unpaused');
    if (sidecar === null) this.#watched.leave();
    else await sidecar.unpause({ by: 'bob' }).catch(() => {});
  }
}
