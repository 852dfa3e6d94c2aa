/** The world of the zoo: it is looked at, and things are sent into it. */
import type { Reconciler } from '../../../src/effects/counterparty.ts';

export const FAULTS = ['throws', 'loses reply', 'is silent'] as const;
export type ZooFault = (typeof FAULTS)[number];

export class ZooWorld {
  readonly calls: string[] = [];
  readonly #acts = new Map<string, { value: string; stands: boolean }>();
  /** What was looked at wrongly, until it is found. */
  wrong: string | null = null;
  #fault: { kind: ZooFault; call: number } | null = null;

  fails(kind: ZooFault, call: number): this {
    this.#fault = { kind, call };
    return this;
  }

  get standing(): string[] {
    return [...this.#acts.values()]
      .filter(({ stands }) => stands)
      .map(({ value }) => value)
      .sort();
  }

  async look(of: string): Promise<string> {
    const fault = this.#called(`look ${of}`);
    await new Promise((resolve) => setTimeout(resolve, 2));
    if (fault === 'is silent') return new Promise(() => {});
    if (fault !== null) throw new Error('cannot look');
    return this.wrong === of ? `not ${of}` : `<${of}>`;
  }

  async send(value: string, key: string | undefined): Promise<string> {
    const fault = this.#called(`send ${value}`);
    await new Promise((resolve) => setTimeout(resolve, 2));
    if (fault === 'throws') throw new Error('connection refused');
    const name = key ?? `no key ${this.#acts.size}`;
    const known = this.#acts.get(name);
    if (known === undefined || !known.stands) this.#acts.set(name, { value, stands: true });
    if (fault === 'loses reply') throw new Error('connection reset');
    if (fault === 'is silent') return new Promise(() => {});
    return `receipt of ${this.#acts.get(name)?.value}`;
  }

  readonly undo = async ({ key }: { readonly key: string }): Promise<void> => {
    const act = this.#acts.get(key);
    if (act !== undefined) act.stands = false;
  };

  readonly ask: Reconciler = ({ key }) => {
    const act = this.#acts.get(key);
    return act?.stands === true ? { is: 'applied', output: `receipt of ${act.value}` } : { is: 'not_applied' };
  };

  #called(what: string): ZooFault | null {
    this.calls.push(what);
    if (this.#fault === null || this.calls.length !== this.#fault.call) return null;
    const { kind } = this.#fault;
    this.#fault = null;
    return kind;
  }
}
