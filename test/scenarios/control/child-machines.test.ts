/** What a child machine has written and read, and what its parent has taken from it (semantics.md §10, C1, C2). */
import { expect, test } from 'vitest';
import { assign, setup } from 'xstate';
import type { ToolCall } from '../../../src/index.ts';
import { tool } from '../../../src/xstate/index.ts';
import { calm } from '../../poll.ts';
import { begin, ended, reached } from './harness.ts';

const slow = tool(async () => {
  await calm(250);
  return 'w';
});

/** A carrier that issues labels and voids them. */
function carrier() {
  const valid = new Set<string>();
  let issued = 0;
  return {
    valid,
    issue: (line = 'L') => {
      issued += 1;
      const label = `${line}${issued}`;
      valid.add(label);
      return label;
    },
    undo: { void: ({ output }: { output: unknown }) => void valid.delete(output as string) },
  };
}

/** A child machine that has one label issued, and is done with it. */
function labelMachine(issue: () => string) {
  return setup({ actors: { issue: tool(async () => issue()) } }).createMachine({
    id: 'child',
    context: {} as { label?: string },
    initial: 'issuing',
    states: {
      issuing: {
        invoke: {
          src: 'issue',
          input: { line: 'l1' },
          onDone: { target: 'issued', actions: assign({ label: ({ event }) => event.output }) },
        },
      },
      issued: { type: 'final' },
    },
    output: ({ context }) => context.label,
  });
}

test('keeps a label that the parent has taken from its child, and parks, where the child is found wrong', async () => {
  const { valid, issue, undo } = carrier();
  const machine = setup({ actors: { label: labelMachine(issue), slow } }).createMachine({
    id: 'agent',
    context: {},
    initial: 'labelling',
    states: {
      labelling: {
        invoke: {
          src: 'label',
          input: { line: 'l1' },
          onDone: { target: 'waiting', actions: assign({ lineLabel: ({ event }) => event.output }) },
        },
      },
      waiting: {
        invoke: { src: 'slow', onDone: { target: 'end', actions: assign({ w: ({ event }) => event.output }) } },
      },
      end: { type: 'final' },
    },
  });
  const sidecar = await begin(
    machine,
    `
belay: 1
agent: agent
tools:
  label: { effect: none }
  slow: { writes: [w], effect: none }
  issue: { writes: [label, 'carrier:{args.line}'], effect: reversible, undo: void }
skeletons:
  Wait: { entity: '"w"', states: [waiting], entry: [waiting], outputs: [w], exit: [{ id: over, at: waiting -> end, when: 'memory.?w.hasValue()' }], rollback: { anchors: [over], resume: waiting } }
  Line: { entity: args.line, states: [labelling], entry: [labelling], outputs: [lineLabel], exit: [{ id: labelled, at: labelling -> waiting, when: 'memory.?lineLabel.hasValue()' }], rollback: { anchors: [labelled], resume: labelling } }
  Label: { entity: args.line, states: [label/issuing], entry: [label/issuing], outputs: [label], exit: [{ id: issued, at: label/issuing -> label/issued, when: 'memory.?label.hasValue()' }], rollback: { anchors: [issued], resume: label/issuing } }
`,
    { undo },
  );
  await reached(sidecar, 'waiting');
  await sidecar.fail('CONTRACT_VIOLATION', { instance: { skeleton: 'Label', entity: 'l1', ordinal: 0 } });
  const ending = await ended(sidecar);
  expect(ending.status).toBe('parked');
  const codes =
    ending.status === 'parked' &&
    ending.decision.refusals.flatMap((r) => ('code' in r ? [r.code] : r.adds.map(({ code }) => code)));
  expect(codes).toContain('committed_consumers_present');
  expect([...valid]).toEqual(['L1']);
  expect(sidecar.actor.getSnapshot().context).toMatchObject({ lineLabel: 'L1' });
});

interface Lines {
  readonly lines: Readonly<Record<string, { readonly label?: string | undefined }>>;
  readonly current: string;
  readonly w?: string;
}

const LINES = `
belay: 1
agent: agent
tools:
  label: { effect: none }
  quote: { writes: [quote], effect: none }
  issue: { reads: [quote], writes: [label], effect: reversible, undo: void }
  slow: { writes: [w], effect: none }
skeletons:
  Line: { entity: args.line, states: [labelling], entry: [labelling], inputs: ['lines/{entity}'], outputs: ['lines/{entity}/label'], exit: [{ id: labelled, at: labelling -> next, when: 'memory.lines[?entity].?label.hasValue()' }], rollback: { anchors: [labelled], resume: labelling, joint: [Line, Label, Wait] } }
  Label: { entity: args.line, states: [label/quoting, label/issuing], entry: [label/quoting], outputs: [quote, label], commit: [{ id: quoted, at: label/quoting -> label/issuing, when: 'memory.?quote.hasValue()', outputs: [quote] }], exit: [{ id: issued, at: label/issuing -> label/issued, when: 'memory.?label.hasValue()' }], rollback: { anchors: [quoted, issued], resume: label/quoting, joint: [Line, Label, Wait] } }
  Wait: { entity: '"w"', states: [waiting], entry: [waiting], outputs: [w], exit: [{ id: over, at: waiting -> end, when: 'memory.?w.hasValue()' }], rollback: { anchors: [over], resume: waiting, joint: [Line, Label, Wait] } }
`;

