/** The tools, work and steps that toy machines are made of, around a world that can fail. */
import { assign, fromPromise, setup } from 'xstate';
import { tool } from '../../src/xstate/tool.ts';
import type { World } from './world.ts';

export const tools = `
belay: 1
agent: toy
tools:
  look: { reads: ["wanted"], writes: ["found"], effect: none, timeout: 120 }
  send: { reads: ["found"], writes: ["receipt"], effect: irreversible, reconcile: ask, timeout: 120 }
`;

export const work = (states: string, more = '') => `
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

export interface Context {
  wanted: string;
  found?: string;
  receipt?: string;
  other?: string;
}

export function base(world: World) {
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

export const looking = {
  invoke: {
    src: 'look' as const,
    input: ({ context }: { context: Context }) => context.wanted,
    onDone: { target: 'sending', guard: 'sure' as const, actions: 'keepFound' as const },
  },
};
export const sending = {
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
