/** A complaint is about something: a name that exists, and work that still stands (semantics.md §10, C12). */
import { expect, onTestFinished, test } from 'vitest';
import { assign, setup } from 'xstate';
import { sqliteStore } from '../../../src/journal/sqlite/store.ts';
import { tool } from '../../../src/xstate/index.ts';
import { calm, until } from '../../poll.ts';
import { begin, ended, folder, reached } from './harness.ts';

/** A run that has paid and asks for the price, which takes it a while. */
async function asking() {
  let asked = 0;
  const machine = setup({
    actors: {
      pay: tool(async () => 'receipt'),
      slow: tool(async () => {
        asked += 1;
        await calm(250);
        return 7;
      }),
    },
  }).createMachine({
    id: 'order',
    context: {},
    initial: 'paying',
    states: {
      paying: {
        invoke: { src: 'pay', onDone: { target: 'asking', actions: assign({ receipt: ({ event }) => event.output }) } },
      },
      asking: {
        invoke: { src: 'slow', onDone: { target: 'end', actions: assign({ price: ({ event }) => event.output }) } },
      },
      end: { type: 'final' },
    },
  });
  const config = `
belay: 1
agent: order
tools:
  pay: { writes: [receipt], effect: irreversible }
  slow: { reads: [receipt], writes: [price], effect: none }
skeletons:
  Pay: { entity: '"it"', states: [paying], entry: [paying], outputs: [receipt], exit: [{ id: paid, at: paying -> asking, when: 'memory.?receipt.hasValue()' }], rollback: { anchors: [paid], resume: paying } }
  Ask: { entity: '"it"', states: [asking], entry: [asking], inputs: [receipt], outputs: [price], exit: [{ id: asked, at: asking -> end, when: 'memory.?price.hasValue()' }], rollback: { anchors: [asked], resume: asking } }
`;
  const journal = sqliteStore(`${folder()}/j.sqlite`);
  onTestFinished(() => journal.close());
  const decisions: string[] = [];
  const sidecar = await begin(machine, config, {
    journal,
    onDecision: ({ decision }) => decisions.push(decision.verdict),
  });
  await reached(sidecar, 'asking');
  return { sidecar, decisions, asked: () => asked };
}

test('refuses a misspelt skeleton, and the run goes on by itself', async () => {
  const { sidecar, decisions, asked } = await asking();
  const complaint = sidecar.fail('CONTRACT_VIOLATION', { instance: { skeleton: 'Aks', entity: 'it' } });
  await expect(complaint).rejects.toMatchObject({ name: 'SidecarError', code: 'bad_failure' });
  expect(await ended(sidecar)).toMatchObject({ status: 'done' });
  expect(decisions).toEqual([]);
  expect(asked()).toBe(1);
});

test('takes the same complaint with the right name, and asks again', async () => {
  const { sidecar, decisions, asked } = await asking();
  await sidecar.fail('CONTRACT_VIOLATION', { instance: { skeleton: 'Ask', entity: 'it' } });
  expect(await ended(sidecar)).toMatchObject({ status: 'done' });
  expect(decisions).toEqual(['restore']);
  expect(asked()).toBe(2);
});

test.each([
  ['by two at once and by a third during the undo', true],
  ['once', false],
])('books again, and is done, where a booking is complained about %s', async (_, often) => {
  let stands = 0;
  let books = 0;
  const machine = setup({
    actors: {
      book: tool(async () => {
        await calm(30);
        stands += 1;
        books += 1;
        return books;
      }),
      idle: tool(async () => {
        await calm(400);
        return 1;
      }),
    },
  }).createMachine({
    id: 'x',
    context: {},
    initial: 'a',
    states: {
      a: { invoke: { src: 'book', onDone: { target: 'b', actions: assign({ p: ({ event }) => event.output }) } } },
      b: { invoke: { src: 'idle', onDone: { target: 'c', actions: assign({ q: 1 }) } } },
      c: { type: 'final' },
    },
  });
  const config = `
belay: 1
agent: x
tools: { book: { writes: [p], effect: reversible, undo: unbook }, idle: { writes: [q], effect: none } }
skeletons: { S: { entity: '"x"', states: [a, b], entry: [a], outputs: [p, q], exit: [{ id: d, at: b -> c, when: 'memory.?q.hasValue()' }], rollback: { anchors: [d], resume: a, tries: 9 } } }
`;
  let undoing = false;
  const unbook = async () => {
    undoing = true;
    await calm(50);
    stands -= 1;
  };
  const sidecar = await begin(machine, config, { undo: { unbook } });
  await reached(sidecar, 'b');
  const instance = { skeleton: 'S', entity: 'x' };
  const complaints = [sidecar.fail('CONTRACT_VIOLATION', { instance, key: 'p' })];
  if (often) {
    complaints.push(sidecar.fail('CONTRACT_VIOLATION', { instance, key: 'p' }));
    await until(() => undoing);
    complaints.push(sidecar.fail('TIMEOUT', { instance }));
  }
  await Promise.all(complaints);
  expect(await ended(sidecar)).toMatchObject({ status: 'done' });
  expect(stands).toBe(1);
  expect(sidecar.actor.getSnapshot().context).toEqual({ p: books, q: 1 });
});
