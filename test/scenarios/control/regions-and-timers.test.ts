/** What a restore puts a region back to goes on: its calls leave, its timers run, its child machines are heard (semantics.md §10). */
import { expect, test } from 'vitest';
import { assign, setup } from 'xstate';
import { tool } from '../../../src/xstate/index.ts';
import { calm } from '../../poll.ts';
import { begin, ended, reached } from './harness.ts';

test.each([
  ['at once, in the first macrostep', { always: 'a1' }],
  ['a millisecond later', { after: { 1: 'a1' } }],
])('calls again in a region whose call failed, where the region beside it leaves its first state %s', async (_, a0) => {
  let calls = 0;
  const t = tool(async () => {
    calls += 1;
    if (calls === 1) throw new Error('boom');
    return 'ok';
  });
  const machine = setup({ actors: { t } }).createMachine({
    id: 'm',
    context: {},
    type: 'parallel',
    states: {
      a: { initial: 'a0', states: { a0, a1: { type: 'final' } } },
      b: {
        initial: 'b0',
        states: {
          b0: { invoke: { src: 't', onDone: { target: 'b1', actions: assign({ v: ({ event }) => event.output }) } } },
          b1: { type: 'final' },
        },
      },
    },
  });
  const sidecar = await begin(
    machine,
    `
belay: 1
agent: m
tools: { t: { writes: [v], effect: none } }
skeletons:
  B: { entity: '"b"', states: [b.b0], entry: [b.b0], outputs: [v], rollback: { anchors: [] } }
`,
  );
  expect(await ended(sidecar)).toMatchObject({ status: 'done' });
  expect(calls).toBe(2);
  expect(sidecar.actor.getSnapshot().context).toEqual({ v: 'ok' });
});

test.each([
  ['a child machine', 'kid'],
  ['a plain call', 'slow'],
] as const)('arms the timer of a region again where %s started beside it in the same macrostep', async (_, src) => {
  let calls = 0;
  const slow = tool(async () => {
    await calm(300);
    return 1;
  });
  const kid = setup({ actors: { slow } }).createMachine({
    id: 'kid',
    initial: 'y',
    states: { y: { invoke: { src: 'slow', onDone: 'z' } }, z: { type: 'final' } },
  });
  const t = tool(async () => {
    calls += 1;
    if (calls === 1) throw new Error('boom');
    return 'ok';
  });
  const machine = setup({ actors: { kid, slow, t } }).createMachine({
    id: 'm',
    context: {},
    type: 'parallel',
    states: {
      a: {
        initial: 'a0',
        states: {
          a0: { after: { 20: 'a1' } },
          a1: { invoke: { src: 't', onDone: { target: 'e', actions: assign({ v: ({ event }) => event.output }) } } },
          e: { type: 'final' },
        },
      },
      b: { initial: 'k', states: { k: { invoke: { src, onDone: 'e' } }, e: { type: 'final' } } },
    },
  });
  const sidecar = await begin(
    machine,
    `
belay: 1
agent: m
tools: { t: { writes: [v], effect: none }, slow: { effect: none }, kid: { effect: none } }
skeletons:
  A: { entity: '"a"', states: [a.a0, a.a1], entry: [a.a0], outputs: [v], rollback: { anchors: [] } }
`,
  );
  expect(await ended(sidecar)).toMatchObject({ status: 'done' });
  expect(calls).toBe(2);
  expect(sidecar.actor.getSnapshot().context).toEqual({ v: 'ok' });
});

test.each([
  ['while a child machine has just begun beside it', 10],
  ['before a child machine begins beside it', 120],
])('hears the child machine of the other region where one region is restored %s', async (_, before) => {
  let answers = 0;
  let questions = 0;
  const q = tool(async () => {
    questions += 1;
    await calm(20);
    return 'q';
  });
  const kid = setup({ actors: { q } }).createMachine({
    id: 'kid',
    initial: 'k',
    states: { k: { invoke: { src: 'q', onDone: 'z' } }, z: { type: 'final' } },
  });
  const machine = setup({
    actors: {
      kid,
      p: tool(async () => {
        await calm(before);
        return 1;
      }),
      x: tool(async () => 'x'),
      y: tool(async () => {
        await calm(15);
        answers += 1;
        if (answers === 1) throw new Error('boom');
        return 'y';
      }),
    },
  }).createMachine({
    id: 'm',
    context: {},
    type: 'parallel',
    states: {
      a: {
        initial: 'a0',
        states: {
          a0: { invoke: { src: 'p', onDone: 'a1' } },
          a1: { invoke: { src: 'kid', onDone: 'e' } },
          e: { type: 'final' },
        },
      },
      b: {
        initial: 'b0',
        states: {
          b0: { invoke: { src: 'x', onDone: { target: 'b1', actions: assign({ x: 'x' }) } } },
          b1: { invoke: { src: 'y', onDone: { target: 'e', actions: assign({ y: 'y' }) } } },
          e: { type: 'final' },
        },
      },
    },
  });
  const sidecar = await begin(
    machine,
    `
belay: 1
agent: m
tools: { kid: { effect: none }, p: { effect: none }, q: { effect: none }, x: { writes: [x], effect: none }, y: { reads: [x], writes: [y], effect: none } }
skeletons:
  B: { entity: '"b"', states: [b.b0, b.b1], entry: [b.b0], outputs: [x, y], rollback: { anchors: [] } }
`,
  );
  expect(await ended(sidecar)).toMatchObject({ status: 'done' });
  expect(sidecar.actor.getSnapshot().context).toEqual({ x: 'x', y: 'y' });
  expect(answers).toBe(2);
  expect(questions).toBeGreaterThanOrEqual(1);
});

