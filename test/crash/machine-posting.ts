/** The agent that holds writes back until they come to nothing together. */
import { assign, fromPromise, setup } from 'xstate';
import { tool } from '../../src/xstate/tool.ts';
import { type Agent, type Context, looking, outputOf, sent, step } from './machine-parts.ts';

/** One that holds two writes back until both are there and come to nothing together, and goes back once in between. */
export const posting: Agent = {
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
