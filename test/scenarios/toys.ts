/**
 * Toy machines of every shape. Every one has a site in a tool that only looks (`look`), in a tool that acts for good (`send`), in an
 * assign and in a guard, so that each failure can be tried in each shape.
 */
import { assign, setup } from 'xstate';
import { base, type Context, looking, sending, type Toy, tools, work } from './toy-parts.ts';
import { deep, shallow } from './toy-returns.ts';
import { reentry, slotted } from './toy-slots.ts';

const sequential: Toy = {
  name: 'sequential',
  config: `${tools}${work('looking, sending')}`,
  machine: (world) =>
    base(world).createMachine({
      id: 'toy',
      context: { wanted: 'x' },
      initial: 'idle',
      states: { idle: { on: { go: 'looking' } }, looking, sending, sent: { type: 'final' } },
    }) as never,
};

const always: Toy = {
  name: 'always chains',
  config: `${tools}${work('looking, weighing, choosing, sending')}`,
  machine: (world) =>
    base(world).createMachine({
      id: 'toy',
      context: { wanted: 'x' },
      initial: 'idle',
      states: {
        idle: { always: 'ready' },
        ready: { on: { go: 'looking' } },
        looking: { invoke: { ...looking.invoke, onDone: { target: 'weighing', actions: 'keepFound' } } },
        weighing: { always: 'choosing' },
        choosing: { always: { target: 'sending', guard: 'sure', actions: assign({ other: 'chosen' }) } },
        sending,
        sent: { always: 'over' },
        over: { type: 'final' },
      },
    }) as never,
};

const delayed: Toy = {
  name: 'delayed transitions',
  config: `${tools}${work('looking, resting, sending')}`,
  machine: (world) =>
    base(world).createMachine({
      id: 'toy',
      context: { wanted: 'x' },
      initial: 'idle',
      states: {
        idle: { on: { go: 'looking' } },
        looking: { invoke: { ...looking.invoke, onDone: { target: 'resting', actions: 'keepFound' } } },
        resting: { after: { soon: { target: 'sending', guard: 'sure' } } },
        sending,
        sent: { after: { soon: 'over' } },
        over: { type: 'final' },
      },
    }) as never,
};

const parallel: Toy = {
  name: 'parallel regions',
  config: `
belay: 1
agent: toy
tools:
  look: { reads: ["wanted"], writes: ["found"], effect: none, timeout: 120 }
  send: { reads: ["found"], writes: ["receipt"], effect: irreversible, reconcile: ask, timeout: 120 }
  aside: { reads: [], writes: ["other"], effect: none }
skeletons:
  Work:
    entity: '"it"'
    states: [main.looking, main.sending]
    entry: [main.looking]
    inputs: [wanted]
    outputs: [found, receipt]
    commit:
      - { id: found, at: main.sending, when: 'memory.?found.hasValue()', outputs: [found] }
    exit:
      - { id: sent, at: main.sending -> main.sent, when: 'memory.?receipt.hasValue()' }
    rollback: { anchors: [found, sent], resume: main.looking }
  Aside:
    entity: '"beside"'
    states: [beside.doing]
    entry: [beside.doing]
    outputs: [other]
    exit:
      - { id: done, at: beside.doing -> beside.done, when: 'memory.?other.hasValue()' }
    rollback: { anchors: [done], resume: beside.doing }
`,
  machine: (world) =>
    base(world).createMachine({
      id: 'toy',
      context: { wanted: 'x' },
      type: 'parallel',
      states: {
        main: {
          initial: 'idle',
          states: { idle: { on: { go: 'looking' } }, looking, sending, sent: { type: 'final' } },
        },
        beside: {
          initial: 'idle',
          states: {
            idle: { on: { go: 'doing' } },
            doing: {
              invoke: {
                src: 'aside',
                onDone: { target: 'done', actions: assign({ other: ({ event }) => event.output }) },
              },
            },
            done: { type: 'final' },
          },
        },
      },
    }) as never,
};

const nested: Toy = {
  name: 'nested children',
  config: `
belay: 1
agent: toy
tools:
  look: { reads: ["wanted"], writes: ["found"], effect: none, timeout: 120 }
  send: { reads: ["found"], writes: ["receipt"], effect: irreversible, reconcile: ask, timeout: 120 }
skeletons:
  Work:
    entity: '"it"'
    states: [inner/looking, inner/sending]
    entry: [inner/looking]
    inputs: [wanted]
    outputs: [found, receipt]
    commit:
      - { id: found, at: inner/sending, when: 'memory.?found.hasValue()', outputs: [found] }
    exit:
      - { id: sent, at: inner/sending -> inner/sent, when: 'memory.?receipt.hasValue()' }
    rollback: { anchors: [found, sent], resume: inner/looking }
  Around:
    entity: '"around"'
    states: [within]
    entry: [within]
    outputs: [receipt]
    exit:
      - { id: over, at: within -> over, when: 'memory.?receipt.hasValue()' }
    rollback: { anchors: [over], resume: within }
`,
  machine: (world) => {
    const inner = base(world).createMachine({
      id: 'inner',
      context: { wanted: 'x' },
      initial: 'looking',
      states: { looking, sending, sent: { type: 'final' } },
      output: ({ context }) => context.receipt,
    });
    return setup({ types: { context: {} as Context }, actors: { inner } }).createMachine({
      id: 'toy',
      context: { wanted: 'x' },
      initial: 'idle',
      states: {
        idle: { on: { go: 'within' } },
        within: {
          invoke: {
            src: 'inner',
            id: 'k',
            onDone: { target: 'over', actions: assign({ receipt: ({ event }) => event.output as string }) },
          },
        },
        over: { type: 'final' },
      },
    }) as never;
  },
};

/** Every shape. */
export const TOYS: readonly Toy[] = [
  sequential,
  parallel,
  nested,
  always,
  delayed,
  slotted(false),
  reentry,
  shallow,
  deep,
];