test('leaves in the memory only labels that are valid where the first of two lines is found wrong', async () => {
  const { valid, issue, undo } = carrier();
  const child = setup({
    types: {
      context: {} as { line: string; quote?: number; label?: string },
      input: {} as { line: string },
      output: {} as string | undefined,
    },
    actors: {
      quote: tool(async (_: ToolCall<{ line: string }>) => 5),
      issue: tool(async ({ input }: ToolCall<{ line: string }>) => issue(`${input.line}-`)),
    },
  }).createMachine({
    id: 'label',
    context: ({ input }) => ({ line: input.line }),
    initial: 'quoting',
    states: {
      quoting: {
        invoke: {
          src: 'quote',
          input: ({ context }) => ({ line: context.line }),
          onDone: { target: 'issuing', actions: assign({ quote: ({ event }) => event.output }) },
        },
      },
      issuing: {
        invoke: {
          src: 'issue',
          input: ({ context }) => ({ line: context.line }),
          onDone: { target: 'issued', actions: assign({ label: ({ event }) => event.output }) },
        },
      },
      issued: { type: 'final' },
    },
    output: ({ context }) => context.label,
  });
  const open = ({ lines }: Lines) => Object.keys(lines).find((line) => lines[line]?.label === undefined);
  const machine = setup({ types: { context: {} as Lines }, actors: { label: child, slow } }).createMachine({
    id: 'agent',
    context: { lines: { l1: {}, l2: {} }, current: '' },
    initial: 'next',
    states: {
      next: {
        always: [
          {
            guard: ({ context }) => open(context) !== undefined,
            target: 'labelling',
            actions: assign({ current: ({ context }) => open(context) ?? '' }),
          },
          { target: 'waiting' },
        ],
      },
      labelling: {
        invoke: {
          src: 'label',
          id: 'label',
          input: ({ context }) => ({ line: context.current }),
          onDone: {
            target: 'next',
            actions: assign({
              lines: ({ context, event }) => ({ ...context.lines, [context.current]: { label: event.output } }),
            }),
          },
        },
      },
      waiting: {
        invoke: { src: 'slow', onDone: { target: 'end', actions: assign({ w: ({ event }) => event.output }) } },
      },
      end: { type: 'final' },
    },
  });
  const sidecar = await begin(machine, LINES, { undo });
  await reached(sidecar, 'waiting');
  await sidecar.fail('CONTRACT_VIOLATION', { instance: { skeleton: 'Line', entity: 'l1', ordinal: 0 } });
  expect(await ended(sidecar)).toMatchObject({ status: 'done' });
  const labels = Object.values(sidecar.actor.getSnapshot().context.lines).map(({ label }) => label);
  expect(labels).toHaveLength(2);
  expect([...valid].sort()).toEqual(labels.sort());
});

const FRAUD = (plain: boolean) => `
belay: 1
agent: agent
tools:
  fraud: { writes: [fraud], effect: none }
  slow: { writes: [w], effect: none }
${
  plain
    ? '  label: { writes: [lineLabel], effect: reversible, undo: void }'
    : `  label: { effect: none }
  issue: { writes: [label], effect: reversible, undo: void }`
}
skeletons:
  Fraud: { entity: '"it"', states: [scoring], entry: [scoring], outputs: [fraud], exit: [{ id: scored, at: scoring -> labelling, when: 'memory.?fraud.hasValue()' }], rollback: { anchors: [scored], resume: scoring } }
  Wait: { entity: '"w"', states: [waiting], entry: [waiting], outputs: [w], exit: [{ id: over, at: waiting -> end, when: 'memory.?w.hasValue()' }], rollback: { anchors: [over], resume: waiting } }
  Line: { entity: args.line, states: [labelling], entry: [labelling], outputs: [lineLabel], exit: [{ id: labelled, at: labelling -> waiting, when: 'memory.?lineLabel.hasValue()' }], rollback: { anchors: [labelled], resume: labelling } }
${plain ? '' : `  Label: { entity: args.line, states: [label/issuing], entry: [label/issuing], outputs: [label], exit: [{ id: issued, at: label/issuing -> label/issued, when: 'memory.?label.hasValue()' }], rollback: { anchors: [issued], resume: label/issuing } }`}
`;

test.each([
  ['a child machine', false],
  ['a plain tool', true],
])('scores again beside a label that has not read the score, where the label comes from %s', async (_, plain) => {
  const { valid, issue, undo } = carrier();
  let scores = 0;
  const label = plain ? tool(async () => issue()) : labelMachine(issue);
  const machine = setup({
    actors: { fraud: tool(async () => ++scores), label: label as ReturnType<typeof tool>, slow },
  }).createMachine({
    id: 'agent',
    context: {},
    initial: 'scoring',
    states: {
      scoring: {
        invoke: {
          src: 'fraud',
          onDone: { target: 'labelling', actions: assign({ fraud: ({ event }) => event.output }) },
        },
      },
      labelling: {
        invoke: {
          src: 'label',
          input: { line: 'l1' },
          onDone: { target: 'waiting', actions: assign({ lineLabel: ({ event }) => event.output }) },
        },
      },
      waiting: {
        invoke: { src: 'slow', onDone: { target: 'end', actions: assign({ w: ({ event }) => event.output }) } },
      },
      end: { type: 'final' },
    },
  });
  const sidecar = await begin(machine, FRAUD(plain), { undo });
  await reached(sidecar, 'waiting');
  const instance = { skeleton: 'Fraud', entity: 'it', ordinal: 0 };
  await sidecar.fail('CONTRACT_VIOLATION', { instance, key: 'fraud' });
  expect(await ended(sidecar)).toMatchObject({ status: 'done' });
  const { fraud, lineLabel } = sidecar.actor.getSnapshot().context as { fraud: number; lineLabel: string };
  expect(fraud).toBe(2);
  expect([...valid]).toEqual([lineLabel]);
});
