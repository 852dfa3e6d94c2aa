/** One entry into the function of a loop: what it has come to since, and what waits for the round that is under way. */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { ReceivingEntry } from '../runtime/receiving.ts';
import type { Act } from '../runtime/tool-call.ts';

/** The ways out of a loop's function, as it is executed. */
export interface Ways {
  call(tool: string, id: string, input: unknown, act: Act): Promise<unknown>;
  think(question: unknown, act: Act): Promise<unknown>;
  receive(said: unknown): Promise<unknown>;
  readonly input: unknown;
}

/** A call that the function asks for. */
export interface Asked {
  readonly name: string;
  readonly tool: string;
  readonly input: unknown;
  /** The digest of its input. */
  readonly is: string;
  readonly act: Act;
  readonly answer: (output: unknown) => void;
}

/** The code of which call runs here, for a call within a call. */
const within = new AsyncLocalStorage<string>();

/** The act of a call, in which no other call can be asked for. */
export function enclosed(name: string, act: Act): Act {
  return (call) => within.run(name, () => act(call));
}

/** One entry. */
export class Entry implements ReceivingEntry {
  isStale = false;
  isOver = false;
  /** The names of the calls that it has come to. */
  readonly taken = new Set<string>();
  /** The calls that wait until the calls before them are answered. */
  queue: Asked[] = [];
  waiting: ((input: unknown) => void) | null = null;
  received = 0;
  thoughts = 0;
  isOpening = false;

  /** The reason why the function cannot come to a call now; null where it can. */
  refused(name: string): string | null {
    const outer = within.getStore();
    if (outer !== undefined)
      return `"${name}" was asked for within "${outer}", which is one call: make it before that one, or behind it`;
    if (this.isOver) return `"${name}" was asked for behind the end of the loop: await its calls`;
    if (this.waiting !== null) return `"${name}" was asked for beside receive(): await its calls before`;
    if (this.taken.has(name)) return `"${name}" was asked for before: give each call an id of its own`;
    return null;
  }
}
