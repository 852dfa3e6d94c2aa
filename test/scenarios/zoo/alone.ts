/**
 * Machines that use what xstate has beside states and invokes in a row. Each looks at something (`Look` writes `a`), sends what it saw (`Send`), and rests until it is
 * told that all is over; while it rests, what it looked at can be found wrong.
 */
import { assign, cancel, enqueueActions, raise, stateIn } from 'xstate';
import { base, context, type Exhibit, end, has, of, rest, sending, sends, unit } from './parts.ts';

const two: Exhibit = {
  name: 'two invokes in one state',
  units: unit('Look', 'both', 'a, b', 'both -> sending', has('a'), 'both') + sends,
  machine: (world) =>
    base(world).createMachine({
      id: 'zoo',
      context,
      initial: 'both',
      states: {
        both: {
          invoke: [
            { id: 'x', ...of('a'), onDone: { actions: 'a' } },
            { id: 'y', src: 'peek', input: { of: 'b' }, onDone: { actions: 'b' } },
          ],
          always: { guard: ({ context: { a, b } }) => a !== undefined && b !== undefined, target: 'sending' },
        },
        sending: sending(),
        rest,
        end,
      },
    }) as never,
};

const around: Exhibit = {
  name: 'an invoke around states that move',
  units:
    unit('Look', 'around, around.one, around.two', 'a, other', 'around.two -> sending', has('a'), 'around') + sends,
  machine: (world) =>
    base(world).createMachine({
      id: 'zoo',
      context,
      initial: 'around',
      states: {
        around: {
          invoke: { id: 'x', ...of('a'), onDone: { actions: 'a' } },
          initial: 'one',
          states: {
            one: { after: { 3: { target: 'two', actions: assign({ other: 'moved' }) } } },
            two: { always: { guard: ({ context: { a } }) => a !== undefined, target: '#zoo.sending' } },
          },
        },
        sending: sending(),
        rest,
        end,
      },
    }) as never,
};

const queued: Exhibit = {
  name: 'enqueued actions, a raised delay and one that is cancelled',
  units: unit('Look', 'looking, waiting', 'a, n', 'waiting -> sending', has('a'), 'looking') + sends,
  machine: (world) =>
    base(world).createMachine({
      id: 'zoo',
      context,
      initial: 'looking',
      states: {
        looking: {
          invoke: {
            id: 'x',
            ...of('a'),
            onDone: {
              target: 'waiting',
              actions: enqueueActions(({ enqueue, event }) => {
                enqueue('a');
                enqueue.assign({ n: ({ context: { n } }) => n + 1 });
                enqueue.raise({ type: 'never' }, { delay: 3, id: 'never' });
                if (event.output !== undefined) enqueue.raise({ type: 'next' }, { delay: 6, id: 'next' });
              }),
            },
          },
        },
        waiting: { entry: cancel('never'), on: { next: 'sending', never: 'end' } },
        sending: sending(),
        rest,
        end,
      },
    }) as never,
};

const again: Exhibit = {
  name: 'a state that enters itself again',
  units: unit('Look', 'looking', 'a, n', 'looking -> sending', has('a'), 'looking') + sends,
  machine: (world) =>
    base(world).createMachine({
      id: 'zoo',
      context,
      initial: 'looking',
      states: {
        looking: {
          invoke: {
            id: 'x',
            src: 'look',
            input: ({ context: { n } }) => ({ of: n === 0 ? 'a' : `a${n}` }),
            onDone: [
              {
                guard: ({ context: { n } }) => n < 2,
                target: 'looking',
                reenter: true,
                actions: assign(({ context: { a = '', n }, event }) => ({ a: `${a}${event.output}`, n: n + 1 })),
              },
              {
                target: 'sending',
                actions: assign(({ context: { a = '' }, event }) => ({ a: `${a}${event.output}` })),
              },
            ],
          },
        },
        sending: sending(),
        rest,
        end,
      },
    }) as never,
};

const crossing: Exhibit = {
  name: 'regions that raise for each other, and one that looks where another is',
  units:
    unit('Look', 'l.looking', 'a', 'l.looking -> l.done', has('a'), 'l.looking') +
    unit('Send', 's.sending', 'receipt', 's.sending -> s.rest', has('receipt'), 's.sending'),
  machine: (world) =>
    base(world).createMachine({
      id: 'zoo',
      context,
      type: 'parallel',
      states: {
        l: {
          initial: 'looking',
          states: {
            looking: {
              invoke: { id: 'x', ...of('a'), onDone: { target: 'done', actions: ['a', raise({ type: 'seen' })] } },
            },
            done: { on: { over: 'end' } },
            end,
          },
        },
        s: {
          initial: 'idle',
          states: { idle: { on: { seen: 'sending' } }, sending: sending(), rest, end },
        },
        w: {
          initial: 'watching',
          states: {
            watching: {
              always: { guard: stateIn({ s: 'rest' }) as never, target: 'seen', actions: assign({ other: 'sent' }) },
            },
            seen: { on: { over: 'end' } },
            end,
          },
        },
      },
    }) as never,
};

