/**
 * Kinds of machines that people publish, written anew in the idioms of their authors: nobody who wrote them had Belay in mind. Each acts
 * on a shop, and has a person who does something where the machine waits for one.
 */
import { type AnyActorRef, assign, fromCallback, sendParent, sendTo, setup } from 'xstate';
import { type Event, events, type Stranger } from './stranger.ts';

const order: Stranger = {
  name: 'order',
  acts: ['charge', 'ship'],
  person: [['cart', { type: 'CHECKOUT' }]],
  machine: (shop) =>
    setup({
      types: {
        events,
        context: {} as {
          items: string[];
          total: number | null;
          payment: string | null;
          parcel: string | null;
          error: unknown;
        },
      },
      actors: {
        price: shop.read('price', ({ items }: { items: string[] }) => items.length * 700),
        charge: shop.act('charge', ({ total }: { total: number | null }) => `payment of ${total}`),
        ship: shop.act('ship', ({ items }: { items: string[] }) => `parcel of ${items.join()}`),
      },
      guards: { isFree: ({ context }) => context.total === 0 },
    }).createMachine({
      id: 'order',
      context: { items: ['lamp', 'desk'], total: null, payment: null, parcel: null, error: null },
      initial: 'cart',
      states: {
        cart: { on: { CHECKOUT: 'pricing' } },
        pricing: {
          invoke: {
            src: 'price',
            input: ({ context: { items } }) => ({ items }),
            onDone: { target: 'deciding', actions: assign({ total: ({ event }) => event.output }) },
            onError: { target: 'failed', actions: assign({ error: ({ event }) => event.error }) },
          },
        },
        deciding: { always: [{ guard: 'isFree', target: 'shipping' }, 'charging'] },
        charging: {
          invoke: {
            src: 'charge',
            input: ({ context: { total } }) => ({ total }),
            onDone: { target: 'shipping', actions: assign({ payment: ({ event }) => event.output }) },
            onError: 'failed',
          },
        },
        shipping: {
          invoke: {
            src: 'ship',
            input: ({ context: { items } }) => ({ items }),
            onDone: { target: 'shipped', actions: assign({ parcel: ({ event }) => event.output }) },
            onError: 'failed',
          },
        },
        shipped: { type: 'final' },
        failed: { type: 'final' },
      },
    }),
};

/** Four invokes in one state; the last answer moves on. */
const dashboard: Stranger = {
  name: 'dashboard',
  acts: ['log'],
  person: [['ready', { type: 'CLOSE' }]],
  machine: (shop) => {
    const names = ['user', 'orders', 'alerts', 'weather'] as const;
    type Memory = { loaded: Record<string, string>; logged: string | null };
    return setup({
      types: { events, context: {} as Memory },
      actors: {
        ...(Object.fromEntries(names.map((name) => [name, shop.read(name, () => `the ${name}`)])) as Record<
          (typeof names)[number],
          ReturnType<typeof shop.read<unknown, string>>
        >),
        log: shop.act('log', ({ loaded }: Pick<Memory, 'loaded'>) => Object.keys(loaded).sort().join()),
      },
      guards: { isLoaded: ({ context: { loaded } }) => Object.keys(loaded).length === names.length },
    }).createMachine({
      id: 'dashboard',
      context: { loaded: {}, logged: null },
      initial: 'loading',
      states: {
        loading: {
          invoke: names.map((name) => ({
            id: name,
            src: name,
            onDone: {
              actions: assign(({ context: { loaded }, event }) => ({ loaded: { ...loaded, [name]: event.output } })),
            },
          })),
          always: { guard: 'isLoaded', target: 'logging' },
        },
        logging: {
          invoke: {
            src: 'log',
            input: ({ context: { loaded } }) => ({ loaded }),
            onDone: { target: 'ready', actions: assign({ logged: ({ event }) => event.output }) },
          },
        },
        ready: { on: { CLOSE: 'closed' } },
        closed: { type: 'final' },
      },
    });
  },
};

