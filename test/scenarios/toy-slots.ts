/** Toy machines that do one slot after another, or the same one again. */
import { assign, fromPromise, setup } from 'xstate';
import { tool } from '../../src/xstate/tool.ts';
import type { Toy } from './toy-parts.ts';

interface Slots {
  slots: Record<string, { value?: string; receipt?: string }>;
  at: number;
}

export const slotted = (again: boolean): Toy => ({
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

export const reentry: Toy = { ...slotted(true), config: slotted(true).config.replace('string(memory.at)', `'"0"'`) };
