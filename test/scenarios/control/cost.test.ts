/** A replay over many finished units costs in proportion to their number (semantics.md §10, C5). */
import { expect, test } from 'vitest';
import { assign, setup } from 'xstate';
import { memoryStore, type ToolCall, tool } from '../../../src/index.ts';
import { until } from '../../sidecar/stations.ts';
import { begin, reached } from './harness.ts';

const config = `
belay: 1
agent: m
tools: { read: { writes: [a], effect: none }, pay: { reads: [], writes: ['b/{args.n}'], effect: idempotent } }
skeletons:
  A: { entity: '"a"', states: [a0], entry: [a0], outputs: [a], exit: [{ id: out, at: a0 -> mid, when: 'memory.?a.hasValue()' }], rollback: { anchors: [out], resume: a0 } }
  B: { entity: 'string(memory.n)', states: [b1], entry: [b1], inputs: [n], outputs: ['b/{entity}'], exit: [{ id: out, at: b1 -> next, when: 'memory.b[?entity].hasValue()' }], rollback: { anchors: [out], resume: b1 } }
`;

/** Replays a loop of finished units, and returns what the replay has appended to the journal. */
async function replayed(units: number): Promise<{ rows: number; bytes: number }> {
  let calls = 0;
  let reads = 0;
  const machine = setup({
    types: { context: {} as { n: number; a?: string; b: Record<string, string> } },
    actors: {
      read: tool(async () => `x${++reads}`),
      pay: tool(async ({ input }: ToolCall<{ n: string }>) => {
        calls += 1;
        return `p${input.n}`;
      }),
    },
  }).createMachine({
    id: 'm',
    context: { n: 0, b: {} },
    initial: 'a0',
    states: {
      a0: { invoke: { src: 'read', onDone: { target: 'mid', actions: assign({ a: ({ event }) => event.output }) } } },
      mid: { always: 'b1' },
      b1: {
        invoke: {
          src: 'pay',
          input: ({ context }) => ({ n: String(context.n) }),
          onDone: {
            target: 'next',
            actions: assign({ b: ({ event, context }) => ({ ...context.b, [context.n]: event.output }) }),
          },
        },
      },
      next: {
        always: [
          {
            guard: ({ context }) => context.n < units - 1,
            target: 'b1',
            actions: assign({ n: ({ context }) => context.n + 1 }),
          },
          { target: 'rest' },
        ],
      },
      rest: { on: { go: 'end' } },
      end: { type: 'final' },
    },
  });
  const journal = memoryStore();
  const sidecar = await begin(machine, config, { journal });
  await reached(sidecar, 'rest', 20_000);
  await sidecar.durable();
  const rows = () => [...journal.read('r')];
  const before = rows().length;
  await sidecar.fail('CONTRACT_VIOLATION', { instance: { skeleton: 'A', entity: 'a' } });
  await until(() => reads === 2);
  await reached(sidecar, 'rest', 20_000);
  await sidecar.durable();
  expect(calls).toBe(units);
  const appended = rows().slice(before);
  return { rows: appended.length, bytes: JSON.stringify(appended).length };
}

test('appends four times the rows for four times the units', async () => {
  const [small, large] = [await replayed(100), await replayed(400)];
  expect(small.rows).toBeGreaterThanOrEqual(100);
  expect(large.rows).toBeLessThanOrEqual(4.5 * small.rows);
  expect(large.bytes).toBeLessThanOrEqual(5 * small.bytes);
});
