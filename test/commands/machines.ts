/**
 * The machines that the commands are tried on, each with its reviewed config and the acts that its final context calls for: a chain with a
 * check, a booking that is compensated, a loop over items, two regions beside each other, and mail that waits for its commit.
 */
import { type AnyStateMachine, assign, fromPromise, setup } from 'xstate';
import { type BoundaryConfig, Denied, loadConfig, type ToolCall, tool } from '../../src/index.ts';
import { ACTS, type Called, LOOKS, TIMEOUT, type ToolName, type World } from './world.ts';

type Context = Readonly<Record<string, unknown>>;
type Given = { readonly context: Context };

/** An act that a final context calls for. */
export interface Needed {
  readonly site: string;
  readonly args: Called;
}

/** A machine under test. */
export interface Lab {
  readonly config: string;
  /** Where answers are kept: the key of the context, by the site that gave it. */
  readonly sites: Readonly<Record<string, string>>;
  machine(world: World): AnyStateMachine;
  /** The acts that stand once the run has ended with this context. */
  needs(context: Context): readonly Needed[];
}

/** The value that a context has under a path. */
export function valueAt(context: Context, path: string): unknown {
  return path.split('/').reduce((at: unknown, part) => (at as Context | undefined)?.[part], context);
}

function base(world: World) {
  const looks = LOOKS.map((name) => [
    name,
    fromPromise(({ input }: { input: Called }) => world.look(name, { input } as never)),
  ]);
  const acts = ACTS.map((name) => [name, tool((call: ToolCall<Called>) => world.act(name, call))]);
  return setup({ actors: Object.fromEntries([...looks, ...acts]) as never, types: { context: {} as Context } });
}

/** A state that calls a tool, keeps its answer under a key, and goes on. */
function calls(name: ToolName, key: string, target: string, reads: readonly string[] = [], more: object = {}) {
  return {
    invoke: {
      src: name,
      input: ({ context }: Given) => ({ for: 'it', ...Object.fromEntries(reads.map((read) => [read, context[read]])) }),
      onDone: {
        target,
        actions: assign({ [key]: ({ event }: { event: { output: unknown } }) => event.output } as never),
      },
      ...more,
    },
  };
}

const over = { type: 'final' };
const rest = { on: { close: 'over' } };

function machineOf(world: World, id: string, definition: object): AnyStateMachine {
  return base(world).createMachine({ id, context: {}, ...definition } as never) as never;
}

function text(agent: string, tools: Readonly<Record<string, string>>, skeletons: string): string {
  const listed = Object.entries(tools).map(([name, says]) => `  ${name}: { timeout: ${TIMEOUT}ms, ${says} }`);
  return `belay: 1\nagent: ${agent}\ntools:\n${listed.join('\n')}\nskeletons:${skeletons}\n`;
}

/** A unit of work: its states, its last edge, what it writes, and what else its rollback says. */
function unit(name: string, states: string, at: string, writes: string, rollback = '', entity = '"it"'): string {
  const [entry = ''] = states.split(', ');
  const when = `memory.?${writes.replace('/{entity}', '')}`;
  return `
  ${name}:
    entity: '${entity}'
    states: [${states}]
    entry: [${entry}]
    outputs: ["${writes}"]
    exit: [{ id: done, at: ${at}, when: '${when}.hasValue()' }]
    rollback: { anchors: [done], resume: ${entry}, tries: 5${rollback} }`;
}

const FIND = 'reconcile: { ask: find, tries: 2, wait: 1ms }';
const PAY = `effect: irreversible, ${FIND}`;
const pays = (context: Context, reads: readonly string[]): Needed => needs('pay', context, reads);

function needs(name: ToolName, context: Context, reads: readonly string[]): Needed {
  return { site: `${name} it`, args: { for: 'it', ...Object.fromEntries(reads.map((read) => [read, context[read]])) } };
}

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

function each(name: ToolName, from: string, key: string, target: string) {
  return {
    invoke: {
      src: name,
      input: ({ context }: Given) => ({
        for: String(context.at),
        ...(from !== '' && { from: valueAt(context, `${from}/${context.at}`) }),
      }),
      onDone: {
        target,
        actions: assign(({ context, event }: { context: Context; event: object }) => ({
          [key]: { ...(context[key] as Context), [String(context.at)]: (event as { output?: unknown }).output },
        })) as never,
      },
    },
  };
}

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
