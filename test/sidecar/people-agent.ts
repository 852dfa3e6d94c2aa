/** A treasury agent for the rules of people (semantics.md PE1 to PE7): it looks up a price, pays once a person approves, and notes the receipt. */
import { assign } from 'xstate';
import type { JournalStore } from '../../src/index.ts';
import { NotApplied } from '../../src/index.ts';
import { attach, resume, type Sidecar, tool } from '../../src/xstate/index.ts';
import { type Given, machineOf } from '../semantics/little.ts';
import { loaded } from './loaded.ts';

/** What the config says of the tool that pays. */
export interface Page {
  readonly effect?: string;
  readonly edits?: string;
  readonly more?: string;
}

export const page = ({ effect = 'compensable, undo: payback', edits = '[args.cents]', more = '' }: Page = {}) =>
  loaded(`belay: 1
agent: m
tools:
  look: { reads: [], writes: [price], effect: idempotent }
  pay:
    { reads: [price], writes: [receipt], effect: ${effect}, gate: { edits: ${edits} }, reconcile: find,
      input: { type: object, properties: { cents: { type: integer, maximum: 1000 }, to: { type: string } } },
      output: { type: string }${more} }
  note: { reads: [receipt], writes: [noted], effect: none }
skeletons:
  LOOK:
    entity: '"it"'
    states: [look]
    entry: [look]
    outputs: [price]
    exit: [{ id: looked, at: look -> pay, when: memory.?price.hasValue() }]
    rollback: { anchors: [looked], resume: look }
  PAY:
    entity: '"it"'
    states: [pay]
    entry: [pay]
    inputs: [price]
    outputs: [receipt]
    exit: [{ id: paid, at: pay -> note, when: memory.?receipt.hasValue() }]
    rollback: { anchors: [paid], resume: pay, compensable: undo }
`);

/** The bank, and what it did. */
export class Treasury {
  readonly paid = new Map<string, unknown>();
  readonly undone: string[] = [];
  readonly bodies: (readonly [string, unknown])[] = [];
  readonly prices: number[] = [500, 700, 900];
  /** What the bank does with each call: it pays, its reply is lost, or it refuses. */
  fates: ('pays' | 'lost' | 'unpaid' | 'refuses')[] = [];
  looks = 0;
  /** True where the bank answers once it is told to. */
  slow = false;
  comes: () => void = () => {};
  notes: unknown[] = [];
  readonly machine = machineOf(
    {
      look: tool(async () => this.prices[this.looks++] ?? 100),
      pay: tool(async ({ input, key = '' }: { input: unknown; key: string | undefined }) => {
        const reply = this.#pay(key, input);
        if (this.slow) await this.#told();
        return reply;
      }),
      note: tool(async ({ input }: { input: unknown }) => this.notes.push(input)),
    },
    {
      context: { price: null },
      initial: 'look',
      states: {
        look: { invoke: { src: 'look', onDone: { target: 'pay', actions: keeps('price') } } },
        pay: {
          invoke: {
            src: 'pay',
            input: ({ context }: Given<unknown>) => ({ cents: context['price'], to: 'ada', for: { what: 'tea' } }),
            onDone: { target: 'note', actions: keeps('receipt') },
          },
        },
        note: {
          invoke: {
            src: 'note',
            input: ({ context }: Given<unknown>) => context['receipt'],
            onDone: { target: 'rest', actions: keeps('noted') },
          },
        },
        rest: { on: { END: 'end' } },
        end: { type: 'final' },
      },
    },
  );

  #told(): Promise<void> {
    return new Promise((resolve) => {
      this.comes = resolve;
    });
  }

  #pay(key: string, input: unknown): string {
    this.bodies.push([key, input]);
    const fate = this.fates.shift() ?? 'pays';
    if (fate === 'refuses') throw new NotApplied('the bank is closed');
    if (fate !== 'unpaid') this.paid.set(key, input);
    if (fate !== 'pays') throw new Error('the line is cut');
    return `paid ${(input as { cents: number }).cents}`;
  }

  options(config = page(), find: 'known' | 'unknown' = 'known') {
    const known = ({ key }: { key: string }) => {
      if (find === 'unknown') return { is: 'unknown' };
      const input = this.paid.get(key) as { cents: number } | undefined;
      return input === undefined ? { is: 'not_applied' } : { is: 'applied', output: `paid ${input.cents}` };
    };
    const payback = ({ key }: { key: string }) => void this.undone.push(key);
    return { config, undo: { payback }, reconcilers: { find: known } };
  }

  async begun(store: JournalStore, more: object = {}): Promise<Sidecar> {
    const options = { ...this.options(), run: 'r', journal: store, keepAlive: false, ...more };
    const sidecar = (await attach(this.machine, options as never)) as unknown as Sidecar;
    sidecar.actor.start();
    void sidecar.finished().catch(() => null);
    return sidecar;
  }

  async resumed(store: JournalStore, more: object = {}): Promise<Sidecar> {
    const options = { ...this.options(), run: 'r', journal: store, keepAlive: false, ...more };
    const sidecar = (await resume(this.machine, options as never)) as unknown as Sidecar;
    sidecar.actor.start();
    void sidecar.finished().catch(() => null);
    return sidecar;
  }
}

function keeps(key: string) {
  return assign({ [key]: ({ event }: { event: { output: unknown } }) => event.output } as never);
}
