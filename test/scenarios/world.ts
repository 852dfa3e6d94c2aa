/** A world of its own for a toy machine: it logs what was done to it, answers what it was asked, and fails where it is told to. */
import type { Reconciler } from '../../src/effects/counterparty.ts';

/** Where a run fails, once: in a tool before its effect, after it with the reply lost, by silence; in an assign or a guard. */
export const FAULTS = ['before', 'after', 'timeout', 'assign', 'guard'] as const;
export type Fault = (typeof FAULTS)[number];

/** One run's world. `fault` is what goes wrong at `site`, the first time that control comes there. */
export class World {
  /** What was done, in order. A key that was seen before is answered from memory and does nothing. */
  readonly acts: string[] = [];
  /** Calls of tools that do nothing to the world. */
  readonly looks: string[] = [];
  readonly #applied = new Map<string, unknown>();
  readonly #fault: Fault | null;
  readonly #site: string;
  #tripped = false;

  constructor(fault: Fault | null = null, site = '') {
    this.#fault = fault;
    this.#site = site;
  }

  get tripped(): boolean {
    return this.#tripped;
  }

  /** Throws at a site of the machine's own code, if that is where it fails. */
  trip(kind: 'assign' | 'guard', site: string): void {
    if (this.#fires(kind, site)) throw new Error(`${kind} failed`);
  }

  /** A tool that only looks. */
  async look<T>(site: string, answer: T): Promise<T> {
    this.looks.push(site);
    if (this.#fires('before', site) || this.#fires('after', site)) throw new Error('cannot look');
    if (this.#fires('timeout', site)) return silence();
    return answer;
  }

  /** A tool that does something, once for each key. */
  async act<T>(site: string, key: string | undefined, answer: T): Promise<T> {
    const name = key ?? `no key ${this.acts.length}`;
    if (this.#fires('before', site)) throw new Error('connection refused');
    if (this.#fires('timeout', site)) return silence();
    if (this.#applied.has(name)) return this.#applied.get(name) as T;
    this.#applied.set(name, answer);
    this.acts.push(`${site} ${JSON.stringify(answer)}`);
    if (this.#fires('after', site)) throw new Error('connection reset');
    return answer;
  }

  /** Answers whether a call has happened. */
  readonly ask: Reconciler = ({ key }) =>
    this.#applied.has(key) ? { is: 'applied', output: this.#applied.get(key) } : { is: 'not_applied' };

  #fires(kind: Fault, site: string): boolean {
    if (this.#tripped || this.#fault !== kind || this.#site !== site) return false;
    this.#tripped = true;
    return true;
  }
}

function silence(): Promise<never> {
  return new Promise(() => {});
}