/** Two bureaus, each a child machine that reports to the reference it was given. */
const credit: Stranger = {
  name: 'credit',
  acts: ['decide'],
  person: [],
  machine: (shop) => {
    const bureau = setup({
      types: {
        input: {} as { parent: AnyActorRef; name: string },
        context: {} as { parent: AnyActorRef; name: string; score: number | null },
      },
      actors: { score: shop.read('score', ({ name }: { name: string }) => name.length * 100) },
    }).createMachine({
      id: 'bureau',
      context: ({ input }) => ({ ...input, score: null }),
      initial: 'asking',
      states: {
        asking: {
          invoke: {
            src: 'score',
            input: ({ context: { name } }) => ({ name }),
            onDone: { target: 'told', actions: assign({ score: ({ event }) => event.output }) },
          },
        },
        told: {
          type: 'final',
          entry: sendTo(
            ({ context }) => context.parent,
            ({ context: { name, score } }) => ({ type: 'SCORE', name, score }),
          ),
        },
      },
    });
    type Memory = { scores: Record<string, number>; decision: string | null };
    return setup({
      types: { events, context: {} as Memory },
      actors: {
        bureau,
        decide: shop.act('decide', ({ scores }: Pick<Memory, 'scores'>) =>
          Object.values(scores).reduce((a, b) => a + b, 0) > 700 ? 'granted' : 'refused',
        ),
      },
    }).createMachine({
      id: 'credit',
      context: { scores: {}, decision: null },
      initial: 'checking',
      states: {
        checking: {
          invoke: ['north', 'southern'].map((name) => ({
            id: name,
            src: 'bureau' as const,
            input: ({ self }: { self: AnyActorRef }) => ({ parent: self, name }),
          })),
          on: {
            SCORE: {
              actions: assign(({ context: { scores }, event }) => ({
                scores: { ...scores, [event.name as string]: event.score as number },
              })),
            },
          },
          always: { guard: ({ context: { scores } }) => Object.keys(scores).length === 2, target: 'deciding' },
        },
        deciding: {
          invoke: {
            src: 'decide',
            input: ({ context: { scores } }) => ({ scores }),
            onDone: { target: 'decided', actions: assign({ decision: ({ event }) => event.output }) },
          },
        },
        decided: { type: 'final' },
      },
    });
  },
};

/** An audience that is known by its place in the system. */
const newsroom: Stranger = {
  name: 'newsroom',
  acts: ['publish'],
  person: [['draft', { type: 'PUBLISH' }]],
  machine: (shop) => {
    const archive = setup({ types: { events, context: {} as { kept: string[] } } }).createMachine({
      id: 'archive',
      context: { kept: [] },
      on: {
        KEEP: {
          actions: [
            assign({ kept: ({ context: { kept }, event }) => [...kept, event.text as string] }),
            sendParent(({ context: { kept } }) => ({ type: 'KEPT', count: kept.length })),
          ],
        },
      },
    });
    type Memory = { archive: AnyActorRef | null; text: string | null; link: string | null; count: number };
    return setup({
      types: { events, context: {} as Memory },
      actors: {
        archive,
        write: shop.read('write', () => 'a text'),
        publish: shop.act('publish', ({ text }: { text: string | null }) => `link to ${text}`),
      },
    }).createMachine({
      id: 'newsroom',
      context: ({ spawn }) => ({
        archive: spawn('archive', { id: 'shelf', systemId: 'archive' }) as AnyActorRef,
        text: null,
        link: null,
        count: 0,
      }),
      initial: 'writing',
      states: {
        writing: {
          invoke: { src: 'write', onDone: { target: 'draft', actions: assign({ text: ({ event }) => event.output }) } },
        },
        draft: { on: { PUBLISH: 'publishing' } },
        publishing: {
          invoke: {
            src: 'publish',
            input: ({ context: { text } }) => ({ text }),
            onDone: { target: 'keeping', actions: assign({ link: ({ event }) => event.output }) },
          },
        },
        keeping: {
          entry: sendTo(
            ({ system }) => system.get('archive') as AnyActorRef,
            ({ context: { link } }) => ({ type: 'KEEP', text: link }),
          ),
          on: { KEPT: { target: 'over', actions: assign({ count: ({ event }) => event.count as number }) } },
        },
        over: { type: 'final' },
      },
    });
  },
};

/** A form of pages, which a person leaves for help and comes back to where they were. */
const wizard: Stranger = {
  name: 'wizard',
  acts: ['submit'],
  person: [
    ['name', { type: 'NEXT', value: 'Ada' }],
    ['address', { type: 'HELP' }],
    ['help', { type: 'BACK' }],
    ['address', { type: 'NEXT', value: 'Rue 1' }],
  ],
  machine: (shop) =>
    setup({
      types: { events, context: {} as { answers: string[]; helped: number; checked: boolean; receipt: string | null } },
      actors: {
        check: shop.read('check', ({ answers }: { answers: string[] }) => answers.every((each) => each !== '')),
        submit: shop.act('submit', ({ answers }: { answers: string[] }) => `form of ${answers.join()}`),
      },
      actions: { keep: assign({ answers: ({ context: { answers }, event }) => [...answers, event.value as string] }) },
    }).createMachine({
      id: 'wizard',
      context: { answers: [], helped: 0, checked: false, receipt: null },
      initial: 'form',
      states: {
        form: {
          initial: 'name',
          on: { HELP: { target: 'help', actions: assign({ helped: ({ context: { helped } }) => helped + 1 }) } },
          states: {
            name: { on: { NEXT: { target: 'address', actions: 'keep' } } },
            address: { on: { NEXT: { target: 'checking', actions: 'keep' } } },
            checking: {
              invoke: {
                src: 'check',
                input: ({ context: { answers } }) => ({ answers }),
                onDone: { target: '#wizard.submitting', actions: assign({ checked: ({ event }) => event.output }) },
              },
            },
            last: { type: 'history' },
          },
        },
        help: { on: { BACK: 'form.last' } },
        submitting: {
          invoke: {
            src: 'submit',
            input: ({ context: { answers } }) => ({ answers }),
            onDone: { target: 'over', actions: assign({ receipt: ({ event }) => event.output }) },
          },
        },
        over: { type: 'final' },
      },
    }),
};

