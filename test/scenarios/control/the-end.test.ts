/** A failure at a machine's end, and after it: a run that says done is in a final state, with its work in the world (§10, The end). */
import { expect, onTestFinished, test } from 'vitest';
import { assign, setup } from 'xstate';
import type { ToolCall } from '../../../src/index.ts';
import { sqliteStore } from '../../../src/journal/sqlite/store.ts';
import { attach, resume, tool } from '../../../src/xstate/index.ts';
import { calm } from '../../poll.ts';
import { begin, configOf, ended, folder } from './harness.ts';

function journalInFile() {
  const journal = sqliteStore(`${folder()}/j.sqlite`);
  onTestFinished(() => journal.close());
  return journal;
}

interface Post {
  readonly h?: number;
  readonly v?: number;
  readonly p?: number;
}

test.each([
  ['the final state', { type: 'final' }],
  ['one more state before the end', { after: { 50: 'z' } }],
] as const)('holds and pays what the invariant allows, where its commit leads into %s', async (_, last) => {
  const thoughts = [5];
  const paid: number[] = [];
  let held = 0;
  const machine = setup({
    types: { context: {} as Post },
    actors: {
      hold: tool(async () => {
        held += 1;
        return 1;
      }),
      think: tool(async () => thoughts.shift() ?? 0),
      pay: tool(async ({ input }: ToolCall<{ cents: number | undefined }>) => {
        paid.push(input.cents as number);
        return 1;
      }),
    },
  }).createMachine({
    id: 'inv',
    context: {},
    initial: 'h',
    states: {
      h: { invoke: { src: 'hold', onDone: { target: 'a', actions: assign({ h: 1 }) } } },
      a: { invoke: { src: 'think', onDone: { target: 'b', actions: assign({ v: ({ event }) => event.output }) } } },
      b: {
        invoke: {
          src: 'pay',
          input: ({ context }) => ({ cents: context.v }),
          onDone: { target: 'c', actions: assign({ p: 1 }) },
        },
      },
      c: last as { type: 'final' },
      z: { type: 'final' },
    },
  });
  const config = `
belay: 1
agent: inv
tools:
  hold: { writes: [h], effect: reversible, undo: unhold }
  think: { writes: [v], effect: none }
  pay: { reads: [v], writes: [p], effect: irreversible, buffer: true }
skeletons:
  Post: { entity: '"i"', states: [h, a, b], entry: [h], outputs: [h, v, p], exit: [{ id: posted, at: b -> c, when: 'memory.?p.hasValue()', invariants: [{ id: zero, sum: { pay: args.cents }, is: 0 }] }], rollback: { anchors: [posted], resume: h, tries: 2 } }
`;
  const unhold = () => {
    held -= 1;
  };
  const sidecar = await begin(machine, config, { undo: { unhold } });
  expect(await ended(sidecar)).toMatchObject({ status: 'done' });
  expect(held).toBe(1);
  expect(paid).toEqual([0]);
  expect(sidecar.actor.getSnapshot().context.v).toBe(0);
});

test('refuses a complaint about a run that is done, and the booking stands, also after it is taken up again', async () => {
  let stands = 0;
  const book = tool(async () => {
    stands += 1;
    return 1;
  });
  const machine = setup({ actors: { book } }).createMachine({
    id: 'f',
    context: {},
    initial: 'a',
    states: {
      a: { invoke: { src: 'book', onDone: { target: 'b', actions: assign({ x: 1 }) } } },
      b: { type: 'final' },
    },
  });
  const config = configOf(`
belay: 1
agent: f
tools: { book: { writes: [x], effect: reversible, undo: unbook } }
skeletons: { S: { entity: '"x"', states: [a], entry: [a], outputs: [x], exit: [{ id: d, at: a -> b, when: 'memory.?x.hasValue()' }], rollback: { anchors: [d], resume: a } } }
`);
  const unbook = () => {
    stands -= 1;
  };
  const options = { run: 'r', journal: journalInFile(), config, undo: { unbook } };
  const first = await attach(machine, options);
  first.actor.start();
  expect(await ended(first)).toMatchObject({ status: 'done' });
  const complaint = first.fail('CONTRACT_VIOLATION', { instance: { skeleton: 'S', entity: 'x' }, key: 'x' });
  await expect(complaint).rejects.toMatchObject({ name: 'SidecarError', code: 'run_finished' });
  await calm(50);
  expect([first.status, stands, first.actor.getSnapshot().context]).toEqual(['done', 1, { x: 1 }]);
  await first.close();
  const second = await resume(machine, options);
  onTestFinished(() => second.close());
  second.actor.start();
  expect(await ended(second)).toMatchObject({ status: 'done' });
  const { value, context } = second.actor.getSnapshot();
  expect([value, stands, context]).toEqual(['b', 1, { x: 1 }]);
});

test('says done in the final state alone, where the last step was refused and the run is taken up twice', async () => {
  const thoughts = [5];
  const mails: number[] = [];
  let books = 0;
  const machine = setup({
    types: { context: {} as Post },
    actors: {
      mail: tool(async ({ input }: ToolCall<{ cents: number | undefined }>) => {
        mails.push(input.cents as number);
        return 1;
      }),
      book: tool(async () => {
        books += 1;
        return 1;
      }),
      think: tool(async () => thoughts.shift() ?? 0),
    },
  }).createMachine({
    id: 'inv',
    context: {},
    initial: 'a',
    states: {
      a: { invoke: { src: 'book', onDone: { target: 't', actions: assign({ h: 1 }) } } },
      t: { invoke: { src: 'think', onDone: { target: 'b', actions: assign({ v: ({ event }) => event.output }) } } },
      b: {
        invoke: {
          src: 'mail',
          input: ({ context }) => ({ cents: context.v }),
          onDone: { target: 'c', actions: assign({ p: 1 }) },
        },
      },
      c: { type: 'final' },
    },
  });
  const config = configOf(`
belay: 1
agent: inv
tools: { think: { writes: [v], effect: none }, book: { writes: [h], effect: reversible, undo: unbook }, mail: { reads: [v], writes: [p], effect: irreversible, buffer: true } }
skeletons:
  Post: { entity: '"i"', states: [a, t, b], entry: [a], outputs: [h, v, p], exit: [{ id: posted, at: b -> c, when: 'memory.?p.hasValue()', invariants: [{ id: zero, sum: { mail: args.cents }, is: 0 }] }], rollback: { anchors: [posted], resume: a, tries: 2 } }
`);
  const unbook = () => {
    books -= 1;
  };
  const options = { run: 'r', journal: journalInFile(), config, undo: { unbook } };
  for (const open of [attach, resume, resume]) {
    const sidecar = await open(machine, options);
    sidecar.actor.start();
    expect(await ended(sidecar)).toMatchObject({ status: 'done' });
    await calm(50);
    const { value, context } = sidecar.actor.getSnapshot();
    expect([value, books, mails, context]).toEqual(['c', 1, [0], { h: 1, v: 0, p: 1 }]);
    await sidecar.close();
  }
});
