/** Restocks one item: reserves a shelf that fits its value, and prints its label. */
import { assign, setup } from 'xstate';
import type { RecordingWorld } from '../../../src/testing/index.ts';
import { tool } from '../../../src/xstate/tool.ts';

/** An item by its name. */
export type Named = { item: string };
type Valued = Named & { value: number };

/** Things of value go to the safe shelves, others to the open ones; each takes the next free place. */
function place(world: RecordingWorld, value: number): string {
  const kind = value > 40 ? 'safe' : 'open';
  const taken = world.actsOf('reserveShelf').filter(({ output }) => String(output).startsWith(kind));
  return `${kind} ${taken.length + 1}`;
}

/** The shelves that are taken, in words. */
export const counted = (world: RecordingWorld): string =>
  world
    .actsOf('reserveShelf')
    .map(({ output }) => String(output))
    .join(', ');

/** The machine that restocks one item, on the world in which its shelves are. */
export function restockOn(world: RecordingWorld) {
  return setup({
    types: { input: {} as Valued, context: {} as Valued & { shelf: string; label: string }, output: {} as string },
    actors: {
      reserveShelf: tool<string, Valued>(async ({ input }) => place(world, input.value)),
      printLabel: tool<string, Named & { shelf: string }>(async ({ input }) => `label: ${input.item}, ${input.shelf}`),
    },
  }).createMachine({
    id: 'restock',
    context: ({ input }) => ({ ...input, shelf: '', label: '' }),
    initial: 'reserving',
    output: ({ context }) => context.shelf,
    states: {
      reserving: {
        invoke: {
          src: 'reserveShelf',
          input: ({ context: { item, value } }) => ({ item, value }),
          onDone: { target: 'labelling', actions: assign({ shelf: ({ event }) => event.output }) },
        },
      },
      labelling: {
        invoke: {
          src: 'printLabel',
          input: ({ context: { item, shelf } }) => ({ item, shelf }),
          onDone: { target: 'labelled', actions: assign({ label: ({ event }) => event.output }) },
        },
      },
      labelled: { type: 'final' },
    },
  });
}
