/** The agent that does a unit of work after another. */
import { assign, fromPromise, setup } from 'xstate';
import { tool } from '../../src/xstate/tool.ts';
import { type Agent, outputOf } from './machine-parts.ts';

interface Slots {
  at: number;
  slots: Record<string, { found?: string; checked?: string; receipt?: string }>;
}

/** One instance after another, each of which sends for good: what one has sent is not undone when a later one goes back. */
export const slots: Agent = {
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
