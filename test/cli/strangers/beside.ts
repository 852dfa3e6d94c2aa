/** More of them: in regions, with actors beside them, with a clock and a client. */
import {
  type ActorRefFrom,
  and,
  assign,
  enqueueActions,
  fromTransition,
  not,
  raise,
  sendParent,
  sendTo,
  setup,
  stateIn,
} from 'xstate';
import { events, type Stranger } from './stranger.ts';

/** Three regions that are entered at once, and the state behind them. */
const release: Stranger = {
  name: 'release',
  acts: ['deploy', 'tell'],
  person: [],
  machine: (shop) => {
    type Memory = { built: string | null; tested: string | null; told: string | null; live: string | null };
    return setup({
      types: { context: {} as Memory },
      actors: {
        build: shop.read('build', () => 'artefact'),
        test: shop.read('test', () => 'green'),
        tell: shop.act('tell', () => 'notice'),
        deploy: shop.act('deploy', ({ built }: { built: string | null }) => `deployed ${built}`),
      },
    }).createMachine({
      id: 'release',
      context: { built: null, tested: null, told: null, live: null },
      initial: 'preparing',
      states: {
        preparing: {
          type: 'parallel',
          onDone: 'deploying',
          states: {
            build: {
              initial: 'running',
              states: {
                running: {
                  invoke: {
                    src: 'build',
                    onDone: { target: 'done', actions: assign({ built: ({ event }) => event.output }) },
                  },
                },
                done: { type: 'final' },
              },
            },
            test: {
              initial: 'running',
              states: {
                running: {
                  invoke: {
                    src: 'test',
                    onDone: { target: 'done', actions: assign({ tested: ({ event }) => event.output }) },
                  },
                },
                done: { type: 'final' },
              },
            },
            tell: {
              initial: 'running',
              states: {
                running: {
                  invoke: {
                    src: 'tell',
                    onDone: { target: 'done', actions: assign({ told: ({ event }) => event.output }) },
                  },
                },
                done: { type: 'final' },
              },
            },
          },
        },
        deploying: {
          invoke: {
            src: 'deploy',
            input: ({ context: { built } }) => ({ built }),
            onDone: { target: 'live', actions: assign({ live: ({ event }) => event.output }) },
          },
        },
        live: { type: 'final' },
      },
    });
  },
};

/** A list of tasks, each an actor of its own that is spawned when a person adds it. */
const tasks: Stranger = {
  name: 'tasks',
  acts: ['file'],
  person: [
    ['"open"', { type: 'ADD', title: 'milk' }],
    ['"open"', { type: 'ADD', title: 'bread' }],
    ['"open"', { type: 'FINISH' }],
  ],
  machine: (shop) => {
    const task = setup({
      types: { events, input: {} as { title: string }, context: {} as { title: string; number: string | null } },
      actors: { file: shop.act('file', ({ title }: { title: string }) => `ticket ${title}`) },
    }).createMachine({
      id: 'task',
      context: ({ input: { title } }) => ({ title, number: null }),
      initial: 'filing',
      states: {
        filing: {
          invoke: {
            src: 'file',
            input: ({ context: { title } }) => ({ title }),
            onDone: { target: 'filed', actions: assign({ number: ({ event }) => event.output }) },
          },
        },
        filed: { entry: sendParent(({ context: { number } }) => ({ type: 'FILED', number })) },
      },
    });
    return setup({
      types: { events, context: {} as { tasks: ActorRefFrom<typeof task>[]; filed: string[] } },
      actors: { task },
    }).createMachine({
      id: 'tasks',
      context: { tasks: [], filed: [] },
      initial: 'open',
      on: {
        FILED: {
          actions: assign({ filed: ({ context: { filed }, event }) => [...filed, event.number as string].sort() }),
        },
      },
      states: {
        open: {
          on: {
            ADD: {
              actions: assign({
                tasks: ({ context, event, spawn }) => [
                  ...context.tasks,
                  spawn('task', { id: `task-${event.title}`, input: { title: event.title as string } }),
                ],
              }),
            },
            FINISH: 'finishing',
          },
        },
        finishing: {
          always: { guard: ({ context }) => context.filed.length === context.tasks.length, target: 'over' },
        },
        over: { type: 'final' },
      },
    });
  },
};

