/** A loop whose last edge leads straight back into its own entry: each round leaves it and the next one enters it in one step (semantics.md §4). */
import { expect, test } from 'vitest';
import { assign, setup } from 'xstate';
import { tool } from '../../../src/xstate/tool.ts';
import { begin, reached } from './harness.ts';

const CONFIG = `
belay: 1
agent: counter
tools:
  weigh: { effect: idempotent, reads: [next], writes: ['weights/{args.item}'] }
  total: { effect: none, reads: [weights], writes: [sum] }
skeletons:
  Weighing:
    entity: 'string(memory.next)'
    states: [weighing]
    entry: [weighing]
    inputs: [next]
    outputs: ['weights/{entity}', next]
    exit:
      - { id: again, at: weighing -> weighing, when: 'memory.weights[?entity].hasValue()', outputs: ['weights/{entity}'] }
      - { id: last, at: weighing -> adding, when: 'memory.weights[?entity].hasValue()', outputs: ['weights/{entity}'] }
    rollback: { anchors: [again, last], resume: weighing }
`;

interface Memory {
  readonly next: number;
  readonly weights: Readonly<Record<string, number>>;
  readonly sum: number;
}

/** A machine that weighs three items, one round each, and adds up; what it has weighed, and what its run was told. */
async function weighing() {
  const weighed: string[] = [];
  const weigh = tool<number, { item: string }>(async ({ input: { item } }) => {
    weighed.push(item);
    const isAgain = weighed.filter((each) => each === item).length > 1;
    return Number(item) + (isAgain ? 10 : 0);
  });
  const total = tool<number, { weights: Memory['weights'] }>(async ({ input: { weights } }) =>
    Object.values(weights).reduce((sum, each) => sum + each, 0),
  );
  const keep = assign<Memory, never, undefined, never, never>(({ context: { weights, next }, event }) => ({
    weights: { ...weights, [next]: (event as unknown as { output: number }).output },
  }));
  const count = assign<Memory, never, undefined, never, never>(({ context: { next } }) => ({ next: next + 1 }));
  const machine = setup({ types: { context: {} as Memory }, actors: { weigh, total } }).createMachine({
    id: 'counter',
    context: { next: 0, weights: {}, sum: 0 },
    initial: 'weighing',
    states: {
      weighing: {
        invoke: {
          src: 'weigh',
          input: ({ context }) => ({ item: String(context.next) }),
          onDone: [
            {
              guard: ({ context }) => context.next < 2,
              target: 'weighing',
              reenter: true,
              actions: [keep as never, count as never],
            },
            { target: 'adding', actions: keep as never },
          ],
        },
      },
      adding: {
        invoke: {
          src: 'total',
          input: ({ context }) => ({ weights: context.weights }),
          onDone: { target: 'rest', actions: assign({ sum: ({ event }) => event.output }) },
        },
      },
      rest: { on: { end: 'over' } },
      over: { type: 'final' },
    },
  });
  const told: string[] = [];
  const onFinding = ({ text }: { text: string }) => void told.push(text);
  const sidecar = await begin(machine, CONFIG, { onFinding });
  await reached(sidecar, 'rest');
  return { sidecar, weighed, told, memory: () => sidecar.actor.getSnapshot().context as Memory };
}

test('each round certifies its exit on the edge by which the next one is entered', async () => {
  const { told, weighed } = await weighing();
  expect([told, weighed]).toEqual([[], ['0', '1', '2']]);
});

test('the last round, where it is found wrong, is made again, and no other', async () => {
  const { sidecar, weighed, memory } = await weighing();
  const instance = { skeleton: 'Weighing', entity: '2', ordinal: 0 };
  await sidecar.fail('CONTRACT_VIOLATION', { instance, key: 'weights/2' });
  await reached(sidecar, 'rest');
  sidecar.actor.send({ type: 'end' });
  expect((await sidecar.finished()).status).toBe('done');
  expect([memory().sum, weighed]).toEqual([13, ['0', '1', '2', '2']]);
});

test('an earlier round is not made again: its step has counted, and the exits of those behind it promise over that', async () => {
  const { sidecar, weighed } = await weighing();
  const instance = { skeleton: 'Weighing', entity: '0', ordinal: 0 };
  await sidecar.fail('CONTRACT_VIOLATION', { instance, key: 'weights/0' });
  const ending = await sidecar.finished();
  expect(ending.status).toBe('parked');
  expect(JSON.stringify(ending)).toContain('"committed_consumers_present"');
  expect(weighed).toEqual(['0', '1', '2']);
});
