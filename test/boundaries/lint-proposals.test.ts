/** Proposals of skeletons for the states that belong to none. */
import { describe, expect, test } from 'vitest';
import { type AnyStateMachine, assign, fromPromise, setup } from 'xstate';
import { readConfig } from '../../src/boundaries/directory.ts';
import { propose } from '../../src/boundaries/lint/propose.ts';
import { Reach } from '../../src/boundaries/lint/reach.ts';
import { loadConfig } from '../../src/boundaries/load.ts';
import { answersAssigned, keysAssigned } from '../../src/xstate/assigned.ts';
import { machineShape } from '../../src/xstate/shape.ts';
import { toolbox } from '../../src/xstate/toolbox.ts';
import { scheduleForm } from './fixtures/machines.mjs';

describe('proposals', () => {
  test('group what belongs to no skeleton, with where it begins, where it ends and what would tell', () => {
    const { config } = readConfig(new URL('fixtures/schedule-form.yaml', import.meta.url).pathname);
    if (config === null) throw new Error('refused');
    const none = { ...config, skeletons: new Map() };
    const [all, ...rest] = propose(none, new Reach(machineShape(scheduleForm as never)));
    expect(rest).toEqual([]);
    expect(all).toEqual({
      states: ['SLOT_QUERYING', 'WAITING_SLOT_SELECTION', 'WAITING_SLOT_REFINEMENT', 'SLOT_READY', 'SUBMITTING'],
      entry: ['SLOT_QUERYING'],
      outputs: [
        'slots/{args.slot}/candidates',
        'slots/{args.slot}/value',
        'slots/{args.slot}/status',
        'receipt',
        'calendar:**',
      ],
      boundaries: [
        {
          kind: 'commit',
          id: 'SLOT_QUERYING-done',
          from: 'SLOT_QUERYING',
          to: 'WAITING_SLOT_SELECTION',
          when: 'memory.slots[?entity].?candidates.orValue(null) != null',
          outputs: ['slots/{args.slot}/candidates'],
        },
        expect.objectContaining({ id: 'WAITING_SLOT_SELECTION-done', to: 'WAITING_SLOT_REFINEMENT' }),
        {
          kind: 'exit',
          id: 'SUBMITTING-done',
          from: 'SUBMITTING',
          to: 'DONE',
          when: 'memory.?receipt.orValue(null) != null',
          outputs: ['receipt'],
        },
      ],
    });
    const [ready] = propose(config, new Reach(machineShape(scheduleForm as never)));
    expect(ready).toMatchObject({ states: ['SLOT_READY'], entry: ['SLOT_READY'], outputs: [] });
    expect(ready?.boundaries.map(({ to, when }) => [to, when])).toEqual([
      ['WAITING_SLOT_REFINEMENT', null],
      ['SUBMITTING', null],
    ]);
  });

  /** The conditions that are proposed for the edges of a machine, by the edge. */
  const conditionsOf = (machine: AnyStateMachine, page: string) => {
    const { config } = loadConfig(`belay: 1\nagent: agent\ntools:\n${page}skeletons: {}\n`, { file: 'agent.yaml' });
    if (config === null) throw new Error('refused');
    const all = propose(config, new Reach(machineShape(machine)), answersAssigned(machine));
    return Object.fromEntries(
      all.flatMap(({ boundaries }) =>
        boundaries.map(({ from, to, when, outputs }) => [`${from} -> ${to}`, [when, outputs]]),
      ),
    );
  };
  const has = (key: string) => `memory.?${key}.orValue(null) != null`;

  test('ask on each edge for what that edge assigns, and for no literal null', () => {
    const publish = fromPromise(async () => ({ ok: true, hash: 'h' }));
    const machine = setup({ actors: { publish }, actions: { told: assign({ told: () => true }) } }).createMachine({
      id: 'agent',
      context: { hash: null, error: null, told: null, at: null },
      initial: 'publishing',
      states: {
        publishing: {
          invoke: {
            src: 'publish',
            onDone: [
              {
                guard: ({ event }) => event.output.ok,
                target: 'settling',
                actions: [assign({ hash: () => 'h', error: null }), 'told'],
              },
              { guard: () => false, target: 'idle', actions: assign({ error: () => 'a', at: () => 1 }) },
              { target: 'idle', actions: [assign({ error: () => 'b', at: () => 1 }), assign({ at: null })] },
            ],
          },
        },
        settling: { on: { GO: 'end' } },
        idle: { invoke: { src: 'publish', onDone: { target: 'end', actions: assign(() => ({ hash: 'h' })) } } },
        end: { type: 'final' },
      },
    });
    const found = conditionsOf(machine, '  publish: { effect: none, writes: [hash, error, told, at] }\n');
    expect(found['publishing -> settling']).toEqual([`${has('hash')} && ${has('told')}`, ['hash', 'told']]);
    // Two transitions lead there: what both of them assign.
    expect(found['publishing -> idle']).toEqual([has('error'), ['error']]);
    // What a function assigns is not known: all that the tool writes is asked for.
    expect(found['idle -> end']?.[1]).toEqual(['hash', 'error', 'told', 'at']);
  });

  test('ask in an invoked machine, too, and for what a tool of a toolbox has answered', () => {
    const act = toolbox({ look: async () => 1, book: async () => 2 });
    const car = setup({ actors: { act } }).createMachine({
      context: { seen: null, never: null },
      initial: 'checking',
      states: {
        checking: {
          invoke: {
            src: 'act',
            input: { tool: 'look' } as never,
            onDone: { target: 'done', actions: assign({ seen: () => 1 }) },
          },
        },
        done: { type: 'final' },
      },
    });
    const machine = setup({ actors: { car } }).createMachine({
      id: 'agent',
      initial: 'on',
      states: { on: { invoke: { src: 'car', onDone: 'end' } }, end: { type: 'final' } },
    });
    expect(answersAssigned(machine).byTool).toEqual(
      new Map([
        ['car', []],
        ['act/look', ['seen']],
        ['act/book', ['seen']],
      ]),
    );
    expect(answersAssigned(machine).on('car/checking', 'car/done')).toEqual(['seen']);
  });

  test('know every key that an action assigns, and whether code may assign others', () => {
    const states = {
      one: { entry: assign({ a: 1 }), exit: 'keep', always: { target: 'two', actions: assign({ c: null }) } },
      two: { invoke: { src: 'work', onDone: { actions: assign({ d: () => 4 }) } } },
    };
    const keys = (more: object) => {
      const given = setup({ actions: { keep: assign({ b: 2 }) }, actors: { work: fromPromise(async () => 1) } });
      return keysAssigned(given.createMachine({ initial: 'one', states, ...more } as never) as never);
    };
    expect(keys({})).toEqual({ keys: expect.arrayContaining(['a', 'b', 'c', 'd']), all: true });
    expect(keys({ on: { go: { actions: assign(() => ({ e: 5 })) } } }).all).toBe(false);
  });
});
