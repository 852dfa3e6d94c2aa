/** A machine whose units pay, one after the other or side by side: what it pays is told by a list, as a model that plans would tell it. */
import { assign, setup } from 'xstate';
import type { BoundaryConfig } from '../../src/boundaries/config.ts';
import { loadConfig } from '../../src/boundaries/load.ts';
import { NotApplied } from '../../src/effects/signals.ts';
import type { ToolCall } from '../../src/runtime/tool-call.ts';
import { tool } from '../../src/xstate/tool.ts';

/** A payment that a unit asks for. */
export interface Payment {
  readonly invoice: string;
  readonly cents: number;
}

/** The classes of payments that the tests draw. */
export type PayClass = 'idempotent' | 'compensable' | 'irreversible';

/** The config of two units that pay. `how` adds to the tool. */
export function payers(effect: PayClass, once = 'once: [args.invoice]', how = ''): BoundaryConfig {
  const undo = effect === 'compensable' ? 'undo: refund, ' : '';
  const { config, findings } = loadConfig(
    `belay: 1
agent: payers
tools:
  pay: { reads: [], writes: [], effect: ${effect}, reconcile: asked, ${undo}${once}${how} }
  rest: { reads: [], writes: [], effect: none }
skeletons:
${['first', 'second', 'third']
  .map(
    (name) => `  ${name}:
    entity: '"it"'
    states: [${name}]
    entry: [${name}]
    inputs: []
    outputs: [${name}]
    exit: [{ id: ${name}-over, at: "${name} -> ${name}Over", when: "true" }]
    rollback: { anchors: [${name}-over], compensable: undo }`,
  )
  .join('\n')}
`,
    { file: 'payers.yaml' },
  );
  if (config === null) throw new Error(JSON.stringify(findings));
  return config;
}

/** The world: payments that were made, by their keys, and what is to become of the next ones. */
export class Bank {
  /** Every act and every refund, in order. */
  readonly acts: {
    readonly key: string;
    readonly invoice: string;
    readonly cents: number;
    readonly is: 'paid' | 'refunded';
  }[] = [];
  /** What becomes of the calls to come, in their order: `lost` pays and throws, `refused` does not pay, `held` waits until it is let go. */
  next: ('paid' | 'lost' | 'refused' | 'held')[] = [];
  /** True where it does not say what became of a call. */
  silent = false;
  release: () => void = () => {};
  readonly #paid = new Map<string, Payment & { number: number }>();

  readonly pay = async ({ key = '', input }: ToolCall<Payment>): Promise<number> => {
    const how = this.next.shift() ?? 'paid';
    if (how === 'refused') throw new NotApplied('the bank is closed');
    if (how === 'held')
      await new Promise<void>((resolve) => {
        this.release = resolve;
      });
    const number = this.#make(key, input);
    if (how === 'lost') throw new Error('the reply was lost');
    return number;
  };

  #make(key: string, input: Payment): number {
    const known = this.#paid.get(key);
    if (known !== undefined) return known.number;
    const number = this.#paid.size + 1;
    this.#paid.set(key, { ...input, number });
    this.acts.push({ key, invoice: input.invoice, cents: input.cents, is: 'paid' });
    return number;
  }

  readonly undos = {
    refund: async ({ key }: { key: string }) => {
      const paid = this.#paid.get(key) as Payment;
      this.acts.push({ key, invoice: paid.invoice, cents: paid.cents, is: 'refunded' });
    },
  };

  readonly reconcilers = {
    asked: async ({ key }: { key: string }) => {
      if (this.silent) return { is: 'unknown' } as const;
      const paid = this.#paid.get(key);
      return paid === undefined ? ({ is: 'not_applied' } as const) : ({ is: 'applied', output: paid.number } as const);
    },
  };

  /** Knows a payment from before. */
  remember({ key, invoice, cents }: { key: string } & Payment): void {
    this.#make(key, { invoice, cents });
  }

  /** The payments of an invoice that stand. */
  standing(invoice: string): number {
    const of = this.acts.filter((each) => each.invoice === invoice);
    return of.filter(({ is }) => is === 'paid').length - of.filter(({ is }) => is === 'refunded').length;
  }
}

/** A machine of up to three units, each of which pays one thing, and waits for `go` behind it. An error leads on, as a model would. */
export function machineOf(bank: Bank, plan: (unit: string) => Payment, units: readonly string[] = ['first', 'second']) {
  const paying = (name: string, next: string) => ({
    [name]: {
      invoke: {
        src: 'pay' as const,
        input: () => plan(name),
        onDone: { target: `${name}Over`, actions: assign(({ event }) => ({ [name]: event.output as unknown })) },
        onError: {
          target: `${name}Over`,
          actions: assign(({ event }) => ({ [name]: (event.error as { code?: string }).code ?? 'error' })),
        },
      },
    },
    [`${name}Over`]: { on: { go: next } },
  });
  const states = Object.assign({}, ...units.map((name, index) => paying(name, units[index + 1] ?? 'end')));
  return setup({
    types: { context: {} as Record<string, unknown> },
    actors: { pay: tool(bank.pay) },
  }).createMachine({
    id: 'payers',
    context: {},
    initial: 'idle',
    states: { idle: { on: { go: units[0] as string } }, ...states, end: { type: 'final' } },
  });
}
