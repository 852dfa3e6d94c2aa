/** A parcel agent with delays: it looks where a booking is that takes too long, and lets a parcel rest for an hour. */
import { assign, setup } from 'xstate';
import { loadConfig } from '../../../src/index.ts';
import type { RecordingWorld } from '../../../src/testing/index.ts';
import { tool } from '../../../src/xstate/index.ts';

const PAGE = `
belay: 1
agent: parcel
tools:
  book: { writes: [booking, 'courier:parcel'], effect: irreversible, reconcile: findBooking, timeout: 10s }
  lookUp: { reads: ['courier:parcel'], writes: [booking], effect: none, timeout: 10s }
  handOver: { reads: [booking], writes: [handed, 'courier:parcel'], effect: irreversible, reconcile: findHandOver, timeout: 10s }
skeletons:
  Booking:
    entity: '"it"'
    states: [booking, checking]
    entry: [booking]
    outputs: [booking]
    exit:
      - { id: booked, at: booking -> resting, when: memory.booking != null }
      - { id: found, at: checking -> resting, when: memory.booking != null }
    rollback: { anchors: [booked, found], resume: booking }
  HandOver:
    entity: '"it"'
    states: [handing]
    entry: [handing]
    outputs: [handed]
    exit: [{ id: handed, at: handing -> done, when: memory.handed != null }]
    rollback: { anchors: [handed], resume: handing }
`;

/** The config, as reviewed. */
export const { config } = loadConfig(PAGE, { file: 'parcel.yaml' });

/** The machine. @param looks false for one that gives a booking up that takes too long, whatever became of it. */
export function parcelOn(world: RecordingWorld, looks = true) {
  return setup({
    types: { context: {} as { booking: string | null; handed: string | null } },
    actors: {
      book: tool<string, void>(async () => 'shelf 4'),
      lookUp: tool<string | null, void>(async () => (world.actsOf('book')[0]?.output as string | undefined) ?? null),
      handOver: tool<string, string>(async ({ input }) => `handed over from ${input}`),
    },
    delays: { patience: 5_000, rest: 3_600_000 },
  }).createMachine({
    id: 'parcel',
    context: { booking: null, handed: null },
    initial: 'booking',
    states: {
      booking: {
        invoke: {
          src: 'book',
          onDone: { target: 'resting', actions: assign({ booking: ({ event }) => event.output }) },
        },
        after: { patience: looks ? 'checking' : 'givenUp' },
      },
      checking: {
        invoke: {
          src: 'lookUp',
          onDone: [
            { guard: ({ event }) => event.output === null, target: 'givenUp' },
            { target: 'resting', actions: assign({ booking: ({ event }) => event.output }) },
          ],
        },
      },
      resting: { after: { rest: 'handing' } },
      handing: {
        invoke: {
          src: 'handOver',
          input: ({ context }) => context.booking ?? '',
          onDone: { target: 'done', actions: assign({ handed: ({ event }) => event.output }) },
        },
      },
      givenUp: { type: 'final' },
      done: { type: 'final' },
    },
  });
}
