/**
 * A loop of finished units that a replay claims one by one, once the read before it is found wrong: the machine and its reviewed config,
 * for the benchmark of claims and for the test that counts what a replay appends.
 */
import { type AnyStateMachine, assign, setup } from 'xstate';
import type { ToolCall } from '../src/runtime/tool-call.ts';
import { tool } from '../src/xstate/tool.ts';

/** The reviewed config of the loop. */
export const LOOP = `
belay: 1
agent: loop
tools: { read: { writes: [a], effect: none }, pay: { reads: [], writes: ['b/{args.n}'], effect: idempotent } }
skeletons:
  A: { entity: '"a"', states: [a0], entry: [a0], outputs: [a], exit: [{ id: out, at: a0 -> mid, when: 'memory.?a.hasValue()' }], rollback: { anchors: [out], resume: a0 } }
  B: { entity: 'string(memory.n)', states: [b1], entry: [b1], inputs: [n], outputs: ['b/{entity}'], exit: [{ id: out, at: b1 -> next, when: 'memory.b[?entity].hasValue()' }], rollback: { anchors: [out], resume: b1 } }
`;

/** The loop over so many units. Each pays once; the read before them answers anew each time. */
export function loopOf(
  units: number,
  does: { readonly read: () => string; readonly pay: (n: string) => string },
): AnyStateMachine {
  return setup({
    types: { context: {} as { n: number; a?: string; b: Record<string, string> } },
    actors: {
      read: tool(async () => does.read()),
      pay: tool(async ({ input }: ToolCall<{ n: string }>) => does.pay(input.n)),
    },
  }).createMachine({
    id: 'loop',
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
}
