/**
 * The agents that are killed: one that sends for good, two that work in regions beside each other and within each other, one whose
 * booking has to be undone before it can go on, one that waits, and one that asks a person.
 */
import { assign, setup } from 'xstate';
import {
  type Agent,
  base,
  type Context,
  checking,
  looking,
  sending,
  sent,
  step,
  tools,
  work,
} from './machine-parts.ts';
import { posting } from './machine-posting.ts';
import { slots } from './machine-slots.ts';

const sequential: Agent = {
  config: `
belay: 1
agent: toy
tools:${tools}
skeletons:${work('', 'looking sending')}
`,
  faults: [{ site: 'send', does: 'lose', times: 1 }],
  ordered: true,
  machine: (world) =>
    base(world).createMachine({
      id: 'toy',
      context: { wanted: 'x' },
      initial: 'idle',
      states: { idle: { on: { go: 'looking' } }, looking: looking('sending'), sending, sent },
    }),
};

const parallel: Agent = {
  config: `
belay: 1
agent: toy
tools:${tools}
  note: { reads: [], writes: [note], effect: idempotent, reconcile: ask }
skeletons:${work('main.', 'looking checking sending')}
  Aside:
    entity: '"beside"'
    states: [beside.noting]
    entry: [beside.noting]
    outputs: [note]
    exit:
      - { id: noted, at: beside.noting -> beside.noted, when: 'memory.?note.hasValue()' }
    rollback: { anchors: [noted] }
`,
  faults: [{ site: 'check', does: 'refuse', times: 2 }],
  ordered: false,
  machine: (world) =>
    base(world).createMachine({
      id: 'toy',
      context: { wanted: 'x' },
      type: 'parallel',
      states: {
        main: {
          initial: 'idle',
          states: { idle: { on: { go: 'looking' } }, looking: looking('checking'), checking, sending, sent },
        },
        beside: {
          initial: 'idle',
          states: {
            idle: { on: { go: 'noting' } },
            noting: step('note', () => 'beside', 'noted', 'keepNote'),
            noted: { type: 'final' },
          },
        },
      },
    }),
};

const nested: Agent = {
  config: `
belay: 1
agent: toy
tools:${tools}
skeletons:${work('inner/', 'looking checking sending')}
  Around:
    entity: '"around"'
    states: [within]
    entry: [within]
    outputs: [receipt]
    exit:
      - { id: over, at: within -> over, when: 'memory.?receipt.hasValue()' }
    rollback: { anchors: [over] }
`,
  faults: [{ site: 'check', does: 'refuse', times: 2 }],
  ordered: true,
  machine: (world) => {
    const inner = base(world).createMachine({
      id: 'inner',
      context: { wanted: 'x' },
      initial: 'looking',
      states: { looking: looking('checking'), checking, sending, sent },
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
    });
  },
};

const booking: Agent = {
  config: `
belay: 1
agent: toy
tools:${tools}
  book: { reads: [found], writes: [booking], effect: compensable, reconcile: ask, undo: unbook }
skeletons:${work('', 'looking booking checking sending')}
`,
  // It takes two bookings that are undone until the third one passes.
  faults: [{ site: 'check', does: 'refuse', until: { site: 'unbook', count: 2 } }],
  ordered: true,
  machine: (world) =>
    base(world).createMachine({
      id: 'toy',
      context: { wanted: 'x' },
      initial: 'looking',
      states: {
        looking: looking('booking'),
        booking: step('book', ({ found }) => found ?? '', 'checking', 'keepBooking'),
        checking,
        sending,
        sent,
      },
    }),
};

const rested: Agent = {
  config: `
belay: 1
agent: toy
tools:${tools}
skeletons:${work('', 'looking resting checking sending')}
`,
  faults: [{ site: 'check', does: 'refuse', times: 1 }],
  ordered: true,
  machine: (world) =>
    base(world).createMachine({
      id: 'toy',
      context: { wanted: 'x' },
      initial: 'looking',
      states: {
        looking: looking('resting'),
        resting: { after: { 40: 'checking' } },
        checking,
        sending,
        sent: { after: { 20: 'over' } },
        over: { type: 'final' },
      },
    }),
};

/** One that asks a person before it sends. */
const gated: Agent = {
  ...sequential,
  config: sequential.config.replace('effect: irreversible,', 'effect: irreversible, gate: { expires: 1h },'),
};

/** Every agent, by name. */
export const AGENTS = { gated, posting, sequential, parallel, nested, booking, rested, slots };
export type AgentName = keyof typeof AGENTS;
