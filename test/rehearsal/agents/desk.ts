/** An order whose permit is stamped by a machine of its own, which waits for a person's event. */
import { assign, setup } from 'xstate';
import { loadConfig } from '../../../src/index.ts';
import { tool } from '../../../src/xstate/index.ts';

const PAGE = `
belay: 1
agent: permit
tools:
  stamp: { writes: [stamped, 'office:permit'], effect: irreversible, reconcile: findStamp, timeout: 10s }
  desk: { writes: [permit], effect: none }
skeletons:
  Permit:
    entity: '"it"'
    states: [permitting]
    entry: [permitting]
    outputs: [permit]
    exit: [{ id: permitted, at: permitting -> done, when: memory.permit != null }]
    rollback: { anchors: [permitted], resume: permitting }
  Stamp:
    entity: '"it"'
    states: [desk/stamping]
    entry: [desk/stamping]
    outputs: [stamped, 'office:permit', 'actor:**']
    exit: [{ id: stamped, at: desk/stamping -> desk/stamped, when: memory.stamped != null }]
    rollback: { anchors: [stamped], resume: desk/stamping }
`;

/** The config, as reviewed. */
export const { config } = loadConfig(PAGE, { file: 'permit.yaml' });

const desk = setup({
  types: { context: {} as { stamped: string | null }, output: {} as string, events: {} as { type: 'yes' } },
  actors: { stamp: tool<string, void>(async () => 'stamped') },
}).createMachine({
  id: 'desk',
  context: { stamped: null },
  initial: 'waiting',
  output: ({ context }) => context.stamped ?? '',
  states: {
    waiting: { on: { yes: 'stamping' } },
    stamping: {
      invoke: {
        src: 'stamp',
        onDone: { target: 'stamped', actions: assign({ stamped: ({ event }) => event.output }) },
      },
      on: { yes: {} },
    },
    stamped: { type: 'final' },
  },
});

/** The machine. */
export const permit = setup({
  types: { context: {} as { permit: string | null } },
  actors: { desk },
}).createMachine({
  id: 'permit',
  context: { permit: null },
  initial: 'permitting',
  states: {
    permitting: {
      invoke: {
        id: 'counter',
        src: 'desk',
        onDone: { target: 'done', actions: assign({ permit: ({ event }) => event.output }) },
      },
    },
    done: { type: 'final' },
  },
});
