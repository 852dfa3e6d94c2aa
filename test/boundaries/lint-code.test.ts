/** Lints of the code that a machine shows: arguments that nothing holds, one actor for many tools, actions without a name, conditions of other edges. */
import { describe, expect, test } from 'vitest';
import { assign, type fromPromise, setup } from 'xstate';
import { lintConfig } from '../../src/boundaries/lint/lint.ts';
import { loadConfig } from '../../src/boundaries/load.ts';
import { encode } from '../../src/journal/codec.ts';
import type { MachineLike } from '../../src/xstate/shape.ts';
import { machineShape } from '../../src/xstate/shape.ts';
import { tool } from '../../src/xstate/tool.ts';
import { toolbox } from '../../src/xstate/toolbox.ts';
import { codeIn } from '../../src/xstate/visible-code.ts';

class Client {
  readonly base = 'https://shop.example';
}

const pageOf = (tools: string, when = 'true') => `
belay: 1
agent: order
tools: { ${tools} }
skeletons:
  Order:
    entity: '"it"'
    states: [asking]
    entry: [asking]
    exit: [{ id: asked, at: asking -> done, when: '${when}' }]
    rollback: { anchors: [asked], resume: asking }
`;

/** The findings of some codes about a machine. */
function found(machine: MachineLike, tools: string, codes: readonly string[], when?: string): string[] {
  const { config, document, findings } = loadConfig(pageOf(tools, when), { file: 'order.yaml' });
  if (config === null) throw new Error(JSON.stringify(findings));
  const code = codeIn(machine, (value) => {
    const encoded = encode(value);
    return 'text' in encoded ? null : encoded;
  });
  return lintConfig(config, document, { ...machineShape(machine), code })
    .filter((finding) => codes.includes(finding.code))
    .map(({ code: of, message }) => `${of} ${message}`);
}

type Input = (given: {
  readonly context: { readonly order: { readonly id: string } };
  readonly event: unknown;
}) => unknown;

/** A machine with one call, of what an input function makes. */
const calling = (input: Input, ask: object = tool(async (call) => call.key)) =>
  setup({
    types: { context: {} as { order: { id: string } } },
    actors: { ask: ask as ReturnType<typeof fromPromise<unknown, unknown>> },
  }).createMachine({
    id: 'order',
    context: ({ input: given }) => ({ order: given as { id: string } }),
    initial: 'asking',
    states: { asking: { invoke: { src: 'ask', input: input as never, onDone: 'done' } }, done: { type: 'final' } },
  });

describe('an argument that nothing holds', () => {
  const held: readonly (readonly [what: string, input: Input, says: RegExp | null])[] = [
    ['plain data', ({ context }) => ({ id: context.order.id, at: new Date(0) }), null],
    ['what a run puts there', ({ context, event }) => ({ all: { ...context.order }, event }), null],
    [
      'a function',
      ({ context }) => ({ id: context.order.id, last: () => 1 }),
      /with an input with last, that no journal holds \(function\)/,
    ],
    ['an object of a class', () => ({ by: [{ client: new Client() }] }), /an input with by\/0\/client,/],
    ['a function that throws on blanks', () => ({ n: (undefined as never as { x: number }).x, last: () => 1 }), null],
  ];

  test.each(held)('%s', (_, input, says) => {
    const findings = found(calling(input), 'ask: { effect: irreversible }', ['no_codec']);
    expect(findings).toEqual(says === null ? [] : [expect.stringMatching(says)]);
    expect(found(calling(input), 'ask: { effect: none }', ['no_codec'])).toEqual([]);
  });
});

describe('one actor that calls many tools', () => {
  const act = tool(async (call) => call.key);
  const named: readonly (readonly [what: string, input: Input, ask: object, says: RegExp | null])[] = [
    [
      'by `tool`',
      ({ event }) => ({ tool: (event as { call: string }).call, q: 1 }),
      act,
      /name in its input, "tool": all those tools/,
    ],
    ['by `name`, with arguments', ({ event }) => ({ name: 'x', args: event }), act, /"name"/],
    ['a name alone is no tool', () => ({ name: 'Ada' }), act, null],
    ['a toolbox', () => ({ tool: 'search', input: 'tea' }), toolbox({ search: async () => 1 }), null],
  ];

  test.each(named)('%s', (_, input, ask, says) => {
    const findings = found(calling(input, ask), 'ask: { effect: irreversible }', ['tool_dispatches']);
    expect(findings).toEqual(says === null ? [] : [expect.stringMatching(says)]);
  });
});

test('an action that is code without a name is told of, and one with a name is not', () => {
  const machine = setup({ actions: { note: () => {} } }).createMachine({
    id: 'order',
    context: {},
    initial: 'asking',
    states: {
      asking: {
        entry: 'note',
        exit: () => {},
        on: { go: { target: 'done', actions: [() => {}, 'note'] }, stay: { actions: assign({}) } },
      },
      done: { type: 'final' },
    },
  });
  expect(found(machine, '', ['action_inline'])).toEqual([
    expect.stringContaining('an action of "asking" is code without a name'),
    expect.stringContaining('an action of "asking (go)" is code without a name'),
  ]);
});

describe('a condition on an edge', () => {
  const machine = setup({ actors: { ask: tool(async (call) => call.key) } }).createMachine({
    id: 'order',
    initial: 'asking',
    states: {
      asking: { invoke: { src: 'ask' }, on: { approve: 'done', deny: 'done' } },
      done: { type: 'final' },
    },
  });
  const asked: readonly (readonly [when: string, says: string | null])[] = [
    ['event.type == "approve"', null],
    ['event.type == "approve" || memory.x == 1', null],
    ['event.type == "aprove"', 'another event than there is: approve, deny'],
    ['memory.x == 1 && event.type in ["yes", "no"]', 'another event than there is: approve, deny'],
    ['state == "done"', null],
    ['state == "asking"', 'another state than there is'],
    ['action == "ask" || action == "deny"', null],
    ['action == "pay"', 'another tool than there is'],
    ['!(event.type == "approve")', null],
  ];

  test.each(asked)('%s', (when, says) => {
    const findings = found(machine, 'ask: { effect: none }', ['never_certifies'], when);
    expect(findings).toEqual(says === null ? [] : [expect.stringContaining(says)]);
  });
});
