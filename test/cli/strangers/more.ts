/** More kinds of machines that people publish: with delays of their own, history, failures that they handle, replies and wildcards. */
import { type AnyActorRef, assign, cancel, raise, sendTo, setup, spawnChild, stopChild } from 'xstate';
import { events, type Stranger } from './stranger.ts';

/** A search that waits until a person has stopped typing. */
const search: Stranger = {
  name: 'search',
  acts: ['record'],
  person: [
    ['"typing"', { type: 'TYPE', key: 'a' }],
    ['"typing"', { type: 'TYPE', key: 'b' }],
  ],
  machine: (shop) =>
    setup({
      types: { events, context: {} as { text: string; found: string | null; recorded: string | null } },
      actors: {
        find: shop.read('find', ({ text }: { text: string }) => `results of ${text}`),
        record: shop.act('record', ({ text }: { text: string }) => `recorded ${text}`),
      },
    }).createMachine({
      id: 'search',
      context: { text: '', found: null, recorded: null },
      initial: 'typing',
      states: {
        typing: {
          on: {
            TYPE: {
              actions: [
                assign({ text: ({ context, event }) => context.text + event.key }),
                cancel('settle'),
                raise({ type: 'SETTLED' }, { id: 'settle', delay: 400 }),
              ],
            },
            SETTLED: { guard: ({ context }) => context.text.length > 1, target: 'finding' },
          },
        },
        finding: {
          invoke: {
            src: 'find',
            input: ({ context: { text } }) => ({ text }),
            onDone: { target: 'recording', actions: assign({ found: ({ event }) => event.output }) },
          },
        },
        recording: {
          invoke: {
            src: 'record',
            input: ({ context: { text } }) => ({ text }),
            onDone: { target: 'over', actions: assign({ recorded: ({ event }) => event.output }) },
          },
        },
        over: { type: 'final' },
      },
    }),
};

/** A player with nested modes, which comes back to where it was, however deep. */
const player: Stranger = {
  name: 'player',
  acts: ['stamp'],
  person: [
    ['"slow"', { type: 'FASTER' }],
    ['"fast"', { type: 'PAUSE' }],
    ['"paused"', { type: 'PLAY' }],
    ['"fast"', { type: 'STOP' }],
  ],
  machine: (shop) =>
    setup({
      types: { events, context: {} as { at: number | null; stamp: string | null; speeds: string[] } },
      actors: {
        position: shop.read('position', () => 17),
        stamp: shop.act('stamp', ({ at }: { at: number | null }) => `stopped at ${at}`),
      },
    }).createMachine({
      id: 'player',
      context: { at: null, stamp: null, speeds: [] },
      initial: 'playing',
      states: {
        playing: {
          initial: 'forward',
          on: { PAUSE: 'paused', STOP: 'locating' },
          states: {
            forward: {
              initial: 'slow',
              states: {
                slow: {
                  entry: assign({ speeds: ({ context }) => [...context.speeds, 'slow'] }),
                  on: { FASTER: 'fast' },
                },
                fast: { entry: assign({ speeds: ({ context }) => [...context.speeds, 'fast'] }) },
              },
            },
            last: { type: 'history', history: 'deep' },
          },
        },
        paused: { on: { PLAY: 'playing.last' } },
        locating: {
          invoke: {
            src: 'position',
            onDone: { target: 'stamping', actions: assign({ at: ({ event }) => event.output }) },
          },
        },
        stamping: {
          invoke: {
            src: 'stamp',
            input: ({ context: { at } }) => ({ at }),
            onDone: { target: 'stopped', actions: assign({ stamp: ({ event }) => event.output }) },
          },
        },
        stopped: { type: 'final' },
      },
    }),
};

