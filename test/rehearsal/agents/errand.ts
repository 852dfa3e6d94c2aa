/** An errand in five units, each of which reads what one before it has left, in the context or on a shelf outside. */
import { assign, setup } from 'xstate';
import type { RecordingWorld } from '../../../src/testing/index.ts';
import { tool } from '../../../src/xstate/tool.ts';

/** The config, as reviewed. */
export const ERRAND = `belay: 1
agent: errand
tools:
  look: { writes: [wanted], effect: none, timeout: 10s }
  stock:
    reads: [wanted]
    writes: [stocked, 'shelf:goods']
    effect: reversible
    undo: unstock
    timeout: 10s
  count:
    reads: ['shelf:**']
    writes: [counted]
    effect: none
    timeout: 10s
  note:
    reads: [wanted]
    writes: [noted, 'book:note']
    effect: reversible
    undo: unnote
    timeout: 10s
  tell: { writes: [told], effect: none, timeout: 10s }
skeletons:
  Look: { entity: '"it"', states: [look], entry: [look], outputs: [wanted], exit: [{ id: looked, at: look -> stock, when: memory.wanted != null }], rollback: { anchors: [looked], joint: [Stock, Count, Note], resume: look } }
  Stock: { entity: '"it"', states: [stock], entry: [stock], outputs: [stocked, 'shelf:goods'], exit: [{ id: stocked, at: stock -> count, when: memory.stocked != null }], rollback: { anchors: [stocked], joint: [Count], resume: stock } }
  Count: { entity: '"it"', states: [count], entry: [count], outputs: [counted], exit: [{ id: counted, at: count -> note, when: memory.counted != null }], rollback: { anchors: [counted], resume: count } }
  Note: { entity: '"it"', states: [note], entry: [note], outputs: [noted, 'book:note'], exit: [{ id: noted, at: note -> tell, when: memory.noted != null }], rollback: { anchors: [noted], resume: note } }
  Tell: { entity: '"it"', states: [tell], entry: [tell], outputs: [told], exit: [{ id: told, at: tell -> done, when: memory.told != null }], rollback: { anchors: [told], resume: tell } }
`;

type Memory = {
  wanted: number | null;
  stocked: number | null;
  counted: number | null;
  noted: string | null;
  told: string | null;
};

/** The machine, on the world in which its shelf is. */
export function errandOn(world: RecordingWorld) {
  return setup({
    types: { context: {} as Memory },
    actors: {
      look: tool<number, void>(async () => 3),
      stock: tool<number, number>(async ({ input }) => input),
      count: tool<number, void>(async () => world.actsOf('stock').reduce((sum, { args }) => sum + Number(args), 0)),
      note: tool<string, number>(async ({ input }) => `noted ${input}`),
      tell: tool<string, void>(async () => 'told'),
    },
  }).createMachine({
    id: 'errand',
    context: { wanted: null, stocked: null, counted: null, noted: null, told: null },
    initial: 'look',
    states: {
      look: {
        invoke: { src: 'look', onDone: { target: 'stock', actions: assign({ wanted: ({ event }) => event.output }) } },
      },
      stock: {
        invoke: {
          src: 'stock',
          input: ({ context }) => context.wanted ?? 0,
          onDone: { target: 'count', actions: assign({ stocked: ({ event }) => event.output }) },
        },
      },
      count: {
        invoke: { src: 'count', onDone: { target: 'note', actions: assign({ counted: ({ event }) => event.output }) } },
      },
      note: {
        invoke: {
          src: 'note',
          input: ({ context }) => context.wanted ?? 0,
          onDone: { target: 'tell', actions: assign({ noted: ({ event }) => event.output }) },
        },
      },
      tell: {
        invoke: { src: 'tell', onDone: { target: 'done', actions: assign({ told: ({ event }) => event.output }) } },
      },
      done: { type: 'final' },
    },
  });
}
