/** An act that stands is never done a second time, whatever around it is done again (semantics.md §10, C2, C5, C8, C10). */
import { describe, expect, test } from 'vitest';
import { assign, setup } from 'xstate';
import type { ToolCall } from '../../../src/index.ts';
import { attach, tool } from '../../../src/xstate/index.ts';
import { calm, until } from '../../poll.ts';
import { begin, configOf, ended, reached } from './harness.ts';

type Key = string | undefined;

describe.each([
  ['and its tool also writes a key outside the context', '[b, "bank:x"]'],
  ['and its tool writes the context alone', '[b]'],
])('a payment is kept while an earlier unit that it has not read is done again, %s', (_, writes) => {
  test('and it is made once', async () => {
    const paid: Key[] = [];
    let reads = 0;
    const machine = setup({
      actors: {
        read: tool(async () => `x${++reads}`),
        pay: tool(async ({ key }) => {
          paid.push(key);
          return 'paid';
        }),
      },
    }).createMachine({
      id: 'm',
      context: { order: 7 },
      initial: 'a0',
      states: {
        a0: { invoke: { src: 'read', onDone: { target: 'mid', actions: assign({ a: ({ event }) => event.output }) } } },
        mid: { always: 'b0' },
        b0: { invoke: { src: 'pay', onDone: { target: 'rest', actions: assign({ b: ({ event }) => event.output }) } } },
        rest: { on: { go: 'end' } },
        end: { type: 'final' },
      },
    });
    const config = `
belay: 1
agent: m
tools: { read: { writes: [a], effect: none }, pay: { reads: [order], writes: ${writes}, effect: irreversible, reconcile: find } }
skeletons:
  A: { entity: '"a"', states: [a0], entry: [a0], outputs: [a], exit: [{ id: out, at: a0 -> mid, when: 'memory.?a.hasValue()' }], rollback: { anchors: [out], resume: a0 } }
  B: { entity: '"b"', states: [b0], entry: [b0], inputs: [order], outputs: ${writes}, exit: [{ id: out, outputs: [b], at: b0 -> rest, when: 'memory.?b.hasValue()' }], rollback: { anchors: [out], resume: b0 } }
`;
    const find = ({ key }: { key: string }) =>
      paid.includes(key) ? ({ is: 'applied', output: 'paid' } as const) : ({ is: 'not_applied' } as const);
    const sidecar = await begin(machine, config, { reconcilers: { find } });
    await reached(sidecar, 'rest');
    await sidecar.durable();
    await sidecar.fail('CONTRACT_VIOLATION', { instance: { skeleton: 'A', entity: 'a' } });
    await until(() => reads === 2);
    await reached(sidecar, 'rest');
    sidecar.actor.send({ type: 'go' });
    expect(await ended(sidecar)).toMatchObject({ status: 'done' });
    expect(paid).toHaveLength(1);
    expect(sidecar.actor.getSnapshot().context).toEqual({ order: 7, a: 'x2', b: 'paid' });
  });
});

