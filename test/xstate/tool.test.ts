/** Which tools take the idempotency key of their calls, as far as that can be told from outside (semantics.md E3). */
import { describe, expect, test } from 'vitest';
import { fromPromise, setup } from 'xstate';
import type { ToolCall } from '../../src/runtime/tool-call.ts';
import { machineShape } from '../../src/xstate/shape.ts';
import { tool } from '../../src/xstate/tool.ts';

const send = async (_key: unknown): Promise<string> => 'sent';
type Any = ToolCall<unknown>;

describe('a tool takes its key', () => {
  test.each([
    ['a plain promise', fromPromise(async ({ input }) => input), false],
    ['a function without parameters', tool(async () => 'sent'), false],
    ['a pattern without it', tool(async ({ input }: Any) => input), false],
    ['a pattern that has something like it', tool(async ({ input: keys }: Any) => keys), false],
    ['a pattern with it', tool(async ({ input: { to: _ }, key }: ToolCall<{ to: string }>) => send(key)), true],
    ['a pattern with the rest', tool(async ({ signal: _, ...rest }: Any) => send(rest)), true],
    ['the whole call', tool((call: Any) => send(call)), true],
    [
      'a function',
      tool(async function named({ key }: Any) {
        return send(key);
      }),
      true,
    ],
    ['a bound function', tool(send.bind(null) as (call: Any) => Promise<string>), true],
  ])('%s', (_, logic, takes) => {
    const machine = setup({ actors: { send: logic as ReturnType<typeof tool> } }).createMachine({ id: 'm' });
    expect(machineShape(machine).actors).toMatchObject([{ name: 'send', takesKey: takes }]);
  });
});
