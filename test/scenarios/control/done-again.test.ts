/** What is taken back is done again before the run says done (semantics.md §10, C1, C2, C11). */
import { expect, test } from 'vitest';
import { assign, setup } from 'xstate';
import type { ToolCall } from '../../../src/index.ts';
import { tool } from '../../../src/xstate/index.ts';
import { calm, until } from '../../poll.ts';
import { begin, ended, reached } from './harness.ts';

test('books again where the booking of a parallel state that is over was cancelled', async () => {
  const stands = new Set<string>();
  let made = 0;
  const machine = setup({
    actors: {
      book: tool(async () => {
        made += 1;
        stands.add(`B${made}`);
        return `B${made}`;
      }),
      other: tool(async () => 'o'),
    },
  }).createMachine({
    id: 'm',
    context: {},
    initial: 'par',
    states: {
      par: {
        type: 'parallel',
        onDone: 'rest',
        states: {
          x: {
            initial: 'a',
            states: {
              a: {
                invoke: { src: 'book', onDone: { target: 'e', actions: assign({ a: ({ event }) => event.output }) } },
              },
              e: { type: 'final' },
            },
          },
          y: {
            initial: 'b',
            states: {
              b: {
                invoke: { src: 'other', onDone: { target: 'e', actions: assign({ b: ({ event }) => event.output }) } },
              },
              e: { type: 'final' },
            },
          },
        },
      },
      rest: { on: { go: 'end' } },
      end: { type: 'final' },
    },
  });
  const config = `
belay: 1
agent: m
tools: { book: { writes: [a], effect: compensable, undo: cancel, reconcile: find }, other: { writes: [b], effect: none } }
skeletons:
  A: { entity: '"a"', states: [par.x.a], entry: [par.x.a], outputs: [a], exit: [{ id: out, at: par.x.a -> par.x.e, when: 'memory.?a.hasValue()' }], rollback: { anchors: [out], resume: par.x.a, compensable: undo } }
  B: { entity: '"b"', states: [par.y.b], entry: [par.y.b], outputs: [b], exit: [{ id: out, at: par.y.b -> par.y.e, when: 'memory.?b.hasValue()' }], rollback: { anchors: [out], resume: par.y.b } }
`;
  const sidecar = await begin(machine, config, {
    undo: { cancel: ({ output }) => void stands.delete(output as string) },
    reconcilers: { find: () => ({ is: 'unknown' }) },
  });
  await reached(sidecar, 'rest');
  await sidecar.durable();
  await sidecar.fail('CONTRACT_VIOLATION', { instance: { skeleton: 'A', entity: 'a' } });
  await until(() => made === 2);
  await reached(sidecar, 'rest');
  sidecar.actor.send({ type: 'go' });
  expect(await ended(sidecar)).toMatchObject({ status: 'done' });
  expect([...stands]).toEqual(['B2']);
  expect(sidecar.actor.getSnapshot().context).toEqual({ a: 'B2', b: 'o' });
});

const CHECKED = `
belay: 1
agent: agent
tools:
  stock: { writes: [stock], effect: none }
  fraud: { writes: [fraud], effect: none }
  pack: { writes: [box], effect: none }
  pay: { reads: [fraud, stock, box], writes: [receipt], effect: irreversible }
skeletons:
  Stock: { entity: '"it"', states: [checks.stock.checking], entry: [checks.stock.checking], outputs: [stock], exit: [{ id: counted, at: checks.stock.checking -> checks.stock.checked, when: 'memory.?stock.hasValue()' }], rollback: { anchors: [counted], resume: checks.stock.checking } }
  Fraud: { entity: '"it"', states: [checks.fraud.checking], entry: [checks.fraud.checking], outputs: [fraud], exit: [{ id: scored, at: checks.fraud.checking -> checks.fraud.checked, when: 'memory.?fraud.hasValue()' }], rollback: { anchors: [scored], resume: checks.fraud.checking } }
  Pack: { entity: '"it"', states: [packing], entry: [packing], outputs: [box], exit: [{ id: packed, at: packing -> next, when: 'memory.?box.hasValue()' }], rollback: { anchors: [packed], resume: packing } }
  Pay: { entity: '"it"', states: [paying], entry: [paying], inputs: [fraud, stock, box], outputs: [receipt], exit: [{ id: paid, at: paying -> end, when: 'memory.?receipt.hasValue()' }], rollback: { anchors: [paid], resume: paying } }
`;

interface Order {
  readonly stock?: number;
  readonly fraud?: number;
  readonly box?: string;
  readonly current?: string;
  readonly receipt?: string;
}