/** A source of ticks as a callback, which is told to stop. */
const auction: Stranger = {
  name: 'auction',
  acts: ['bid'],
  person: [['watching', { type: 'BID' }]],
  machine: (shop) =>
    setup({
      types: { events, context: {} as { seen: number; receipt: string | null } },
      actors: {
        ticker: fromCallback<Event>(({ sendBack, receive }) => {
          sendBack({ type: 'TICK' });
          receive(({ type }) => {
            if (type === 'MORE') sendBack({ type: 'TICK' });
          });
          return () => {};
        }),
        look: shop.read('look', () => 42),
        bid: shop.act('bid', ({ cents }: { cents: number }) => `bid of ${cents}`),
      },
    }).createMachine({
      id: 'auction',
      context: { seen: 0, receipt: null },
      initial: 'opening',
      states: {
        opening: {
          invoke: { id: 'ticker', src: 'ticker' },
          on: { TICK: { target: 'looking' } },
        },
        looking: {
          invoke: {
            src: 'look',
            onDone: { target: 'watching', actions: assign({ seen: ({ event }) => event.output }) },
          },
        },
        watching: { on: { BID: 'bidding' } },
        bidding: {
          invoke: {
            src: 'bid',
            input: ({ context: { seen } }) => ({ cents: seen + 1 }),
            onDone: { target: 'over', actions: assign({ receipt: ({ event }) => event.output }) },
          },
        },
        over: { type: 'final' },
      },
    }),
};

/** A step of its own machine, whose output the outer one keeps. */
const onboarding: Stranger = {
  name: 'onboarding',
  acts: ['create', 'welcome'],
  person: [],
  machine: (shop) => {
    const account = setup({
      types: {
        input: {} as { mail: string },
        context: {} as { mail: string; free: boolean | null; id: string | null },
        output: {} as { id: string },
      },
      actors: {
        lookup: shop.read('lookup', ({ mail }: { mail: string }) => mail.length > 0),
        create: shop.act('create', ({ mail }: { mail: string }) => `account ${mail}`),
      },
    }).createMachine({
      id: 'account',
      context: ({ input: { mail } }) => ({ mail, free: null, id: null }),
      initial: 'lookup',
      states: {
        lookup: {
          invoke: {
            src: 'lookup',
            input: ({ context: { mail } }) => ({ mail }),
            onDone: [
              { guard: ({ event }) => event.output, target: 'create', actions: assign({ free: true }) },
              { target: 'taken' },
            ],
          },
        },
        create: {
          invoke: {
            src: 'create',
            input: ({ context: { mail } }) => ({ mail }),
            onDone: { target: 'created', actions: assign({ id: ({ event }) => event.output }) },
          },
        },
        created: { type: 'final' },
        taken: { type: 'final' },
      },
      output: ({ context: { id } }) => ({ id: id ?? 'none' }),
    });
    return setup({
      types: {
        input: {} as { mail: string },
        context: {} as { mail: string; account: string | null; mailed: string | null },
      },
      actors: { account, welcome: shop.act('welcome', ({ id }: { id: string | null }) => `mail to ${id}`) },
    }).createMachine({
      id: 'onboarding',
      context: ({ input: { mail } }) => ({ mail, account: null, mailed: null }),
      initial: 'account',
      states: {
        account: {
          invoke: {
            src: 'account',
            input: ({ context: { mail } }) => ({ mail }),
            onDone: { target: 'welcome', actions: assign({ account: ({ event }) => event.output.id }) },
          },
        },
        welcome: {
          invoke: {
            src: 'welcome',
            input: ({ context: { account: id } }) => ({ id }),
            onDone: { target: 'over', actions: assign({ mailed: ({ event }) => event.output }) },
          },
        },
        over: { type: 'final' },
      },
    });
  },
  input: { mail: 'ada@example.org' },
};

export const FIRST: readonly Stranger[] = [order, dashboard, credit, newsroom, wizard, auction, onboarding];