const wild: Exhibit = {
  name: 'a wildcard that counts what nothing else hears',
  handles: true,
  units: unit('Look', 'looking, weighing', 'a', 'weighing -> sending', has('a'), 'looking') + sends,
  machine: (world) =>
    base(world).createMachine({
      id: 'zoo',
      context,
      initial: 'looking',
      on: { '*': { actions: assign({ n: ({ context: { n } }) => n + 1 }) } },
      states: {
        looking: { invoke: { id: 'x', ...of('a'), onDone: { target: 'weighing', actions: 'a' } } },
        weighing: { always: 'sending' },
        sending: sending(),
        rest,
        end,
      },
    }) as never,
};

const finals: Exhibit = {
  name: 'the output of a final state within',
  units:
    unit('Look', 'work.looking, work.weighing', 'a, other', 'work.weighing -> work.done', has('a'), 'work.looking') +
    sends,
  machine: (world) =>
    base(world).createMachine({
      id: 'zoo',
      context,
      initial: 'work',
      states: {
        work: {
          initial: 'looking',
          states: {
            looking: { invoke: { id: 'x', ...of('a'), onDone: { target: 'weighing', actions: 'a' } } },
            weighing: { after: { 2: 'done' } },
            done: { type: 'final', output: ({ context: { a } }) => `out of ${a}` },
          },
          onDone: { target: 'sending', actions: assign(({ event }) => ({ b: event.output as string })) },
        },
        sending: sending(),
        rest,
        end,
      },
    }) as never,
};

const handled: Exhibit = {
  name: 'a machine that handles an error itself',
  handles: true,
  units: unit('Look', 'looking, waiting', 'a', 'looking -> sending', has('a'), 'looking') + sends,
  machine: (world) =>
    base(world).createMachine({
      id: 'zoo',
      context,
      initial: 'looking',
      states: {
        looking: { invoke: { id: 'x', ...of('a'), onDone: { target: 'sending', actions: 'a' }, onError: 'waiting' } },
        waiting: { after: { 2: 'looking' } },
        sending: sending(),
        rest,
        end,
      },
    }) as never,
};

/** Without Belay, a delayed event comes once, wherever it is heard; it comes once with it, too, also to the next process. */
const ticking: Exhibit = {
  name: 'a delayed event of no state, heard wherever the machine stands',
  units: unit('Look', 'looking, waiting', 'a, n', 'waiting -> sending', has('a'), 'looking') + sends,
  machine: (world) =>
    base(world).createMachine({
      id: 'zoo',
      context,
      initial: 'looking',
      on: { tick: { actions: assign({ n: ({ context: { n } }) => n + 1 }) } },
      states: {
        looking: {
          entry: raise({ type: 'tick' }, { delay: 4 }),
          invoke: { id: 'x', ...of('a'), onDone: { target: 'waiting', actions: 'a' } },
        },
        waiting: { after: { 9: 'sending' } },
        sending: sending(),
        rest,
        end,
      },
    }) as never,
};

/** Without Belay, a delayed event that no transition takes is gone; it does not come again to the next process, where one would. */
const refused: Exhibit = {
  name: 'a delay that is over before its guard would let it through',
  units: unit('Look', 'looking, waiting', 'a, n', 'waiting -> sending', has('a'), 'looking') + sends,
  machine: (world) =>
    base(world).createMachine({
      id: 'zoo',
      context,
      initial: 'looking',
      states: {
        looking: { invoke: { id: 'x', ...of('a'), onDone: { target: 'waiting', actions: 'a' } } },
        waiting: {
          after: {
            2: { guard: ({ context: { n } }) => n > 0, target: 'end' },
            5: { actions: assign({ n: 1 }) },
            12: 'sending',
          },
        },
        sending: sending(),
        rest,
        end,
      },
    }) as never,
};

export const ALONE: readonly Exhibit[] = [
  two,
  around,
  queued,
  again,
  crossing,
  wild,
  finals,
  handled,
  ticking,
  refused,
];