/** A poll with a delay, a count and an end. */
const poll: Stranger = {
  name: 'poll',
  acts: ['request', 'collect'],
  person: [],
  machine: (shop) => {
    type Memory = { job: string | null; tries: number; state: string | null; result: string | null };
    return setup({
      types: { context: {} as Memory },
      actors: {
        request: shop.act('request', () => 'job 1'),
        status: shop.read('status', ({ tries }: { tries: number }) => (tries >= 2 ? 'ready' : 'working')),
        collect: shop.act('collect', ({ job }: { job: string | null }) => `result of ${job}`),
      },
      guards: { isReady: ({ context: { state } }) => state === 'ready' },
      delays: { wait: ({ context: { tries } }) => 100 * 2 ** tries },
    }).createMachine({
      id: 'poll',
      context: { job: null, tries: 0, state: null, result: null },
      initial: 'requesting',
      states: {
        requesting: {
          invoke: {
            src: 'request',
            onDone: { target: 'waiting', actions: assign({ job: ({ event }) => event.output }) },
          },
        },
        waiting: { after: { wait: 'asking' } },
        asking: {
          invoke: {
            src: 'status',
            input: ({ context: { tries } }) => ({ tries }),
            onDone: {
              target: 'judging',
              actions: assign({ state: ({ event }) => event.output, tries: ({ context: { tries } }) => tries + 1 }),
            },
          },
        },
        judging: { always: [{ guard: 'isReady', target: 'collecting' }, { target: 'waiting' }] },
        collecting: {
          invoke: {
            src: 'collect',
            input: ({ context: { job } }) => ({ job }),
            onDone: { target: 'over', actions: assign({ result: ({ event }) => event.output }) },
          },
        },
        over: { type: 'final' },
      },
    });
  },
};

/** A reducer beside the machine, spawned and told. */
const ledger: Stranger = {
  name: 'ledger',
  acts: ['post'],
  person: [],
  machine: (shop) => {
    const sum = fromTransition(
      (state: { total: number }, event: { type: 'add'; cents: number }) => ({ total: state.total + event.cents }),
      { total: 0 },
    );
    type Memory = { sum: ActorRefFrom<typeof sum>; lines: number[]; receipts: string[]; total: number | null };
    return setup({
      types: { context: {} as Memory },
      actors: {
        sum,
        list: shop.read('list', () => [300, 500]),
        post: shop.act('post', ({ cents }: { cents: number }) => `post ${cents}`),
      },
    }).createMachine({
      id: 'ledger',
      context: ({ spawn }) => ({ sum: spawn('sum', { id: 'sum' }), lines: [], receipts: [], total: null }),
      initial: 'listing',
      states: {
        listing: {
          invoke: { src: 'list', onDone: { target: 'next', actions: assign({ lines: ({ event }) => event.output }) } },
        },
        next: {
          always: [
            { guard: ({ context: { lines, receipts } }) => receipts.length < lines.length, target: 'posting' },
            {
              target: 'over',
              actions: assign({ total: ({ context: { sum: ref } }) => ref.getSnapshot().context.total }),
            },
          ],
        },
        posting: {
          invoke: {
            src: 'post',
            input: ({ context: { lines, receipts } }) => ({ cents: lines[receipts.length] ?? 0 }),
            onDone: {
              target: 'next',
              actions: [
                sendTo('sum', ({ context: { lines, receipts } }) => ({
                  type: 'add',
                  cents: lines[receipts.length] ?? 0,
                })),
                assign({ receipts: ({ context: { receipts }, event }) => [...receipts, event.output] }),
              ],
            },
          },
        },
        over: { type: 'final' },
      },
    });
  },
};

