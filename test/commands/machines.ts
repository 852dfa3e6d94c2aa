/**
 * The machines that the commands are tried on, each with its reviewed config and the acts that its final context calls for: a chain with a
 * check, a booking that is compensated, a loop over items, two regions beside each other, and mail that waits for its commit.
 */
import { assign } from 'xstate';
import { type BoundaryConfig, Denied, loadConfig } from '../../src/index.ts';
import {
  calls,
  each,
  FIND,
  type Given,
  type Lab,
  machineOf,
  needs,
  over,
  PAY,
  pays,
  rest,
  text,
  unit,
  valueAt,
} from './building.ts';

/** look; check; pay, of which a denial is handled; note. */
const chain: Lab = {
  config: text(
    'chain',
    {
      look: 'writes: [looked], effect: none',
      check: 'reads: [looked], writes: [checked], effect: none',
      pay: `reads: [looked, checked], writes: [paid], ${PAY}, gate: true`,
      note: 'reads: [looked], writes: [noted], effect: idempotent',
    },
    unit('LOOK', 'look', 'look -> check', 'looked') +
      unit('CHECK', 'check', 'check -> pay', 'checked') +
      unit('PAY', 'pay', 'pay -> note', 'paid')
        .replace('outputs: ["paid"]', 'outputs: [paid, declined]')
        .replace("hasValue()' }", "hasValue()', outputs: [paid] }") +
      unit('NOTE', 'note', 'note -> rest', 'noted'),
  ),
  sites: { 'look it': 'looked', 'check it': 'checked', 'pay it': 'paid', 'note it': 'noted' },
  machine: (world) =>
    machineOf(world, 'chain', {
      initial: 'look',
      states: {
        look: calls('look', 'looked', 'check'),
        check: calls('check', 'checked', 'pay', ['looked']),
        pay: calls('pay', 'paid', 'note', ['looked', 'checked'], {
          onError: {
            guard: ({ event }: { event: { error: unknown } }) => event.error instanceof Denied,
            target: 'note',
            actions: assign({ declined: true } as never),
          },
        }),
        note: calls('note', 'noted', 'rest', ['looked']),
        rest,
        over,
      },
    }),
  needs: (context) => [
    ...(context.declined === true ? [] : [pays(context, ['looked', 'checked'])]),
    needs('note', context, ['looked']),
  ],
};

/** look; book, check; pay. A look that is found wrong after the booking has it undone. */
const booking: Lab = {
  config: text(
    'booking',
    {
      look: 'writes: [looked], effect: none',
      book: `reads: [looked], writes: [booked], effect: compensable, undo: un, ${FIND}`,
      check: 'reads: [booked], writes: [checked], effect: none',
      pay: `reads: [booked], writes: [paid], ${PAY}, gate: true`,
    },
    unit('LOOK', 'look', 'look -> book', 'looked', ', joint: [BOOK]') +
      unit('BOOK', 'book, check', 'check -> pay', 'booked', ', compensable: undo').replace(
        'outputs: ["booked"]',
        'outputs: [booked, checked]',
      ) +
      unit('PAY', 'pay', 'pay -> rest', 'paid'),
  ),
  sites: { 'look it': 'looked', 'book it': 'booked', 'check it': 'checked', 'pay it': 'paid' },
  machine: (world) =>
    machineOf(world, 'booking', {
      initial: 'look',
      states: {
        look: calls('look', 'looked', 'book'),
        book: calls('book', 'booked', 'check', ['looked']),
        check: calls('check', 'checked', 'pay', ['booked']),
        pay: calls('pay', 'paid', 'rest', ['booked']),
        rest,
        over,
      },
    }),
  needs: (context) => [needs('book', context, ['looked']), pays(context, ['booked'])],
};

const ITEMS = [0, 1, 2];