const PACKER = `
belay: 1
agent: agent
tools:
  look: { writes: [order], effect: none }
  sort: { reads: [order], writes: [category], effect: none }
  stock: { reads: [order], writes: [stock], effect: none }
  fraud: { reads: [order], writes: [fraud], effect: none }
  pack: { reads: [stock, fraud], writes: [box], effect: none }
skeletons:
  Look: { entity: '"it"', states: [looking, sorting], entry: [looking], outputs: [order, category], commit: [{ id: looked, at: looking -> sorting, when: 'memory.?order.hasValue()', outputs: [order] }], exit: [{ id: sorted, at: sorting -> checks, when: 'memory.?category.hasValue()' }], rollback: { anchors: [looked, sorted], resume: looking, joint: [Stock, Fraud] } }
  Stock: { entity: '"it"', states: [checks.stock.checking], entry: [checks.stock.checking], inputs: [order], outputs: [stock], exit: [{ id: counted, at: checks.stock.checking -> checks.stock.checked, when: 'memory.?stock.hasValue()' }], rollback: { anchors: [counted], resume: checks.stock.checking } }
  Fraud: { entity: '"it"', states: [checks.fraud.checking], entry: [checks.fraud.checking], inputs: [order], outputs: [fraud], exit: [{ id: scored, at: checks.fraud.checking -> checks.fraud.checked, when: 'memory.?fraud.hasValue()' }], rollback: { anchors: [scored], resume: checks.fraud.checking } }
  Pack: { entity: '"it"', states: [packing], entry: [packing], inputs: [stock, fraud], outputs: [box], exit: [{ id: packed, at: packing -> end, when: 'memory.?box.hasValue()' }], rollback: { anchors: [packed], resume: packing } }
`;

test.each([
  ['and the step before them failed once more', ['sort 2', 'stock 2']],
  ['and nothing else fails', ['stock 2']],
])('checks again in a parallel state that was entered again, %s', async (_, bad) => {
  const n: Record<string, number> = {};
  const act = <T>(name: string, value: T, milliseconds = 1) =>
    tool(async () => {
      n[name] = (n[name] ?? 0) + 1;
      if (bad.includes(`${name} ${n[name]}`)) throw new Error('boom');
      await calm(milliseconds);
      return value;
    });
  const check = <T extends 'stock' | 'fraud'>(src: T) => ({
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
    actors: {
      look: act('look', 7),
      sort: act('sort', 'c'),
      stock: act('stock', 5, 10),
      fraud: act('fraud', 3),
      pack: act('pack', 'box', 200),
    },
  }).createMachine({
    id: 'agent',
    context: {},
    initial: 'looking',
    states: {
      looking: {
        invoke: { src: 'look', onDone: { target: 'sorting', actions: assign({ order: ({ event }) => event.output }) } },
      },
      sorting: {
        invoke: {
          src: 'sort',
          onDone: { target: 'checks', actions: assign({ category: ({ event }) => event.output }) },
        },
      },
      checks: { type: 'parallel', onDone: 'next', states: { stock: check('stock'), fraud: check('fraud') } },
      next: { always: 'packing' },
      packing: {
        invoke: { src: 'pack', onDone: { target: 'end', actions: assign({ box: ({ event }) => event.output }) } },
      },
      end: { type: 'final' },
    },
  });
  const sidecar = await begin(machine, PACKER);
  await reached(sidecar, 'packing');
  const instance = { skeleton: 'Look', entity: 'it', ordinal: 0 };
  await sidecar.fail('CONTRACT_VIOLATION', { instance, key: 'order' });
  expect(await ended(sidecar)).toMatchObject({ status: 'done' });
  expect(sidecar.actor.getSnapshot().context).toEqual({ order: 7, category: 'c', stock: 5, fraud: 3, box: 'box' });
  expect(n.stock).toBe(3);
});
