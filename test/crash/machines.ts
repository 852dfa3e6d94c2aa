/**
 * The agents that are killed: one that sends for good, two that work in regions beside each other and within each other, one
 * whose booking has to be undone before it can go on, one that waits, and one that does a unit of work after another.
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

interface Slots {
  at: number;
  slots: Record<string, { found?: string; checked?: string; receipt?: string }>;
}

/** One instance after another, each of which sends for good: what one has sent is not undone when a later one goes back. */
const slots: Agent = {
  config: `
belay: 1
agent: toy
tools:
  look: { reads: [], writes: ["slots/{args.slot}/found"], effect: none }
  check: { reads: ["slots/{args.slot}/found"], writes: ["slots/{args.slot}/checked"], effect: none }
  send: { reads: ["slots/{args.slot}/found"], writes: ["slots/{args.slot}/receipt"], effect: irreversible, reconcile: ask }
skeletons:
  Slot:
    entity: string(memory.at)
    states: [looking, checking, sending]
    entry: [looking]
    outputs: ["slots/{entity}/found", "slots/{entity}/checked", "slots/{entity}/receipt"]
    commit:
      - { id: found, at: checking, when: 'memory.slots[?entity].?found.hasValue()', outputs: ["slots/{entity}/found"] }
    exit:
      - { id: sent, at: sending -> next, when: 'memory.slots[?entity].?receipt.hasValue()' }
    rollback: { anchors: [found, sent] }
`,
  faults: [
    { site: 'check 1', does: 'refuse', times: 1 },
    { site: 'look 2', does: 'refuse', times: 1 },
    { site: 'send 2', does: 'lose', times: 1 },
  ],
  ordered: true,
  machine: (world) => {
    const call = ({ slot }: { slot: string }, site: string, key: string | null) =>
      world.act(`${site} ${slot}`, key, `${site} ${slot}`);
    type SlotInput = { input: { slot: string }; key: string | undefined };
    const keep = (context: Slots, more: object) => ({
      slots: { ...context.slots, [context.at]: { ...context.slots[context.at], ...more } },
    });
    const input = ({ context }: { context: Slots }) => ({ slot: String(context.at) });
    return setup({
      types: { context: {} as Slots },
      actors: {
        look: fromPromise(({ input }: { input: { slot: string } }) => call(input, 'look', null)),
        check: fromPromise(({ input }: { input: { slot: string } }) => call(input, 'check', null)),
        send: tool(({ input, key }: SlotInput) => call(input, 'send', key ?? 'none')),
      },
      actions: {
        keepFound: assign(({ context, event }) => keep(context, { found: outputOf(event) })),
        keepChecked: assign(({ context, event }) => keep(context, { checked: outputOf(event) })),
        keepReceipt: assign(({ context, event }) => keep(context, { receipt: outputOf(event) })),
      },
    }).createMachine({
      id: 'toy',
      context: { at: 0, slots: {} },
      initial: 'looking',
      states: {
        looking: { invoke: { src: 'look', input, onDone: { target: 'checking', actions: 'keepFound' } } },
        checking: { invoke: { src: 'check', input, onDone: { target: 'sending', actions: 'keepChecked' } } },
        sending: { invoke: { src: 'send', input, onDone: { target: 'next', actions: 'keepReceipt' } } },
        next: {
          always: [
            {
              target: 'looking',
              guard: ({ context }) => context.at < 2,
              actions: assign({ at: ({ context }) => context.at + 1 }),
            },
            { target: 'over' },
          ],
        },
        over: { type: 'final' },
      },
    });
  },
};

/** One that asks a person before it sends. */
const gated: Agent = {
  ...sequential,
  config: sequential.config.replace('effect: irreversible,', 'effect: irreversible, gate: { expires: 1h },'),
};

/** One that holds two writes back until both are there and come to nothing together, and goes back once in between. */
const posting: Agent = {
  config: `
belay: 1
agent: toy
tools:
  look: { reads: [wanted], writes: [found], effect: none }
  check: { reads: [found], writes: [checked], effect: none }
  debit: { reads: [found], writes: [], effect: reversible, undo: unbook, reconcile: ask, buffer: books }
  credit: { reads: [found], writes: [receipt], effect: reversible, undo: unbook, reconcile: ask, buffer: books }
skeletons:
  Post:
    entity: '"it"'
    states: [looking, debiting, checking, crediting]
    entry: [looking]
    inputs: [wanted]
    outputs: [found, checked, receipt]
    commit:
      - { id: found, at: debiting, when: 'memory.?found.hasValue()', outputs: [found] }
    exit:
      - id: posted
        at: crediting -> sent
        when: 'memory.?receipt.hasValue()'
        outputs: [receipt]
        invariants: [{ id: balanced, sum: { debit: args.cents, credit: -args.cents }, is: 0 }]
    rollback: { anchors: [found, posted], resume: crediting, tries: 9 }
`,
  faults: [{ site: 'check', does: 'refuse', times: 1 }],
  ordered: true,
  machine: (world) => {
    const stages = tool(async ({ input }: { input: { cents: number } }) => `${input.cents} are aside`);
    const input = () => ({ cents: 50 });
    const looks = (site: string) =>
      fromPromise(({ input }: { input: string }) => world.act(site, null, `${site} ${input}`));
    return setup({
      types: { context: {} as Context, events: {} as { type: 'go' } },
      actors: { look: looks('look'), check: looks('check'), debit: stages, credit: stages },
      actions: {
        keepFound: assign(({ event }) => ({ found: outputOf(event) })),
        keepChecked: assign(({ event }) => ({ checked: outputOf(event) })),
        keepReceipt: assign(({ event }) => ({ receipt: outputOf(event) })),
      },
    }).createMachine({
      id: 'toy',
      context: { wanted: 'x' },
      initial: 'idle',
      states: {
        idle: { on: { go: 'looking' } },
        looking: looking('debiting'),
        debiting: { invoke: { src: 'debit', input, onDone: 'checking' } },
        checking: step('check', ({ found }) => found ?? '', 'crediting', 'keepChecked'),
        crediting: { invoke: { src: 'credit', input, onDone: { target: 'sent', actions: 'keepReceipt' } } },
        sent,
      },
    });
  },
};

/** Every agent, by name. */
export const AGENTS = { gated, posting, sequential, parallel, nested, booking, rested, slots };
export type AgentName = keyof typeof AGENTS;