/** A question that has to be asked again, with a wait that grows, and a limit on the whole. */
const patient: Stranger = {
  name: 'patient',
  acts: ['save'],
  person: [],
  machine: (shop) =>
    setup({
      types: { events, context: {} as { tries: number; answer: string | null; saved: string | null } },
      actors: {
        ask: shop.read('ask', ({ tries }: { tries: number }) =>
          tries < 2 ? { busy: true } : { busy: false, text: 'yes' },
        ),
        save: shop.act('save', ({ answer }: { answer: string | null }) => `saved ${answer}`),
      },
      delays: { backoff: ({ context: { tries } }) => 50 * 2 ** tries },
    }).createMachine({
      id: 'patient',
      context: { tries: 0, answer: null, saved: null },
      initial: 'working',
      states: {
        working: {
          initial: 'asking',
          after: { 60000: 'gaveUp' },
          states: {
            asking: {
              invoke: {
                src: 'ask',
                input: ({ context: { tries } }) => ({ tries }),
                onDone: [
                  {
                    guard: ({ event }) => event.output.busy,
                    target: 'waiting',
                    actions: assign({ tries: ({ context: { tries } }) => tries + 1 }),
                  },
                  { target: '#patient.saving', actions: assign({ answer: ({ event }) => event.output.text ?? null }) },
                ],
              },
            },
            waiting: { after: { backoff: { target: 'asking', reenter: true } } },
          },
        },
        saving: {
          invoke: {
            src: 'save',
            input: ({ context: { answer } }) => ({ answer }),
            onDone: { target: 'over', actions: assign({ saved: ({ event }) => event.output }) },
          },
        },
        gaveUp: { type: 'final' },
        over: { type: 'final' },
      },
    }),
};

/** A helper that is spawned, answers whoever has asked it, and is stopped. */
const desk: Stranger = {
  name: 'desk',
  acts: ['book'],
  person: [['"asking"', { type: 'ASK' }]],
  machine: (shop) => {
    const clerk = setup({ types: { events, context: {} as { asked: number } } }).createMachine({
      id: 'clerk',
      context: { asked: 0 },
      on: {
        QUESTION: {
          actions: [
            assign({ asked: ({ context: { asked } }) => asked + 1 }),
            sendTo(
              ({ event }) => event.from as AnyActorRef,
              ({ context: { asked } }) => ({ type: 'ANSWER', room: 10 + asked }),
            ),
          ],
        },
      },
    });
    return setup({
      types: { events, context: {} as { room: number | null; booked: string | null } },
      actors: { clerk, book: shop.act('book', ({ room }: { room: number | null }) => `room ${room}`) },
    }).createMachine({
      id: 'desk',
      context: { room: null, booked: null },
      initial: 'asking',
      states: {
        asking: {
          entry: spawnChild('clerk', { id: 'clerk' }),
          on: {
            ASK: { actions: sendTo('clerk', ({ self }) => ({ type: 'QUESTION', from: self })) },
            ANSWER: {
              target: 'booking',
              actions: [assign({ room: ({ event }) => event.room as number }), stopChild('clerk')],
            },
          },
        },
        booking: {
          invoke: {
            src: 'book',
            input: ({ context: { room } }) => ({ room }),
            onDone: { target: 'over', actions: assign({ booked: ({ event }) => event.output }) },
          },
        },
        over: { type: 'final' },
      },
    });
  },
};

/** Events by wildcards, and an output of the whole. */
const inbox: Stranger = {
  name: 'inbox',
  acts: ['file'],
  person: [
    ['"open"', { type: 'mail.personal', text: 'hello' }],
    ['"open"', { type: 'mail.spam.casino', text: 'win' }],
    ['"open"', { type: 'close' }],
  ],
  machine: (shop) =>
    setup({
      types: {
        events,
        context: {} as { mails: string[]; other: string[]; filed: string[] },
        output: {} as { filed: number },
      },
      actors: { file: shop.act('file', ({ text }: { text: string }) => `filed ${text}`) },
    }).createMachine({
      id: 'inbox',
      context: { mails: [], other: [], filed: [] },
      initial: 'open',
      states: {
        open: {
          on: {
            'mail.spam.*': {
              actions: assign({ other: ({ context: { other }, event }) => [...other, event.text as string] }),
            },
            'mail.*': {
              actions: assign({ mails: ({ context: { mails }, event }) => [...mails, event.text as string] }),
            },
            '*': 'filing',
          },
        },
        filing: {
          always: { guard: ({ context: { mails, filed } }) => filed.length >= mails.length, target: 'over' },
          invoke: {
            src: 'file',
            input: ({ context: { mails, filed } }) => ({ text: mails[filed.length] ?? '' }),
            onDone: {
              target: 'filing',
              reenter: true,
              actions: assign({ filed: ({ context: { filed }, event }) => [...filed, event.output] }),
            },
          },
        },
        over: { type: 'final' },
      },
      output: ({ context: { filed } }) => ({ filed: filed.length }),
    }),
};

export const MORE: readonly Stranger[] = [search, player, patient, desk, inbox];
