/** A rehearsal asks for each act once more, as a model does that plans anew, and reports which acted twice. */
import { describe, expect, test } from 'vitest';
import { assign, setup } from 'xstate';
import { loadConfig } from '../../src/index.ts';
import { rehearse } from '../../src/testing/index.ts';
import { enteredTwice } from '../../src/xstate/entered-twice.ts';
import { tool } from '../../src/xstate/tool.ts';

interface Payment {
  readonly invoice: string;
  readonly sum: number;
}

/** How the machine of a test differs from a plain one. */
interface Habits {
  /** The line of the tool in the config, behind its class. */
  readonly more?: string;
  /** The bank knows an invoice that is paid already. */
  readonly knows?: boolean;
  /** Each call asks for another sum. */
  readonly moods?: boolean;
  /** The state that a refused payment leads to. */
  readonly refused?: 'done' | 'next';
  /** The invoices that are paid, one after the other. */
  readonly invoices?: readonly string[];
}

function bank({ more = '', knows = false, moods = false, refused = 'done', invoices = ['17'] }: Habits = {}) {
  let payments: Payment[] = [];
  let asked = 0;
  const pay = tool<string, Payment>(async ({ input }) => {
    if (!knows || !payments.some(({ invoice }) => invoice === input.invoice)) payments.push(input);
    return `paid ${input.invoice}`;
  });
  const sum = () => {
    asked += 1;
    return moods ? asked : 100;
  };
  const machine = setup({
    types: { context: {} as { left: readonly string[]; receipts: readonly string[]; noted: boolean } },
    actors: { pay, note: tool<boolean, void>(async () => true) },
  }).createMachine({
    id: 'payer',
    context: { left: invoices, receipts: [], noted: false },
    initial: 'noting',
    states: {
      noting: { invoke: { src: 'note', onDone: { target: 'paying', actions: assign({ noted: true }) } } },
      paying: {
        invoke: {
          src: 'pay',
          input: ({ context }) => ({ invoice: context.left[0] as string, sum: sum() }),
          onDone: {
            target: 'next',
            actions: assign({
              left: ({ context }) => context.left.slice(1),
              receipts: ({ context, event }) => [...context.receipts, event.output],
            }),
          },
          onError: refused,
        },
      },
      next: { always: [{ guard: ({ context }) => context.left.length > 0, target: 'paying' }, { target: 'done' }] },
      done: { type: 'final' },
    },
  });
  const { config, findings } = loadConfig(
    `
belay: 1
agent: payer
tools:
  note: { writes: [noted], effect: none, timeout: 5s }
  pay: { reads: [left], writes: [left, receipts], effect: irreversible, timeout: 5s${more} }
skeletons: {}
`,
    { file: 'payer.yaml' },
  );
  if (config === null) throw new Error(JSON.stringify(findings));
  const world = {
    reset: () => {
      payments = [];
      asked = 0;
    },
    snapshot: () => ({ payments: structuredClone(payments) }),
  };
  return { machine, config, world, kills: 'none', only: '/again/' } as const;
}

const [ONCE, OTHERWISE] = [', once: [args.invoice]', ', once: [args.invoice, args.sum]'];

describe('an act that is asked for again', () => {
  test('acts twice where the config does not say which calls are one act', async () => {
    const { again, cells, totals } = await rehearse(bank());
    expect(again).toEqual([
      {
        id: 'path 1/again/paying/pay',
        ...{ path: 'path 1', state: 'paying', tool: 'pay', is: 'twice' },
        text: 'acts twice: payments has {"invoice":"17","sum":100} 2 times and not 1. Where a second one is never meant, say by `once` which calls are one act',
      },
    ]);
    expect([cells, totals.harm]).toEqual([[], 0]);
  });

  test('is answered with its first act where the config says so by once', async () => {
    const { again } = await rehearse(bank({ more: ONCE }));
    expect(again).toMatchObject([{ tool: 'pay', is: 'once', text: 'is answered with the first act' }]);
  });

  test('is refused where it asks for the same act with other arguments', async () => {
    const { again } = await rehearse(bank({ more: ONCE, moods: true }));
    expect(again).toMatchObject([{ tool: 'pay', is: 'refused' }]);
  });

  test('goes on for ever where the machine asks again after each refusal', async () => {
    const { again } = await rehearse(bank({ more: ONCE, moods: true, refused: 'next' }));
    expect(again).toMatchObject([{ is: 'otherwise', text: expect.stringMatching(/^the run goes on for ever/) }]);
  });

  test('acts twice where once names a part in which the two calls differ', async () => {
    const { again } = await rehearse(bank({ more: OTHERWISE, moods: true }));
    expect(again).toMatchObject([{ is: 'twice', text: expect.stringContaining('by which `once` tells acts apart') }]);
  });

  test('acts twice and leaves one act where the counterparty knows it by its arguments', async () => {
    const { again } = await rehearse(bank({ knows: true }));
    expect(again).toMatchObject([{ is: 'twice', text: 'acts twice, and the world is as after one act' }]);
  });

  test('is asked for again in each round of a loop', async () => {
    const { again } = await rehearse(bank({ invoices: ['17', '18', '19'] }));
    expect(again).toMatchObject([{ is: 'twice' }]);
    const once = await rehearse(bank({ invoices: ['17', '18', '19'], more: ONCE }));
    expect(once.again).toMatchObject([{ is: 'once' }]);
  });

  test('is left out where another text of an id is asked for', async () => {
    expect((await rehearse({ ...bank(), only: 'pay#1/lost' })).again).toEqual([]);
  });
});

describe('a machine that enters a state twice', () => {
  const inner = setup({ actors: { pay: tool<number, void>(async () => 1) } }).createMachine({
    id: 'inner',
    initial: 'a.b',
    states: { 'a.b': { invoke: { src: 'pay', onDone: 'over' } }, over: { type: 'final' } },
  });
  const outer = setup({ actors: { inner, one: tool<number, void>(async () => 1) } }).createMachine({
    id: 'outer',
    initial: 'within',
    states: {
      within: { invoke: { src: 'inner', onDone: 'both' } },
      both: { invoke: [{ src: 'one' }, { src: 'one', id: 'other' }], on: { GO: 'over' } },
      over: { type: 'final' },
    },
  });

  test('may be one that another invokes by name, in a state whose name has a dot', () => {
    expect(enteredTwice(outer, 'inner/a.b', () => {})).not.toBeNull();
  });

  test('is none without the state, where the state makes several calls, and at the root', () => {
    for (const path of ['elsewhere', 'inner/elsewhere', 'both', 'over', ''])
      expect(enteredTwice(outer, path, () => {})).toBeNull();
  });
});
