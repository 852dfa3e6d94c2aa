/** Commits to the five domains. */
import { tool } from 'belay-sidecar/xstate';
import { assign } from 'xstate';
import type { Commit, Loose } from './release.ts';

/** The answer of a call, as an action takes it. */
const answer = (key: string) => assign({ [key]: ({ event }: Loose) => event.output } as never);

/** The boundaries of a trip that is booked in one unit. */
const STAY = `      - { id: roomed, at: BOOKING_ROOMS -> BOOKING_TABLES, when: memory.rooms != null, outputs: [rooms] }
      - { id: tabled, at: BOOKING_TABLES -> PAYING, when: memory.tables != null, outputs: [tables] }
      - id: paid
        at: DRAWING -> SENDING
        when: memory.drawn != null && memory.drawn <= memory.asked.budget
        outputs: [payment, drawn]
        invariants: # what is paid is what was found to be within the budget
          - { id: balanced, sum: { pay_vendors: args.cents, draw_budget: -args.cents }, is: 0 }
`;

/** The units of a trip whose rooms and tables are booked at the same time. */
const SPLIT = `skeletons:
  BookRooms:
    entity: '"rooms"'
    states: [BOOKING_STAY.rooms.BOOKING]
    entry: [BOOKING_STAY.rooms.BOOKING]
    inputs: [check, 'cities/**']
    outputs: [rooms, 'rooms:**']
    exit:
      - { id: roomed, at: BOOKING_STAY.rooms.BOOKING -> BOOKING_STAY.rooms.BOOKED, when: memory.rooms != null, outputs: [rooms] }
    rollback: { anchors: [roomed], compensable: undo, resume: BOOKING_STAY.rooms.BOOKING }

  BookTables:
    entity: '"tables"'
    states: [BOOKING_STAY.tables.BOOKING]
    entry: [BOOKING_STAY.tables.BOOKING]
    inputs: [check, 'cities/**']
    outputs: [tables, 'tables:**']
    exit:
      - { id: tabled, at: BOOKING_STAY.tables.BOOKING -> BOOKING_STAY.tables.BOOKED, when: memory.tables != null, outputs: [tables] }
    rollback: { anchors: [tabled], resume: BOOKING_STAY.tables.BOOKING }

  PayTrip:
    entity: '"payment"'
    states: [PAYING, DRAWING, SENDING]
    entry: [PAYING]
    inputs: [asked, trip, check, 'cities/**']
    outputs: [payment, drawn, 'ledger:**', itinerary, 'itineraries:**']
    commit:
      - id: paid
        at: DRAWING -> SENDING
        when: memory.drawn != null && memory.drawn <= memory.asked.budget
        outputs: [payment, drawn]
        invariants:
          - { id: balanced, sum: { pay_vendors: args.cents, draw_budget: -args.cents }, is: 0 }
    exit:
      - { id: sent, at: SENDING -> DONE, when: memory.itinerary != null, outputs: [itinerary] }
    rollback: { anchors: [paid, sent], resume: PAYING }

`;