/** Conditions over regions, raised events and a queue of actions. */
const robot: Stranger = {
  name: 'robot',
  acts: ['grip'],
  person: [['"idle"', { type: 'ARM' }]],
  machine: (shop) =>
    setup({
      types: { events, context: {} as { place: string | null; gripped: string | null; log: string[] } },
      actors: {
        scan: shop.read('scan', () => 'shelf 3'),
        grip: shop.act('grip', ({ place }: { place: string | null }) => `part of ${place}`),
      },
      guards: {
        isArmed: stateIn({ safety: 'armed' }),
        isKnown: ({ context: { place } }) => place !== null,
      },
    }).createMachine({
      id: 'robot',
      context: { place: null, gripped: null, log: [] },
      type: 'parallel',
      states: {
        safety: {
          initial: 'idle',
          states: {
            idle: { on: { ARM: { target: 'armed', actions: raise({ type: 'CHECK' }) } } },
            armed: { on: { OVER: 'off' } },
            off: { type: 'final' },
          },
        },
        arm: {
          initial: 'scanning',
          states: {
            scanning: {
              invoke: {
                src: 'scan',
                onDone: {
                  target: 'waiting',
                  actions: enqueueActions(({ enqueue, event }) => {
                    enqueue.assign({ place: event.output });
                    enqueue.assign({ log: ({ context: { log } }) => [...log, `scanned ${event.output}`] });
                  }),
                },
              },
            },
            waiting: {
              always: { guard: and(['isArmed', 'isKnown']), target: 'gripping' },
              on: {
                CHECK: {
                  guard: not('isKnown'),
                  actions: assign({ log: ({ context: { log } }) => [...log, 'checked'] }),
                },
              },
            },
            gripping: {
              invoke: {
                src: 'grip',
                input: ({ context: { place } }) => ({ place }),
                onDone: {
                  target: 'over',
                  actions: [assign({ gripped: ({ event }) => event.output }), raise({ type: 'OVER' })],
                },
              },
            },
            over: { type: 'final' },
          },
        },
      },
    }),
};

/** A client and a closure that travel as the input of a machine, and are called by actors that close over them. */
const support: Stranger = {
  name: 'support',
  acts: ['reply'],
  person: [['reviewing', { type: 'SEND' }]],
  machine: (shop) => {
    // As a class of an SDK, with state and methods of its own.
    class Desk {
      #asked = 0;
      ask(question: string): string {
        this.#asked += 1;
        return `answer to ${question}`;
      }
    }
    const desk = new Desk();
    type Memory = { question: string; draft: string | null; ticket: string | null };
    return setup({
      types: { events, input: {} as { question: string }, context: {} as Memory },
      actors: {
        draft: shop.read('draft', ({ question }: { question: string }) => desk.ask(question)),
        reply: shop.act('reply', ({ text }: { text: string | null }) => `sent ${text}`),
      },
    }).createMachine({
      id: 'support',
      context: ({ input: { question } }) => ({ question, draft: null, ticket: null }),
      initial: 'drafting',
      states: {
        drafting: {
          invoke: {
            src: 'draft',
            input: ({ context: { question } }) => ({ question }),
            onDone: { target: 'reviewing', actions: assign({ draft: ({ event }) => event.output }) },
          },
        },
        reviewing: { on: { SEND: 'replying' } },
        replying: {
          invoke: {
            src: 'reply',
            input: ({ context: { draft } }) => ({ text: draft }),
            onDone: { target: 'over', actions: assign({ ticket: ({ event }) => event.output }) },
          },
        },
        over: { type: 'final' },
      },
    });
  },
  input: { question: 'where is my parcel' },
};

export const BESIDE: readonly Stranger[] = [release, tasks, poll, ledger, robot, support];