test.each([
  ['Fraud', 'fraud'],
  ['Stock', 'stock'],
])(
  'pays only after the check %s was made again, where it was found wrong before the payment',
  async (skeleton, key) => {
    const payments: unknown[] = [];
    const checks: Record<string, number> = {};
    const check = (name: string, value: number) =>
      tool(async () => {
        checks[name] = (checks[name] ?? 0) + 1;
        await calm(1);
        return value;
      });
    const checking = (src: 'stock' | 'fraud') => ({
      initial: 'checking' as const,
      states: {
        checking: {
          invoke: {
            src,
            onDone: {
              target: 'checked' as const,
              actions: assign({ [src]: ({ event }: { event: { output: unknown } }) => event.output }) as never,
            },
          },
        },
        checked: { type: 'final' as const },
      },
    });
    const machine = setup({
      types: { context: {} as Order },
      actors: {
        stock: check('stock', 5),
        fraud: check('fraud', 3),
        pack: tool(async () => {
          await calm(250);
          return 'box';
        }),
        pay: tool(async ({ input }: ToolCall<{ fraud: number | string; stock: number | string }>) => {
          payments.push(input);
          return 'R1';
        }),
      },
    }).createMachine({
      id: 'agent',
      context: {},
      initial: 'checks',
      states: {
        checks: { type: 'parallel', onDone: 'next', states: { stock: checking('stock'), fraud: checking('fraud') } },
        next: {
          always: [
            {
              guard: ({ context }) => context.box === undefined,
              target: 'packing',
              actions: assign({ current: 'l1' }),
            },
            { target: 'paying' },
          ],
        },
        packing: {
          invoke: { src: 'pack', onDone: { target: 'next', actions: assign({ box: ({ event }) => event.output }) } },
        },
        paying: {
          invoke: {
            src: 'pay',
            input: ({ context }) => ({ fraud: context.fraud ?? 'none', stock: context.stock ?? 'none' }),
            onDone: { target: 'end', actions: assign({ receipt: ({ event }) => event.output }) },
          },
        },
        end: { type: 'final' },
      },
    });
    const sidecar = await begin(machine, CHECKED);
    await reached(sidecar, 'packing');
    await sidecar.fail('CONTRACT_VIOLATION', { instance: { skeleton, entity: 'it', ordinal: 0 }, key });
    expect(await ended(sidecar)).toMatchObject({ status: 'done' });
    expect(payments).toEqual([{ fraud: 3, stock: 5 }]);
    expect(checks[key]).toBe(2);
    expect(sidecar.actor.getSnapshot().context).toMatchObject({ fraud: 3, stock: 5, receipt: 'R1' });
  },
);

test('does not take the late reply of a call that was undone for the answer of the new one', async () => {
  const stands = new Map<string | undefined, string>();
  const keys: string[] = [];
  const book = tool(async ({ key }: ToolCall<unknown>) => {
    keys.push(key as string);
    const mine = `B${keys.length}`;
    stands.set(key, mine);
    await calm(200);
    return mine;
  });
  const machine = setup({ actors: { book } }).createMachine({
    id: 'agent',
    context: {},
    initial: 'booking',
    states: {
      booking: {
        invoke: { src: 'book', onDone: { target: 'end', actions: assign({ booking: ({ event }) => event.output }) } },
      },
      end: { type: 'final' },
    },
  });
  const config = `
belay: 1
agent: agent
tools: { book: { writes: [booking], effect: reversible, undo: unbook } }
skeletons:
  Book: { entity: '"it"', states: [booking], entry: [booking], outputs: [booking], exit: [{ id: booked, at: booking -> end, when: 'memory.?booking.hasValue()' }], rollback: { anchors: [booked], resume: booking } }
`;
  const sidecar = await begin(machine, config, { undo: { unbook: ({ key }) => void stands.delete(key) } });
  await until(() => keys.length === 1);
  await calm(40);
  await sidecar.fail('CONTRACT_VIOLATION', { instance: { skeleton: 'Book', entity: 'it', ordinal: 0 } });
  const first = keys[0] as string;
  // The word may be refused where the reply of the call has been heard before it.
  if (sidecar.status === 'parked') await sidecar.settle(first, 'confirmed', stands.get(first)).catch(() => undefined);
  await until(() => sidecar.status !== 'parked');
  expect(await ended(sidecar)).toMatchObject({ status: 'done' });
  const { booking } = sidecar.actor.getSnapshot().context as { booking: string };
  expect([...stands.values()]).toEqual([booking]);
});

test.each(['a', 'before'])(
  'parks a run whose input function throws on the way from the first state "%s", and a rerun is done',
  async (initial) => {
    let inputs = 0;
    const machine = setup({ actors: { t: tool(async (_: ToolCall<number>) => 'x') } }).createMachine({
      id: 'm',
      context: {},
      initial: initial as 'a',
      states: {
        before: { after: { 1: 'a' } },
        a: {
          invoke: {
            src: 't',
            input: () => {
              inputs += 1;
              if (inputs === 1) throw new Error('boom');
              return 1;
            },
            onDone: { target: 'end', actions: assign({ v: ({ event }) => event.output }) },
          },
        },
        end: { type: 'final' },
      },
    });
    const config = `
belay: 1
agent: m
tools: { t: { writes: [v], effect: none } }
skeletons: { A: { entity: '"a"', states: [a], entry: [a], outputs: [v], rollback: { anchors: [] } } }
`;
    const sidecar = await begin(machine, config);
    expect(await ended(sidecar)).toMatchObject({ status: 'parked', decision: { verdict: 'rerun' } });
    await sidecar.rerun();
    expect(await ended(sidecar)).toMatchObject({ status: 'done' });
    expect(sidecar.actor.getSnapshot().context).toEqual({ v: 'x' });
  },
);