/** For each item: quote; order. All quotes are occurrences of one unit, and each order is a unit of its own. */
const loop: Lab = {
  config: text(
    'loop',
    {
      quote: 'writes: ["quotes/{args.for}"], effect: none',
      order: `reads: ["quotes/{args.for}"], writes: ["orders/{args.for}"], effect: reversible, undo: un, ${FIND}`,
    },
    unit('QUOTE', 'quote', 'quote -> order', 'quotes', ', joint: [ORDER]') +
      unit('ORDER', 'order', 'order -> next', 'orders/{entity}', '', 'string(memory.at)').replace(
        'memory.?orders.hasValue()',
        'memory.orders[?entity].hasValue()',
      ),
  ),
  sites: Object.fromEntries(
    ITEMS.flatMap((item) => [
      [`quote ${item}`, `quotes/${item}`],
      [`order ${item}`, `orders/${item}`],
    ]),
  ),
  machine: (world) =>
    machineOf(world, 'loop', {
      context: { at: 0, quotes: {}, orders: {} },
      initial: 'quote',
      states: {
        quote: each('quote', '', 'quotes', 'order'),
        order: each('order', 'quotes', 'orders', 'next'),
        next: {
          always: [
            {
              guard: ({ context }: Given) => (context.at as number) + 1 < ITEMS.length,
              target: 'quote',
              actions: assign({ at: ({ context }: Given) => (context.at as number) + 1 } as never),
            },
            'rest',
          ],
        },
        rest,
        over,
      },
    }),
  needs: (context) =>
    ITEMS.map((item) => ({
      site: `order ${item}`,
      args: { for: String(item), from: valueAt(context, `quotes/${item}`) },
    })),
};

/** Beside each other: look; pay, and ask; tell. */
const regions: Lab = {
  config: text(
    'regions',
    {
      look: 'writes: [looked], effect: none',
      pay: `reads: [looked], writes: [paid], ${PAY}, gate: true`,
      ask: 'writes: [asked], effect: idempotent',
      tell: `reads: [asked], writes: [told], effect: reversible, undo: un, ${FIND}`,
    },
    unit('LOOK', 'p.look', 'p.look -> p.pay', 'looked') +
      unit('PAY', 'p.pay', 'p.pay -> p.rest', 'paid') +
      unit('ASK', 'q.ask', 'q.ask -> q.tell', 'asked', ', joint: [TELL]') +
      unit('TELL', 'q.tell', 'q.tell -> q.rest', 'told'),
  ),
  sites: { 'look it': 'looked', 'pay it': 'paid', 'ask it': 'asked', 'tell it': 'told' },
  machine: (world) =>
    machineOf(world, 'regions', {
      type: 'parallel',
      states: {
        p: {
          initial: 'look',
          states: { look: calls('look', 'looked', 'pay'), pay: calls('pay', 'paid', 'rest', ['looked']), rest, over },
        },
        q: {
          initial: 'ask',
          states: { ask: calls('ask', 'asked', 'tell'), tell: calls('tell', 'told', 'rest', ['asked']), rest, over },
        },
      },
    }),
  needs: (context) => [pays(context, ['looked']), needs('ask', context, []), needs('tell', context, ['asked'])],
};

/** draft; mail, which stays unseen until the check has passed; note. */
const mailing: Lab = {
  config: text(
    'mailing',
    {
      draft: 'writes: [drafted], effect: none',
      mail: `reads: [drafted], writes: [], effect: irreversible, buffer: true, ${FIND}`,
      check: 'reads: [drafted], writes: [checked], effect: none',
      note: 'reads: [checked], writes: [noted], effect: idempotent',
    },
    unit('MAIL', 'draft, mail, check', 'check -> note', 'checked').replace(
      'outputs: ["checked"]',
      'outputs: [drafted, checked]',
    ) + unit('NOTE', 'note', 'note -> rest', 'noted'),
  ),
  sites: { 'draft it': 'drafted', 'check it': 'checked', 'note it': 'noted' },
  machine: (world) =>
    machineOf(world, 'mailing', {
      initial: 'draft',
      states: {
        draft: calls('draft', 'drafted', 'mail'),
        mail: {
          invoke: {
            src: 'mail',
            input: ({ context }: Given) => ({ for: 'it', drafted: context.drafted }),
            onDone: 'check',
          },
        },
        check: calls('check', 'checked', 'note', ['drafted']),
        note: calls('note', 'noted', 'rest', ['checked']),
        rest,
        over,
      },
    }),
  needs: (context) => [needs('mail', context, ['drafted']), needs('note', context, ['checked'])],
};

/** Every machine, by its name. */
export const LABS = { chain, booking, loop, regions, mailing };
export type LabName = keyof typeof LABS;

const loaded = new Map<string, BoundaryConfig>();

/** The reviewed config of a machine. */
export function configOf(name: LabName): BoundaryConfig {
  const known = loaded.get(name);
  if (known !== undefined) return known;
  const { config, findings } = loadConfig(LABS[name].config, { file: `${name}.yaml` });
  if (config === null) throw new Error(findings.map(({ line, message }) => `${line}: ${message}`).join('\n'));
  loaded.set(name, config);
  return config;
}
