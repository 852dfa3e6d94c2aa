/** The delayed events of a run, as the fault has them come. */
import type { DelayedEvent, Delays } from '../../xstate/delays.ts';
import type { RehearsedFault, TimerFault } from '../faults/fault.ts';
import type { Observation, ObservedTimer } from './observation.ts';
import type { Life } from './passing.ts';

const DAY = 86_400_000;

/** Sees the delayed events of one run, over all of its processes. */
export class Delayed {
  /** True once the fault has happened. */
  fired = false;
  readonly #fault: TimerFault | null;
  readonly #seen: Observation;
  readonly #kill: () => void;
  /** Those that are armed, by their keys. */
  readonly #armed = new Map<string, ObservedTimer>();
  #reply: (() => void) | null = null;

  /** @param kill ends the process, with what it has in mind. */
  constructor(fault: RehearsedFault | null, seen: Observation, kill: () => void) {
    this.#fault = fault?.kind === 'timer' ? fault : null;
    this.#seen = seen;
    this.#kill = kill;
  }

  /** Resolves once the delay of the fault rings: for the reply that meets it. */
  meets(): Promise<void> {
    return new Promise((resolve) => {
      this.#reply = resolve;
    });
  }

  /** The delays of a process. A process that is dead hears of none. */
  delays(life: Life): Delays {
    return {
      armed: ({ key, name, delay }) => {
        if (!life.isAlive) return;
        const { timers } = this.#seen;
        const nth = timers.filter((timer) => timer.name === name).length + 1;
        const [armed, due] = [this.#seen.tick(), Date.now() + delay];
        const timer: ObservedTimer = { name, nth, due, rang: false, armed, gone: null };
        timers.push(timer);
        this.#armed.set(key, timer);
      },
      due: (timer) => (life.isAlive ? this.#due(timer) : null),
      gone: ({ key }) => {
        if (life.isAlive) this.#end(key);
      },
    };
  }

  #end(key: string): ObservedTimer | undefined {
    const timer = this.#armed.get(key);
    if (timer !== undefined && timer.gone === null) timer.gone = this.#seen.tick();
    this.#armed.delete(key);
    return timer;
  }

  #due({ key }: DelayedEvent): number | null {
    const timer = this.#end(key);
    if (timer === undefined) return 0;
    const fault = this.#fault;
    const isIt = fault !== null && !this.fired && timer.name === fault.timer && timer.nth === fault.nth;
    const late = isIt ? this.#late(fault) : 0;
    timer.rang = late !== null;
    if (late === 0) this.#seen.tell(`the delay ${timer.name} is over`);
    return late;
  }

  #late({ how, timer }: TimerFault): number | null {
    const reply = this.#reply;
    if ((how === 'timer-first' || how === 'reply-first') && reply === null) return 0;
    this.fired = true;
    switch (how) {
      case 'late':
        this.#seen.tell(`the delay ${timer} is over a day late`);
        return DAY;
      case 'lost':
        this.#kill();
        return null;
      case 'never':
        this.#seen.tell(`the delay ${timer} is never over`);
        return null;
      case 'timer-first':
        // The machine hears of the delay before this function's caller goes on.
        queueMicrotask(() => reply?.());
        return 0;
      case 'reply-first':
        reply?.();
        return 1;
    }
  }
}
