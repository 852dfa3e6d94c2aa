import { describe, expect, test } from 'vitest';
import { type AnyStateMachine, assign, fromPromise, setup } from 'xstate';
import type { BoundaryConfig } from '../../src/boundaries/config.ts';
import { loadConfig } from '../../src/boundaries/load.ts';
import { memoryStore } from '../../src/journal/memory/store.ts';
import { attach, resume } from '../../src/xstate/attach.ts';
import { calm, until } from '../poll.ts';
import { held, Line, of, type Station } from './stations.ts';

const APART: readonly Station[] = [
  { name: 'a', reads: ['wanted'] },
  { name: 'b', reads: ['wanted'] },
];

describe('C2, C11: control on a real machine', () => {
  test('work behind what failed that has only called is undone, and its call is made again under the same key', async () => {
    const stations = (effect: string): readonly Station[] => [
      APART[0] as Station,
      { name: 'b', tool: `effect: ${effect}` },
    ];
    const line = new Line(stations('idempotent'), {
      a: ({ nth }) => `a${nth}`,
      b: ({ nth }) => (nth === 0 ? new Promise(() => {}) : 'b'),
    });
    const run = await line.begin();
    run.send('go');
    await until(() => line.called('b') === 1);
    await run.fail('CONTRACT_VIOLATION', { instance: of('a'), key: 'a' });
    await run.at('rest');
    expect(line.moves()).toEqual(['A it 0 entry', 'B it 0 none']);
    const [first, second] = line.calls.filter(({ tool }) => tool === 'b').map(({ key }) => key);
    expect(line.reports[0]?.decision.dropped).toEqual([first]);
    expect(second).toBe(first);
    await run.close();
  });

  test('and blocks the line where nobody knows what became of its call', async () => {
    const line = new Line([APART[0] as Station, { name: 'b', tool: 'effect: irreversible' }], {
      b: () => held().promise,
    });
    const run = await line.begin();
    run.send('go');
    await until(() => line.called('b') === 1);
    await run.fail('CONTRACT_VIOLATION', { instance: of('a'), key: 'a' });
    expect(line.verdicts).toEqual(['escalate']);
    expect(line.codes()).toEqual(['effect_outcome_unknown']);
    expect([run.value, line.called('b')]).toEqual(['b', 1]);
    await run.close();
  });
});

/** A commitment in a state that control only passes through. */
function passing() {
  const calls: string[] = [];
  const machine = setup({
    actors: {
      first: fromPromise(async () => {
        calls.push('first');
        return 'one';
      }),
      second: fromPromise(async () => {
        calls.push('second');
        if (calls.filter((name) => name === 'second').length === 1) throw new Error('no');
        return 'two';
      }),
    },
  }).createMachine({
    id: 'passing',
    context: {} as { one?: string; two?: string },
    initial: 'idle',
    states: {
      idle: { on: { go: 'first' } },
      first: {
        invoke: { src: 'first', onDone: { target: 'kept', actions: assign({ one: ({ event }) => event.output }) } },
      },
      kept: { always: 'second' },
      second: {
        invoke: { src: 'second', onDone: { target: 'rest', actions: assign({ two: ({ event }) => event.output }) } },
      },
      rest: {},
    },
  });
  const { config } = loadConfig(
    `belay: 1
agent: passing
tools:
  first: { reads: [], writes: [one], effect: none }
  second: { reads: [], writes: [two], effect: none }
skeletons:
  W:
    entity: '"it"'
    states: [first, kept, second]
    entry: [first]
    outputs: [one, two]
    commit: [{ id: kept, at: kept, when: 'memory.?one.hasValue()', outputs: [one] }]
    rollback: { anchors: [kept] }
`,
    { file: 'passing.yaml' },
  );
  return { machine: machine as never as AnyStateMachine, config: config as BoundaryConfig, calls };
}

describe('a checkpoint in a state that control only passes through', () => {
  test('control passes through it again', async () => {
    const { machine, config, calls } = passing();
    const { actor, close } = await attach(machine, { run: 'r', config });
    actor.start();
    actor.send({ type: 'go' });
    await until(
      () => actor.getSnapshot().value === 'rest',
      () => JSON.stringify(actor.getSnapshot().value),
    );
    expect(calls).toEqual(['first', 'second', 'second']);
    await close();
  });

  test('also in the process after the one that put it there', async () => {
    const { machine, config, calls } = passing();
    const journal = memoryStore();
    const first = await attach(machine, {
      run: 'r',
      config,
      journal,
      onDecision: () => void first.close(),
    });
    first.actor.start();
    first.actor.send({ type: 'go' });
    await calm(60);
    await first.close();
    const { actor, close } = await resume(machine, { run: 'r', config, journal });
    actor.start();
    await until(
      () => actor.getSnapshot().value === 'rest',
      () => JSON.stringify(actor.getSnapshot().value),
    );
    expect(calls).toEqual(['first', 'second', 'second']);
    await close();
  });
});
