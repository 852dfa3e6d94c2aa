/** A letter that is held back until it was found fine; on this way through the machine it is not. */
import { assign, setup } from 'xstate';
import { tool } from '../../../src/xstate/tool.ts';

/** The config, as reviewed. */
export const LETTER = `belay: 1
agent: letter
tools:
  send: { writes: ['mail:letter'], effect: irreversible, buffer: true, timeout: 10s }
  check: { writes: [fine], effect: none, timeout: 10s, output: { type: boolean } }
skeletons:
  Letter:
    entity: '"it"'
    states: [sending, checking]
    entry: [sending]
    outputs: [fine]
    exit:
      - { id: fine, at: checking -> done, when: memory.fine == true }
    rollback: { anchors: [fine], resume: checking }
`;

/** The machine. */
export const letter = setup({
  types: { context: {} as { fine: boolean | null } },
  actors: {
    send: tool<string, string>(async ({ input }) => input),
    check: tool<boolean, void>(async () => false),
  },
}).createMachine({
  id: 'letter',
  context: { fine: null },
  initial: 'sending',
  states: {
    sending: { invoke: { src: 'send', input: 'Dear Ada', onDone: 'checking' } },
    checking: {
      invoke: { src: 'check', onDone: { target: 'done', actions: assign({ fine: ({ event }) => event.output }) } },
    },
    done: { type: 'final' },
  },
});
