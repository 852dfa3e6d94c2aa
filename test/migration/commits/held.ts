/** Where a run is parked: a call that does not come back, a question to a person, or an event that does not come. */
import type { AnyStateMachine } from 'xstate';
import { type Act, withTools } from '../../../src/xstate/tools.ts';

/** A wait of a run. */
export interface Wait {
  readonly is: 'call' | 'gate' | 'event';
  /** The tool, or the state. */
  readonly at: string;
  /** The number of the call of that tool, from 1. */
  readonly nth: number;
}

let plain = 0;
const nextPlain = () => {
  plain += 1;
  return plain;
};

/** Counts the calls of a machine's tools, and holds one back. */
export class Holding {
  /** The calls that were met, in their order. */
  readonly met: Wait[] = [];
  isHeld = false;
  /** The number of calls that act at this moment. */
  underWay = 0;
  readonly #wait: Wait | null;
  /** The keys of a run without a sidecar: each call has one of its own. */
  readonly #names: boolean;

  constructor(wait: Wait | null, names: boolean) {
    this.#wait = wait;
    this.#names = names;
  }

  /** A copy of a machine whose tools are counted. */
  around(machine: AnyStateMachine): AnyStateMachine {
    return withTools(machine, (name, act) => this.#holding(name, act));
  }

  #holding(tool: string, act: Act): Act {
    return async (call) => {
      const nth = this.met.filter(({ at }) => at === tool).length + 1;
      this.met.push({ is: 'call', at: tool, nth });
      if (this.#wait?.is !== 'event' && this.#wait?.at === tool && this.#wait.nth === nth) {
        this.isHeld = true;
        return new Promise(() => {});
      }
      this.underWay += 1;
      try {
        return await act(this.#names ? { ...call, key: `plain-${nextPlain()}` } : call);
      } finally {
        this.underWay -= 1;
      }
    };
  }
}
