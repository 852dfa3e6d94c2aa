/** Toy machines that come back to where they were: through history states, and out of a state in which everything is over. */
import { assign } from 'xstate';
import { base, looking, sending, type Toy, tools } from './toy-parts.ts';

const unit = (states: string, at: string) => `
skeletons:
  Work:
    entity: '"it"'
    states: [${states}]
    entry: [work.${at}looking]
    inputs: [wanted]
    outputs: [found, other, receipt]
    commit:
      - { id: found, at: work.${at}sending, when: 'memory.?found.hasValue()', outputs: [found] }
    exit:
      - { id: sent, at: work.${at}sending -> work.${at}sent, when: 'memory.?receipt.hasValue()' }
    rollback: { anchors: [found, sent], resume: work.${at}looking }
`;

const rested = { guard: ({ context }: { context: { other?: string } }) => context.other !== undefined };
/** Leaves everything once, and comes back to where it was. */
const weighing = {
  always: { ...rested, target: 'sending' },
  after: { soon: { target: '#toy.paused', actions: assign({ other: 'rested' }) } },
};
const found = { invoke: { ...looking.invoke, onDone: { ...looking.invoke.onDone, target: 'weighing' } } };

export const shallow: Toy = {
  name: 'a history state',
  config: `${tools}${unit('work.looking, work.weighing, paused, work.sending', '')}`,
  machine: (world) =>
    base(world).createMachine({
      id: 'toy',
      context: { wanted: 'x' },
      initial: 'idle',
      states: {
        idle: { on: { go: 'work' } },
        work: {
          initial: 'looking',
          states: { looking: found, weighing, sending, sent: { type: 'final' }, back: { type: 'history' } },
          onDone: 'over',
        },
        paused: { after: { soon: 'work.back' } },
        over: { type: 'final' },
      },
    } as never) as never,
};

export const deep: Toy = {
  name: 'a deep history state around regions',
  config: `${tools}${unit('work.main.looking, work.main.weighing, paused, work.main.sending', 'main.')}`,
  machine: (world) =>
    base(world).createMachine({
      id: 'toy',
      context: { wanted: 'x' },
      initial: 'idle',
      states: {
        idle: { on: { go: 'work' } },
        work: {
          type: 'parallel',
          states: {
            main: { initial: 'looking', states: { looking: found, weighing, sending, sent: { type: 'final' } } },
            beside: {
              initial: 'one',
              states: {
                one: { after: { 5: 'two' } },
                two: { always: { ...rested, target: 'three' } },
                three: { type: 'final' },
              },
            },
            back: { type: 'history', history: 'deep' },
          },
          onDone: 'over',
        },
        paused: { after: { soon: 'work.back' } },
        over: { type: 'final' },
      },
    } as never) as never,
};
