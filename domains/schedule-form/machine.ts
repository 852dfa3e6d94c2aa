/**
 * The agent as a state machine: a request is collected, each slot is queried, chosen and refined, the whole is reviewed, and
 * a room is found before the invitations go out. Its tools are provided with a world (tools.ts); without one they refuse.
 */
import { assign, setup } from 'xstate';
import { there, typed } from '../there.ts';
import { actors, type Choice } from './calls.ts';
import { type Collected, type Memory, type Request, type Slot, valuesOf } from './schedule.ts';

const slotOf = ({ current }: Memory): string => there(current, 'slot');
const requestOf = ({ request }: Memory): Collected => there(request, 'request');
const titleOf = (memory: Memory) => memory.agenda.find(({ slot }) => slot === memory.current)?.title ?? '';

/** The next slot of the agenda that is neither resolved nor put off. */
function nextSlot({ agenda, slots }: Memory): string | null {
  return agenda.find(({ slot }) => slots[slot]?.status === undefined)?.slot ?? null;
}

/** The people of whom it is not known yet when they are free for the current slot. */
function unasked(memory: Memory): string[] {
  const known = memory.slots[slotOf(memory)]?.free ?? {};
  return requestOf(memory).people.flatMap(({ id }) => (known[id] === undefined ? [id] : []));
}

/** The slot before the current one. */
function before({ agenda, slots, current }: Memory): Pick<Choice, 'previous' | 'after'> {
  const index = agenda.findIndex(({ slot }) => slot === current);
  const previous = agenda[index - 1]?.slot;
  return previous === undefined
    ? { previous: 'none', after: null }
    : { previous, after: slots[previous]?.value ?? null };
}

/** The memory with something more known of the current slot. */
function learnt(memory: Memory, more: Slot): Pick<Memory, 'slots'> {
  const slot = slotOf(memory);
  return { slots: { ...memory.slots, [slot]: { ...memory.slots[slot], ...more } } };
}

/** The memory with the answer of the next person who was asked. */
function heardFree(memory: Memory, times: readonly string[]): Pick<Memory, 'slots'> {
  const person = there(unasked(memory)[0], 'person to ask');
  return learnt(memory, { free: { ...memory.slots[slotOf(memory)]?.free, [person]: times } });
}