/** The commits, in no order. */
export const OF_DOMAINS: readonly Commit[] = [
  {
    agent: 'schedule-form',
    what: 'a state is inserted: the mail is previewed before it goes out',
    tools: { preview_mail: () => tool<string, { title: string }>(async ({ input }) => `About: ${input.title}`) },
    machine: ({ states }) => {
      states.PREVIEWING = {
        invoke: {
          src: 'preview_mail',
          input: ({ context }: Loose) => ({ title: context.request.title }),
          onDone: { target: 'SUBMITTING' },
        },
      };
      states.CHECKING_ROOM.invoke.onDone.target = 'PREVIEWING';
    },
    page: [
      [
        '  submit_schedule: #',
        '  preview_mail: { reads: [request], writes: [], effect: none, timeout: 10s }\n  submit_schedule: #',
      ],
      [
        'states: [REVIEW_READY, CHECKING_ROOM, SUBMITTING',
        'states: [REVIEW_READY, CHECKING_ROOM, PREVIEWING, SUBMITTING',
      ],
      ['at: CHECKING_ROOM -> SUBMITTING', 'at: CHECKING_ROOM -> PREVIEWING'],
    ],
  },
  {
    agent: 'schedule-form',
    what: 'a field of the config: calendars get more time, and are asked again',
    page: [
      [
        "writes: ['slots/{args.slot}/free']\n    effect: none\n    timeout: 10s",
        "writes: ['slots/{args.slot}/free']\n    effect: none\n    retry: { max: 2, backoff: 1s }\n    timeout: 30s",
      ],
    ],
  },
  {
    agent: 'schedule-form',
    what: 'a tool is replaced: rooms are looked up in the register of the new building, which knows the old answers',
    tools: { check_room: (known) => replaced(known.check_room, { version: '2', takes: ['1'] }) },
  },
  {
    agent: 'navigation',
    what: 'a class is corrected: a charger that is reserved cannot be cancelled after all',
    page: [['    effect: compensable\n    undo: cancel_reservation\n', '    effect: irreversible\n']],
  },
  {
    agent: 'navigation',
    what: 'a guard is fixed: a preview without any place is cancelled, too',
    machine: ({ states }) => {
      states.STOP_READY.always[1].guard = ({ context }: Loose) =>
        !Object.values(context.stops).some(
          ({ status, place }: Loose) => status === 'resolved' && typeof place === 'string',
        );
    },
  },
  {
    agent: 'navigation',
    what: 'a commit boundary is added: the reviewed route',
    page: [
      [
        '      # An open offer is none',
        '      - { id: reviewed, at: REVIEWING_ROUTE -> QUOTING_CHARGER, when: memory.review != null, outputs: [review] }\n      # An open offer is none',
      ],
      ['anchors: [quoted, reserved', 'anchors: [reviewed, quoted, reserved'],
    ],
  },
  {
    agent: 'diagnosis',
    what: 'an event and a final state are added: a person calls a repair off',
    machine: ({ states }) => {
      states.REPAIRING.on = { ABANDON: 'ABANDONED' };
      states.ABANDONED = { type: 'final' };
    },
  },
  {
    agent: 'diagnosis',
    what: "a tool's undo is replaced: repairs are taken back by the new service desk",
    page: [['undo: take_back', 'undo: take_back_at_desk']],
    undos: { take_back_at_desk: 'take_back' },
  },
  {
    agent: 'etl-pipeline',
    what: 'an assign is changed: the report leaves out countries without orders',
    machine: ({ states }) => {
      states.BUILDING_REPORT.invoke.onDone.actions = assign({
        report: ({ event }: Loose) => event.output.filter(({ orders }: Loose) => orders > 0),
      } as never);
    },
  },
  {
    agent: 'etl-pipeline',
    what: 'a key is renamed: filed is called record',
    machine: (definition) => {
      const { context, states } = definition;
      definition.context = (given: Loose) => {
        const { filed, ...others } = context(given);
        return { ...others, record: filed };
      };
      states.FILING.invoke.onDone.actions = answer('record');
    },
    page: [
      ["writes: [filed, 'records:**']", "writes: [record, 'records:**']"],
      ['publication, filed,', 'publication, record,'],
      ['when: memory.filed != null, outputs: [filed]', 'when: memory.record != null, outputs: [record]'],
    ],
    renamed: { keys: { filed: 'record' } },
  },
  {
    agent: 'travel-planning',
    what: 'a region is split: rooms and tables are booked at the same time',
    machine: ({ states }) => {
      const { BOOKING_ROOMS: rooms, BOOKING_TABLES: tables } = states;
      delete states.BOOKING_ROOMS;
      delete states.BOOKING_TABLES;
      const lane = (booking: Loose) => ({
        initial: 'BOOKING',
        states: {
          BOOKING: { invoke: { ...booking.invoke, onDone: { ...booking.invoke.onDone, target: 'BOOKED' } } },
          BOOKED: { type: 'final' },
        },
      });
      states.BOOKING_STAY = {
        type: 'parallel',
        states: { rooms: lane(rooms), tables: lane(tables) },
        onDone: 'PAYING',
      };
      states.BOOKING_FLIGHTS.invoke.onDone.target = 'BOOKING_STAY';
    },
    page: [
      [
        'states: [CHECKING_BUDGET, BOOKING_FLIGHTS, BOOKING_ROOMS, BOOKING_TABLES, PAYING, DRAWING, SENDING]',
        'states: [CHECKING_BUDGET, BOOKING_FLIGHTS]',
      ],
      [
        "tickets, 'tickets:**', rooms, 'rooms:**', tables, 'tables:**', payment, drawn, 'ledger:**', itinerary, 'itineraries:**']",
        "tickets, 'tickets:**']",
      ],
      ['at: BOOKING_FLIGHTS -> BOOKING_ROOMS', 'at: BOOKING_FLIGHTS -> BOOKING_STAY'],
      [STAY, ''],
      ['[within-budget, ticketed, roomed, tabled, paid, lowered, sent]', '[within-budget, ticketed, lowered]'],
      ['      - { id: sent, at: SENDING -> DONE, when: memory.itinerary != null, outputs: [itinerary] }\n', ''],
      ['skeletons:\n', SPLIT],
    ],
  },
  {
    agent: 'travel-planning',
    what: 'redaction and a retry: what a traveller asked for is not shown, and searches are made again',
    page: [
      [
        "writes: ['cities/{args.place}/quote']\n    effect: none\n",
        "writes: ['cities/{args.place}/quote']\n    effect: none\n    retry: { max: 3, backoff: 1s }\n",
      ],
      ['agent: travel-planning\n', 'agent: travel-planning\nredact: [asked/traveller]\n'],
    ],
  },
];

/** A tool of another version, which does the same. */
export function replaced(known: unknown, options: { readonly version: string; readonly takes?: readonly string[] }) {
  const { config: act } = known as { readonly config: (call: never) => Promise<unknown> };
  return tool((call) => act(call as never), options) as never;
}
