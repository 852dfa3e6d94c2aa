// An agent that asks for a price, books by it, and then waits: the price can be found wrong later.
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tool } from 'belay-sidecar/xstate';
import { assign, setup } from 'xstate';

export const TRIP = { skeleton: 'Quote', entity: 'trip' };

const CONFIG = `
belay: 1
agent: quotes
tools:
  quote: { reads: [], writes: [price], effect: none }
  book: { reads: [price], writes: [booked], effect: compensable, undo: unbook, reconcile: find, timeout: 20s }
skeletons:
  Quote:
    entity: '"trip"'
    states: [quoting]
    entry: [quoting]
    outputs: [price]
    exit: [{ id: quoted, at: quoting -> booking, when: memory.price > 0 }]
    rollback: { resume: quoting }
  Book:
    entity: '"trip"'
    states: [booking]
    entry: [booking]
    inputs: [price]
    outputs: [booked]
    exit: [{ id: booked, at: booking -> waiting, when: memory.booked != "" }]
    rollback: { resume: booking, compensable: undo }
`;

const none = async () => {
  throw new Error('opened by no run');
};
const machine = setup({ actors: { quote: tool(none), book: tool(none) } }).createMachine({
  id: 'quotes',
  context: { price: 0, booked: '' },
  initial: 'quoting',
  states: {
    quoting: {
      invoke: { src: 'quote', onDone: { target: 'booking', actions: assign({ price: ({ event }) => event.output }) } },
    },
    booking: {
      invoke: {
        src: 'book',
        input: ({ context }) => ({ price: context.price }),
        onDone: { target: 'waiting', actions: assign({ booked: ({ event }) => event.output }) },
      },
    },
    waiting: { on: { GO: 'over' } },
    over: { type: 'final' },
  },
});

const lines = (file) =>
  existsSync(file)
    ? readFileSync(file, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
    : [];

/** The agent, with its world in a folder. `onUndo` is called in the middle of an undo. */
export function quotes(folder, onUndo = () => {}) {
  mkdirSync(folder, { recursive: true });
  const config = join(folder, 'quotes.yaml');
  writeFileSync(config, CONFIG);
  const book = join(folder, 'bookings');
  const note = (line) => {
    if (!lines(book).includes(line)) appendFileSync(book, `${line}\n`);
  };
  const actors = {
    quote: tool(async () => {
      appendFileSync(join(folder, 'quotes'), 'asked\n');
      return lines(join(folder, 'quotes')).length;
    }),
    book: tool(async ({ key }) => {
      note(`booked ${key}`);
      return String(key);
    }),
  };
  const find = ({ key }) =>
    lines(book).includes(`booked ${key}`) ? { is: 'applied', output: key } : { is: 'not_applied' };
  const unbook = async ({ key }) => {
    note(`undone ${key}`);
    await onUndo();
  };
  return {
    machine,
    config,
    about: 'books by a price',
    open: async () => ({
      machine: machine.provide({ actors }),
      reconcilers: { find },
      undo: { unbook },
      close: async () => {},
    }),
  };
}