test.each([
  ['and a key outside the context', '[receipt, "bank:1"]'],
  ['the context alone', '[receipt]'],
])('pays once where the look before it is found wrong during the step after it: writes %s', async (_, writes) => {
  const paid: Key[] = [];
  let looks = 0;
  const machine = setup({
    actors: {
      look: tool(async () => ++looks),
      pay: tool(async ({ key }) => {
        paid.push(key);
        return `R${paid.length}`;
      }),
      tell: tool(async () => {
        await calm(200);
        return 'told';
      }),
    },
  }).createMachine({
    id: 'agent',
    context: {},
    initial: 'looking',
    states: {
      looking: {
        invoke: { src: 'look', onDone: { target: 'paying', actions: assign({ note: ({ event }) => event.output }) } },
      },
      paying: {
        invoke: {
          src: 'pay',
          input: { amount: 60 },
          onDone: { target: 'telling', actions: assign({ receipt: ({ event }) => event.output }) },
        },
      },
      telling: {
        invoke: { src: 'tell', onDone: { target: 'end', actions: assign({ told: ({ event }) => event.output }) } },
      },
      end: { type: 'final' },
    },
  });
  const config = `
belay: 1
agent: agent
tools:
  look: { writes: [note], effect: none }
  pay: { writes: ${writes}, effect: irreversible, reconcile: find }
  tell: { reads: [receipt], writes: [told], effect: none }
skeletons:
  Look: { entity: '"it"', states: [looking], entry: [looking], outputs: [note], exit: [{ id: looked, at: looking -> paying, when: 'memory.?note.hasValue()' }], rollback: { anchors: [looked], resume: looking } }
  Pay: { entity: '"it"', states: [paying], entry: [paying], outputs: [receipt], exit: [{ id: paid, at: paying -> telling, when: 'memory.?receipt.hasValue()' }], rollback: { anchors: [paid], resume: paying } }
  Tell: { entity: '"it"', states: [telling], entry: [telling], inputs: [receipt], outputs: [told], exit: [{ id: told, at: telling -> end, when: 'memory.?told.hasValue()' }], rollback: { anchors: [told], resume: telling } }
`;
  const find = ({ key }: { key: string }) =>
    paid.includes(key)
      ? ({ is: 'applied', output: `R${paid.indexOf(key) + 1}` } as const)
      : ({ is: 'not_applied' } as const);
  const sidecar = await begin(machine, config, { reconcilers: { find } });
  await reached(sidecar, 'telling');
  const instance = { skeleton: 'Look', entity: 'it', ordinal: 0 };
  await sidecar.fail('CONTRACT_VIOLATION', { instance, key: 'note' });
  expect(await ended(sidecar)).toMatchObject({ status: 'done' });
  expect(paid).toHaveLength(1);
  expect(sidecar.actor.getSnapshot().context).toEqual({ note: 2, receipt: 'R1', told: 'told' });
});

test('pays each round of a loop once where what came before the loop is found wrong in its second round', async () => {
  const paid: number[] = [];
  const machine = setup({
    types: { context: {} as { n: number; a?: string; b: Record<string, string> } },
    actors: {
      read: tool(async () => 'x'),
      pay: tool(async ({ input }: ToolCall<number>) => {
        paid.push(input);
        return `paid${input}`;
      }),
    },
  }).createMachine({
    id: 'm',
    context: { n: 0, b: {} },
    initial: 'a0',
    states: {
      a0: { invoke: { src: 'read', onDone: { target: 'mid', actions: assign({ a: ({ event }) => event.output }) } } },
      mid: { always: 'b0' },
      b0: { on: { go: 'b1' } },
      b1: {
        invoke: {
          src: 'pay',
          input: ({ context }) => context.n,
          onDone: {
            target: 'next',
            actions: assign({ b: ({ event, context }) => ({ ...context.b, [context.n]: event.output }) }),
          },
        },
      },
      next: {
        always: [{ guard: ({ context }) => context.n < 1, target: 'b0', actions: assign({ n: 1 }) }, { target: 'end' }],
      },
      end: { type: 'final' },
    },
  });
  const config = `
belay: 1
agent: m
tools: { read: { writes: [a], effect: none }, pay: { reads: [n], writes: [b], effect: irreversible, reconcile: find } }
skeletons:
  A: { entity: '"a"', states: [a0], entry: [a0], outputs: [a], exit: [{ id: out, at: a0 -> mid, when: 'memory.?a.hasValue()' }], rollback: { anchors: [out], resume: a0 } }
  B: { entity: '"b"', states: [b0, b1], entry: [b0], inputs: [n], outputs: [b], exit: [{ id: out, at: b1 -> next, when: 'memory.?b.hasValue()' }], rollback: { anchors: [out], resume: b0 } }
`;
  const sidecar = await begin(machine, config, { reconcilers: { find: () => ({ is: 'unknown' }) } });
  await reached(sidecar, 'b0');
  sidecar.actor.send({ type: 'go' });
  await until(() => sidecar.actor.getSnapshot().context.n === 1 && sidecar.actor.getSnapshot().value === 'b0');
  await sidecar.durable();
  await sidecar.fail('CONTRACT_VIOLATION', { instance: { skeleton: 'A', entity: 'a' } });
  while (sidecar.status === 'running' || sidecar.status === 'recovering') {
    await calm(5);
    if (sidecar.actor.getSnapshot().value === 'b0') sidecar.actor.send({ type: 'go' });
  }
  expect(await ended(sidecar)).toMatchObject({ status: 'done' });
  expect(paid).toEqual([0, 1]);
  expect(sidecar.actor.getSnapshot().context.b).toEqual({ 0: 'paid0', 1: 'paid1' });
});