/** The machine, with tools that refuse until a world is provided. */
export const machine = setup({
  types: typed<Memory, Request>(),
  actors,
}).createMachine({
  id: 'schedule-form',
  context: ({ input }) => ({
    asked: input,
    request: null,
    agenda: [],
    slots: {},
    current: null,
    review: null,
    wish: null,
    room: null,
    submission: null,
    receipt: null,
  }),
  initial: 'COLLECTING_REQUEST',
  states: {
    COLLECTING_REQUEST: {
      invoke: {
        src: 'collect_request',
        input: ({ context }) => ({ asked: context.asked }),
        onDone: [
          { guard: ({ event }) => event.output === null, target: 'CANCELLED' },
          { target: 'PLANNING_SLOTS', actions: assign({ request: ({ event }) => event.output }) },
        ],
      },
    },
    PLANNING_SLOTS: {
      invoke: {
        src: 'plan_slots',
        input: ({ context }) => ({ asked: context.asked, request: requestOf(context) }),
        onDone: {
          target: 'SLOT_READY',
          actions: assign(({ event }) => ({
            agenda: event.output,
            slots: Object.fromEntries(event.output.map(({ slot }) => [slot, {}])),
          })),
        },
      },
    },
    SLOT_READY: {
      always: [
        {
          guard: ({ context }) => nextSlot(context) !== null,
          target: 'SLOT_QUERYING',
          actions: assign({ current: ({ context }) => nextSlot(context) }),
        },
        { target: 'REVIEW_READY' },
      ],
    },
    SLOT_QUERYING: {
      invoke: {
        src: 'query_calendar',
        input: ({ context }) => ({ slot: slotOf(context), person: there(unasked(context)[0], 'person to ask') }),
        onDone: [
          {
            guard: ({ context }) => unasked(context).length > 1,
            target: 'SLOT_QUERYING',
            reenter: true,
            actions: assign(({ context, event }) => heardFree(context, event.output)),
          },
          {
            target: 'WAITING_SLOT_SELECTION',
            actions: assign(({ context, event }) => heardFree(context, event.output)),
          },
        ],
      },
    },
    WAITING_SLOT_SELECTION: {
      invoke: {
        src: 'choose_slot',
        input: ({ context }) => ({
          slot: slotOf(context),
          title: titleOf(context),
          meeting: requestOf(context).meeting,
          free: context.slots[slotOf(context)]?.free ?? {},
          ...before(context),
        }),
        onDone: [
          {
            guard: ({ event }) => event.output === null,
            target: 'SLOT_READY',
            actions: assign(({ context }) => learnt(context, { status: 'deferred' })),
          },
          {
            target: 'WAITING_SLOT_REFINEMENT',
            actions: assign(({ context, event }) => learnt(context, { value: there(event.output, 'time') })),
          },
        ],
      },
    },
    WAITING_SLOT_REFINEMENT: {
      invoke: {
        src: 'refine_slot',
        input: ({ context }) => ({
          slot: slotOf(context),
          meeting: requestOf(context).meeting,
          value: there(context.slots[slotOf(context)]?.value, 'time'),
          wish: context.wish?.slot === context.current ? context.wish : null,
        }),
        onDone: [
          {
            guard: ({ context }) => nextSlot({ ...context, ...learnt(context, { status: 'resolved' }) }) !== null,
            target: 'SLOT_READY',
            actions: assign(({ context, event }) => learnt(context, { value: event.output, status: 'resolved' })),
          },
          {
            guard: ({ context }) => requestOf(context).mode === 'draft',
            target: 'DONE',
            actions: assign(({ context, event }) => learnt(context, { value: event.output, status: 'resolved' })),
          },
          {
            target: 'REVIEW_READY',
            actions: assign(({ context, event }) => learnt(context, { value: event.output, status: 'resolved' })),
          },
        ],
      },
    },
    REVIEW_READY: {
      invoke: {
        src: 'review_schedule',
        input: ({ context }) => ({ asked: context.asked, values: valuesOf(context.slots) }),
        onDone: [
          {
            guard: ({ event }) => event.output.says === 'change',
            target: 'WAITING_SLOT_REFINEMENT',
            actions: assign(({ event }) => {
              const wish = event.output.says === 'change' ? event.output.wish : null;
              return { wish, current: wish?.slot ?? null };
            }),
          },
          { guard: ({ event }) => event.output.says === 'withdraw', target: 'CANCELLED' },
          { target: 'CHECKING_ROOM', actions: assign({ review: ({ event }) => event.output }) },
        ],
      },
    },
    CHECKING_ROOM: {
      invoke: {
        src: 'check_room',
        input: ({ context }) => ({ seats: requestOf(context).people.length, values: valuesOf(context.slots) }),
        onDone: { target: 'SUBMITTING', actions: assign({ room: ({ event }) => event.output }) },
      },
    },
    SUBMITTING: {
      invoke: {
        src: 'submit_schedule',
        input: ({ context }) => ({
          meeting: requestOf(context).meeting,
          title: requestOf(context).title,
          to: requestOf(context).people.map(({ email }) => email),
          room: there(context.room, 'room'),
          values: valuesOf(context.slots),
        }),
        onDone: { target: 'FILING_RECEIPT', actions: assign({ submission: ({ event }) => event.output }) },
      },
    },
    FILING_RECEIPT: {
      invoke: {
        src: 'file_receipt',
        input: ({ context }) => ({
          meeting: requestOf(context).meeting,
          room: there(context.room, 'room'),
          messageId: there(context.submission, 'submission').messageId,
          values: valuesOf(context.slots),
        }),
        onDone: { target: 'DONE', actions: assign({ receipt: ({ event }) => event.output }) },
      },
    },
    DONE: { type: 'final' },
    CANCELLED: { type: 'final' },
  },
});
