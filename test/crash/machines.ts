/**
 * The agents that are killed: one that sends for good, two that work in regions beside each other and within each other, and
 * one whose booking has to be undone before it can go on.
 */
import { type AnyStateMachine, assign, fromPromise, setup } from 'xstate';
import { tool } from '../../src/xstate/tool.ts';
import type { Client } from './client.ts';
import type { Fault } from './counterparty.ts';

interface Context {
  wanted: string;
  found?: string;
  checked?: string;
  booking?: string;
  note?: string;
  receipt?: string;
}

/** An agent, its reviewed config, and what goes wrong while it runs. */
interface Agent {
  readonly config: string;
  /** What goes wrong on the way, without which it would need no recovery. */
  readonly faults: readonly Fault[];
  /** The acts that count once everything is over, in their order; regions beside each other have none. */
  readonly ordered: boolean;
  machine(world: Client): AnyStateMachine;
}

interface Input {
  input: string;
  key: string | undefined;
}

function outputOf(event: object): string {
  return (event as { output: string }).output;
}

function base(world: Client) {
  const looks = (site: string) =>
    fromPromise(({ input }: { input: string }) => world.act(site, null, `${site} ${input}`));
  const acts = (site: string) => tool(({ input, key }: Input) => world.act(site, key ?? 'none', `${site} ${input}`));
  return setup({
    types: { context: {} as Context, events: {} as { type: 'go' } },
    actors: { look: looks('look'), check: looks('check'), book: acts('book'), note: acts('note'), send: acts('send') },
    actions: {
      keepFound: assign(({ event }) => ({ found: outputOf(event) })),
      keepChecked: assign(({ event }) => ({ checked: outputOf(event) })),
      keepBooking: assign(({ event }) => ({ booking: outputOf(event) })),
      keepNote: assign(({ event }) => ({ note: outputOf(event) })),
      keepReceipt: assign(({ event }) => ({ receipt: outputOf(event) })),
    },
  });
}

const step = <Src extends string, Action extends string>(
  src: Src,
  input: (context: Context) => string,
  target: string,
  actions: Action,
) => ({
  invoke: { src, input: ({ context }: { context: Context }) => input(context), onDone: { target, actions } },
});
const looking = (target: string) => step('look', ({ wanted }) => wanted, target, 'keepFound');
const checking = step('check', ({ found }) => found ?? '', 'sending', 'keepChecked');
const sending = step('send', ({ found }) => found ?? '', 'sent', 'keepReceipt');
const sent = { type: 'final' as const };

const tools = `
  look: { reads: [wanted], writes: [found], effect: none }
  check: { reads: [found], writes: [checked], effect: none }
  send: { reads: [found], writes: [receipt], effect: irreversible, reconcile: ask }`;

const work = (within: string, states: string) => `
  Work:
    entity: '"it"'
    states: [${states
      .split(' ')
      .map((state) => `${within}${state}`)
      .join(', ')}]
    entry: [${within}looking]
    inputs: [wanted]
    outputs: [found, checked, booking, receipt]
    commit:
      - { id: found, at: ${within}${states.split(' ')[1]}, when: 'memory.?found.hasValue()', outputs: [found] }
    exit:
      - { id: sent, at: ${within}sending -> ${within}sent, when: 'memory.?receipt.hasValue()', outputs: [found, receipt] }
    rollback: { anchors: [found, sent], compensable: undo, tries: 9 }`;

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

/** Every agent, by name. */
export const AGENTS = { sequential, parallel, nested, booking };
export type AgentName = keyof typeof AGENTS;