test.each([
  ['the machine tries again by itself', ''],
  ['the config names the tool under `recover`', 'recover: [{ tool: pay, signals: [TOOL_EXCEPTION, TIMEOUT] }]'],
])('asks what became of a call whose reply was lost before another of its kind leaves: %s', async (_, recover) => {
  const paid = new Map<Key, string>();
  let calls = 0;
  const pay = tool(async ({ key }: ToolCall<unknown>) => {
    calls += 1;
    const receipt = paid.get(key) ?? `R${paid.size + 1}`;
    paid.set(key, receipt);
    if (calls === 1) throw new Error('500 after the payment was taken');
    return receipt;
  });
  const machine = setup({
    types: { context: {} as { tries: number; receipt?: string } },
    actors: { pay },
    delays: { backoff: 50 },
  }).createMachine({
    id: 'a',
    context: { tries: 0 },
    initial: 'paying',
    states: {
      paying: {
        invoke: {
          src: 'pay',
          input: { amount: 60 },
          onDone: { target: 'end', actions: assign({ receipt: ({ event }) => event.output }) },
          onError: { target: 'backoff', actions: assign({ tries: ({ context }) => context.tries + 1 }) },
        },
      },
      backoff: { after: { backoff: 'paying' } },
      end: { type: 'final' },
    },
  });
  const config = `
belay: 1
agent: a
tools: { pay: { writes: [receipt], effect: irreversible, reconcile: find } }
${recover}
skeletons:
  U: { entity: '"it"', states: [paying, backoff], entry: [paying], outputs: [receipt, tries], exit: [{ id: paid, outputs: [receipt], at: paying -> end, when: 'memory.?receipt.hasValue()' }], rollback: { anchors: [paid], resume: paying } }
`;
  const find = ({ key }: { key: string }) =>
    paid.has(key) ? ({ is: 'applied', output: paid.get(key) } as const) : ({ is: 'not_applied' } as const);
  const sidecar = await begin(machine, config, { reconcilers: { find } });
  expect(await ended(sidecar)).toMatchObject({ status: 'done' });
  expect([...paid.values()]).toEqual(['R1']);
  expect(sidecar.actor.getSnapshot().context.receipt).toBe('R1');
});

test.each([0, 1, 4, 12])(
  'sends a held-back call once where its unit is found wrong %i turns after it was asked for',
  async (turns) => {
    const sent: Key[] = [];
    const mail = tool(async ({ key }) => {
      sent.push(key);
      return 'x';
    });
    const machine = setup({ actors: { mail } }).createMachine({
      id: 'm',
      context: {},
      initial: 'a',
      states: {
        a: { invoke: { src: 'mail', onDone: { target: 'w', actions: assign({ a: 'asked' }) } } },
        w: { after: { 30: 'end' } },
        end: { type: 'final' },
      },
    });
    const config = configOf(`
belay: 1
agent: m
tools: { mail: { effect: irreversible, buffer: true, reconcile: find } }
skeletons:
  A: { entity: '"a"', states: [a], entry: [a], outputs: [a], exit: [{ id: out, at: a -> w, when: 'memory.?a.hasValue()' }], rollback: { anchors: [out], resume: a } }
`);
    const find = ({ key }: { key: string }) => ({ is: sent.includes(key) ? 'applied' : 'not_applied' }) as const;
    // The number of turns counts from the start of the actor, so it is started here and not in the harness.
    const sidecar = await attach(machine, { run: 'r', config, reconcilers: { find } });
    sidecar.actor.start();
    for (let i = 0; i < turns; i += 1) await Promise.resolve();
    await sidecar.fail('CONTRACT_VIOLATION', { instance: { skeleton: 'A', entity: 'a' } });
    expect(await ended(sidecar)).toMatchObject({ status: 'done' });
    expect(sent).toHaveLength(1);
    await sidecar.close();
  },
);
