/**
 * Toy machines of every shape, each around a world that can fail. Every one has a site in a tool that only looks (`look`), in a
 * tool that acts for good (`send`), in an assign and in a guard, so that each failure can be tried in each shape.
 */
import { assign, fromPromise, setup } from 'xstate';
import { tool } from '../../src/xstate/tool.ts';
import type { World } from './world.ts';

const tools = `
belay: 1
agent: toy
tools:
  look: { reads: ["wanted"], writes: ["found"], effect: none, timeout: 120 }
  send: { reads: ["found"], writes: ["receipt"], effect: irreversible, reconcile: ask, timeout: 120 }
`;

const work = (states: string, more = '') => `
skeletons:
  Work:
    entity: '"it"'
    states: [${states}]
    entry: [looking]
    inputs: [wanted]
    outputs: [found, receipt]
    commit:
      - { id: found, at: sending, when: 'memory.?found.hasValue()', outputs: [found] }
    exit:
      - { id: sent, at: sending -> sent, when: 'memory.?receipt.hasValue()' }
    rollback: { anchors: [found, sent], resume: looking }
${more}`;

interface Context {
  wanted: string;
  found?: string;
  receipt?: string;
  other?: string;
}

function base(world: World) {
  return setup({
    types: { context: {} as Context, events: {} as { type: 'go' } },
    actors: {
      look: fromPromise(({ input }: { input: string }) => world.look('look', `found ${input}`)),
      send: tool(({ input, key }: { input: string; key: string | undefined }) =>
        world.act('send', key, `sent ${input}`),
      ),
      // Undeclared to Belay's eyes but for its class: it runs beside, and must run once.
      aside: fromPromise(async () => {
        await new Promise((resolve) => setTimeout(resolve, 60));
        return world.look('aside', 'aside');
      }),
    },
    guards: {
      sure: () => {
        world.trip('guard', 'sure');
        return true;
      },
    },
    actions: {
      keepFound: assign(({ event }) => {
        world.trip('assign', 'keepFound');
        return { found: (event as unknown as { output: string }).output };
      }),
      keepReceipt: assign(({ event }) => ({ receipt: (event as unknown as { output: string }).output })),
    },
    delays: { soon: 20 },
  });
}

const looking = {
  invoke: {
    src: 'look' as const,
    input: ({ context }: { context: Context }) => context.wanted,
    onDone: { target: 'sending', guard: 'sure' as const, actions: 'keepFound' as const },
  },
};
const sending = {
  invoke: {
    src: 'send' as const,
    input: ({ context }: { context: Context }) => context.found ?? '',
    onDone: { target: 'sent', actions: 'keepReceipt' as const },
  },
};

/** A toy: its machine in a world, and its reviewed config. */
export interface Toy {
  readonly name: string;
  readonly config: string;
  machine(world: World): ReturnType<ReturnType<typeof base>['createMachine']>;
}

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

interface Slots {
  slots: Record<string, { value?: string; receipt?: string }>;
  at: number;
}

const slotted = (again: boolean): Toy => ({
  name: again ? 're-entry' : 'dynamic context',
  config: `
belay: 1
agent: toy
tools:
  look: { reads: [], writes: ["slots/{args.slot}/value"], effect: none, timeout: 120 }
  send: { reads: ["slots/{args.slot}/value"], writes: ["slots/{args.slot}/receipt"], effect: irreversible, reconcile: ask, timeout: 120 }
skeletons:
  Slot:
    entity: string(memory.at)
    states: [looking, sending]
    entry: [looking]
    outputs: ["slots/{entity}/value", "slots/{entity}/receipt"]
    commit:
      - { id: found, at: sending, when: 'memory.slots[?entity].?value.hasValue()', outputs: ["slots/{entity}/value"] }
    exit:
      - { id: sent, at: sending -> next, when: 'memory.slots[?entity].?receipt.hasValue()' }
    rollback: { anchors: [found, sent], resume: looking }
`,
  machine: (world) =>
    setup({
      types: { context: {} as Slots, events: {} as { type: 'go' } },
      actors: {
        look: fromPromise(({ input }: { input: { slot: string; turn: number } }) =>
          world.look(`look`, `found ${input.slot}.${input.turn}`),
        ),
        send: tool(({ input, key }: { input: { slot: string; value: string }; key: string | undefined }) =>
          world.act('send', key, `sent ${input.value}`),
        ),
      },
      guards: {
        sure: () => {
          world.trip('guard', 'sure');
          return true;
        },
        more: ({ context }) => context.at < 2,
      },
    }).createMachine({
      id: 'toy',
      context: { slots: {}, at: 0 },
      initial: 'idle',
      states: {
        idle: { on: { go: 'looking' } },
        looking: {
          invoke: {
            src: 'look',
            input: ({ context }) => ({ slot: slotOf(context, again), turn: context.at }),
            onDone: {
              target: 'sending',
              guard: 'sure',
              actions: assign(({ context, event }) => {
                world.trip('assign', 'keepFound');
                const slot = slotOf(context, again);
                return { slots: { ...context.slots, [slot]: { ...context.slots[slot], value: event.output } } };
              }),
            },
          },
        },
        sending: {
          invoke: {
            src: 'send',
            input: ({ context }) => ({
              slot: slotOf(context, again),
              value: context.slots[slotOf(context, again)]?.value ?? '',
            }),
            onDone: {
              target: 'next',
              actions: assign(({ context, event }) => {
                const slot = slotOf(context, again);
                return { slots: { ...context.slots, [slot]: { ...context.slots[slot], receipt: event.output } } };
              }),
            },
          },
        },
        next: {
          always: [
            { target: 'looking', guard: 'more', actions: assign({ at: ({ context }) => context.at + 1 }) },
            { target: 'over' },
          ],
        },
        over: { type: 'final' },
      },
    }) as never,
});

/** The slot that a turn is about: another each time, or always the first one again. */
function slotOf({ at }: Slots, again: boolean): string {
  return again ? '0' : String(at);
}

const reentry: Toy = { ...slotted(true), config: slotted(true).config.replace('string(memory.at)', `'"0"'`) };

/** Every shape. */
export const TOYS: readonly Toy[] = [sequential, parallel, nested, always, delayed, slotted(false), reentry];
