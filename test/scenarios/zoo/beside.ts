/** Machines of the zoo with others beside them: spawned, told, telling, invoked and stopped. */
import { assign, sendParent, sendTo, setup, spawnChild, stopChild } from 'xstate';
import {
  base,
  context,
  type Event,
  type Exhibit,
  end,
  has,
  look,
  type Memory,
  of,
  rest,
  sending,
  sends,
  unit,
} from './parts.ts';
import type { ZooWorld } from './world.ts';

/** A machine that lives beside the others, told by name and telling back. */
const spawned: Exhibit = {
  name: 'a spawned machine that is told, and tells back',
  units: unit('Look', 'looking, telling', 'a, b', 'telling -> sending', has('b'), 'looking') + sends,
  machine: (world) => {
    const keeper = setup({ types: { context: {} as { all: string[] }, events: {} as Event } }).createMachine({
      id: 'keeper',
      context: { all: [] },
      on: {
        keep: {
          actions: [
            assign(({ context: { all }, event }) => ({ all: [...all, event.value as string] })),
            sendParent(({ context: { all } }) => ({ type: 'kept', output: all.join('+') })),
          ],
        },
      },
    });
    return base(world, { keeper }).createMachine({
      id: 'zoo',
      context,
      initial: 'beginning',
      entry: spawnChild('keeper', { id: 'k' }),
      states: {
        beginning: { always: 'looking' },
        looking: { invoke: { id: 'x', ...of('a'), onDone: { target: 'telling', actions: 'a' } } },
        telling: {
          entry: sendTo('k', ({ context: { a } }: { context: Memory }) => ({ type: 'keep', value: a as string })),
          on: { kept: { target: 'sending', actions: 'b' } },
        },
        sending: sending(),
        rest,
        end,
      },
    }) as never;
  },
};

/** Machines whose units tell the one that invoked them what they saw as they end: the last of what a record has done. */
const helpers = (world: ZooWorld) =>
  setup({
    types: { context: {} as { of: string; seen?: string }, events: {} as Event, input: {} as { of: string } },
    actors: { look: look(world) },
  }).createMachine({
    id: 'helper',
    context: ({ input }) => ({ of: input.of }),
    initial: 'looking',
    states: {
      looking: {
        invoke: {
          id: 'y',
          src: 'look',
          input: ({ context: { of } }) => ({ of }),
          onDone: { target: 'done', actions: assign({ seen: ({ event }) => event.output }) },
        },
      },
      done: { entry: sendParent(({ context: { seen } }) => ({ type: 'helped', output: seen as string })) },
    },
  });
const help = `${unit('Help', 'helper/looking', 'seen', 'helper/looking -> helper/done', has('seen'), 'helper/looking')}
    inputs: [of]`;

/** A machine that one state spawns and another stops. */
const brief: Exhibit = {
  name: 'a machine that is spawned by one state and stopped by another',
  units: help + unit('Look', 'looking, telling', 'a, b', 'telling -> sending', has('b'), 'looking') + sends,
  machine: (world) => {
    const helper = helpers(world);
    return base(world, { helper }).createMachine({
      id: 'zoo',
      context,
      initial: 'looking',
      states: {
        looking: { invoke: { id: 'x', ...of('a'), onDone: { target: 'telling', actions: 'a' } } },
        telling: {
          entry: spawnChild('helper', {
            id: 'h',
            input: (({ context: { a } }: { context: Memory }) => ({ of: `b ${a}` })) as never,
          }),
          on: { helped: { target: 'sending', actions: ['b', stopChild('h')] } },
        },
        sending: sending(),
        rest,
        end,
      },
    }) as never;
  },
};

/** What the helper sees does not rest on what was found wrong: its work is taken over, and its parent is told again. */
const told: Exhibit = {
  name: 'a machine that is invoked and tells its parent, whose work is kept',
  units:
    help +
    unit('Look', 'looking', 'a', 'looking -> asking', has('a'), 'looking') +
    unit('Ask', 'asking', 'b', 'asking -> sending', has('b'), 'asking') +
    sends,
  keeps: ['look b'],
  machine: (world) =>
    base(world, { helper: helpers(world) }).createMachine({
      id: 'zoo',
      context,
      initial: 'looking',
      states: {
        looking: { invoke: { id: 'x', ...of('a'), onDone: { target: 'asking', actions: 'a' } } },
        asking: {
          invoke: { id: 'h', src: 'helper', input: { of: 'b' } },
          on: { helped: { target: 'sending', actions: 'b' } },
        },
        sending: sending(),
        rest,
        end,
      },
    }) as never,
};

/** A machine that counts what it is told, and tells how much that is. */
const counter = setup({ types: { context: {} as { all: string[] }, events: {} as Event } }).createMachine({
  id: 'counter',
  context: { all: [] },
  on: {
    keep: { actions: assign({ all: ({ context: { all }, event }) => [...all, event.value as string] }) },
    tell: { actions: sendParent(({ context: { all } }) => ({ type: 'kept', output: all.join('+') })) },
  },
});

const counting = (delay: number | undefined): Exhibit => ({
  name: `a unit that tells another machine ${delay === undefined ? 'as it ends' : 'a while after it ended'}`,
  units:
    unit('Look', 'looking', 'a', 'looking -> noting', has('a'), 'looking') +
    unit('Note', 'noting', 'b', 'noting -> waiting', has('b'), 'noting') +
    unit('Count', 'waiting, telling', 'other', 'telling -> sending', has('other'), 'waiting') +
    sends,
  machine: (world) =>
    base(world, { counter }).createMachine({
      id: 'zoo',
      context,
      initial: 'beginning',
      entry: spawnChild('counter', { id: 'k' }),
      states: {
        beginning: { always: 'looking' },
        looking: { invoke: { id: 'x', ...of('a'), onDone: { target: 'noting', actions: 'a' } } },
        noting: {
          invoke: {
            id: 'y',
            src: 'peek',
            input: { of: 'b' },
            onDone: {
              target: 'waiting',
              actions: [
                'b',
                sendTo('k', ({ event }) => ({ type: 'keep', value: event.output as string }), {
                  delay: delay as number,
                }),
              ],
            },
          },
        },
        waiting: { after: { 8: 'telling' } },
        telling: {
          entry: sendTo('k', { type: 'tell' }),
          on: { kept: { target: 'sending', actions: assign({ other: ({ event }) => event.output as string }) } },
        },
        sending: sending(),
        rest,
        end,
      },
    }) as never,
});

export const BESIDE: readonly Exhibit[] = [spawned, brief, told, counting(undefined), counting(3)];
