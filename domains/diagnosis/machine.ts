/**
 * The agent as a state machine: symptoms are collected, hypotheses are followed one after the other and judged, what is confirmed is
 * repaired and verified, and the customers are told. A repair that times out is no failure to it: it goes and looks whether the
 * repair shows. Its tools are provided with a world (tools.ts); without one they refuse.
 */
import { assign, setup } from 'xstate';
import { fieldOf, keysOf, there, typed } from '../there.ts';
import { actors } from './calls.ts';
import {
  type Followed,
  type Hypothesis,
  LOOKS,
  type Look,
  type Memory,
  type Reading,
  type Request,
  type Verdict,
} from './incident.ts';

const currentOf = ({ current }: Memory): Hypothesis => there(current, 'hypothesis');
const followed = (memory: Memory): Followed => memory.hypotheses[currentOf(memory)];
const causesOf = ({ repairs }: Memory) => keysOf<Hypothesis>(repairs);

/** The hypothesis after the current one on the agenda, or before it. */
function beside({ agenda, current }: Memory, by: 1 | -1): Hypothesis | null {
  const index = current === null ? -1 : agenda.indexOf(current);
  return agenda[index + by] ?? null;
}

/** The parts that the current check has not examined yet. A judged one is checked from its beginning. */
function unseen(memory: Memory): readonly Look[] {
  const { readings = {}, verdict } = followed(memory);
  const looks = LOOKS[currentOf(memory)];
  return verdict === undefined ? looks.filter((look) => readings[look] === undefined) : looks;
}

/** The memory with something more known of the current hypothesis. */
function learnt(memory: Memory, more: Followed): Pick<Memory, 'hypotheses'> {
  return { hypotheses: { ...memory.hypotheses, [currentOf(memory)]: more } };
}

/** The memory with what the next look has shown. */
function seen(memory: Memory, reading: Reading): Pick<Memory, 'hypotheses'> {
  const look = there(unseen(memory)[0], 'part to look at');
  const { readings, verdict } = followed(memory);
  return learnt(memory, { readings: { ...(verdict === undefined && readings), [look]: reading } });
}

/** The memory with the verdict on the current hypothesis. */
function judged(memory: Memory, verdict: Verdict): Pick<Memory, 'hypotheses'> {
  return learnt(memory, { ...followed(memory), verdict });
}

/** The memory once the repair that is due was made, or may have been. */
function repaired({ due, repairs }: Memory, now: string | null): Pick<Memory, 'due' | 'repairs'> {
  const [first, ...others] = due;
  const { cause } = there(first, 'repair');
  return { due: others, repairs: { ...repairs, [cause]: { cause, now } } };
}

/** The machine, with tools that refuse until a world is provided. */
export const machine = setup({
  types: typed<Memory, Request>(),
  actors,
  guards: {
    timedOut: ({ event }) => {
      const error = fieldOf(event, 'error');
      return fieldOf(error, 'name') === 'TimeoutError' || fieldOf(error, 'code') === 'ETIMEDOUT';
    },
  },
}).createMachine({
  id: 'diagnosis',
  context: ({ input }) => ({
    asked: input,
    symptoms: null,
    agenda: [],
    hypotheses: { config: {}, lock: {}, quota: {}, certificate: {}, queue: {} },
    current: null,
    due: [],
    repairs: {},
    verification: null,
    notice: null,
    incident: null,
  }),
  initial: 'COLLECTING_SYMPTOMS',
  states: {
    COLLECTING_SYMPTOMS: {
      invoke: {
        src: 'collect_symptoms',
        input: ({ context }) => ({ service: context.asked.service }),
        onDone: [
          {
            guard: ({ event }) => event.output.length === 0,
            target: 'CLOSED',
            actions: assign({ symptoms: ({ event }) => event.output }),
          },
          { target: 'PLANNING_CHECKS', actions: assign({ symptoms: ({ event }) => event.output }) },
        ],
      },
    },
    PLANNING_CHECKS: {
      invoke: {
        src: 'plan_checks',
        input: ({ context }) => ({ symptoms: context.symptoms ?? [] }),
        onDone: { target: 'CHECK_READY', actions: assign({ agenda: ({ event }) => event.output }) },
      },
    },
    CHECK_READY: {
      always: [
        {
          guard: ({ context }) => beside(context, 1) !== null,
          target: 'RUNNING_CHECK',
          actions: assign({ current: ({ context }) => beside(context, 1) }),
        },
        { target: 'PLANNING_REPAIR' },
      ],
    },
    RUNNING_CHECK: {
      invoke: {
        src: 'run_check',
        input: ({ context }) => ({
          hypothesis: currentOf(context),
          look: there(unseen(context)[0], 'part to look at'),
        }),
        onDone: [
          {
            guard: ({ context }) => unseen(context).length > 1,
            target: 'RUNNING_CHECK',
            reenter: true,
            actions: assign(({ context, event }) => seen(context, event.output)),
          },
          {
            guard: ({ context, event }) => context.current === 'queue' && event.output.fine === false,
            target: 'PROBING',
            actions: assign(({ context, event }) => seen(context, event.output)),
          },
          { target: 'JUDGING', actions: assign(({ context, event }) => seen(context, event.output)) },
        ],
      },
    },
    PROBING: {
      invoke: {
        src: 'probe_queue',
        input: ({ context }) => ({ hypothesis: currentOf(context) }),
        onDone: {
          target: 'JUDGING',
          actions: assign(({ context, event }) => learnt(context, { ...followed(context), probe: event.output })),
        },
      },
    },
    JUDGING: {
      invoke: {
        src: 'judge_hypothesis',
        input: ({ context }) => {
          const previous = beside(context, -1);
          const before = previous === null ? null : (context.hypotheses[previous].verdict ?? null);
          return { hypothesis: currentOf(context), ...followed(context), previous: previous ?? 'none', before };
        },
        onDone: [
          {
            guard: ({ context }) => beside(context, 1) !== null,
            target: 'CHECK_READY',
            actions: assign(({ context, event }) => judged(context, event.output)),
          },
          { target: 'PLANNING_REPAIR', actions: assign(({ context, event }) => judged(context, event.output)) },
        ],
      },
    },
    PLANNING_REPAIR: {
      invoke: {
        src: 'plan_repair',
        input: ({ context: { agenda, hypotheses } }) => ({
          verdicts: Object.fromEntries(agenda.map((each) => [each, hypotheses[each].verdict])),
        }),
        onDone: [
          { guard: ({ event }) => event.output.length === 0, target: 'ESCALATED' },
          { target: 'REPAIRING', actions: assign({ due: ({ event }) => event.output }) },
        ],
      },
    },
    REPAIRING: {
      invoke: {
        src: 'apply_repair',
        input: ({ context }) => there(context.due[0], 'repair'),
        onDone: {
          target: 'VERIFYING',
          actions: assign(({ context, event }) => repaired(context, event.output.now)),
        },
        // Whether it was made is to be seen in the service, so the machine goes and looks.
        onError: { guard: 'timedOut', target: 'VERIFYING', actions: assign(({ context }) => repaired(context, null)) },
      },
    },
    VERIFYING: {
      invoke: {
        src: 'verify_service',
        input: ({ context }) => ({ repairs: Object.values(context.repairs) }),
        onDone: [
          {
            guard: ({ context }) => context.due.length > 0,
            target: 'REPAIRING',
            actions: assign({ verification: ({ event }) => event.output }),
          },
          {
            guard: ({ event }) => event.output.agenda.length > 0,
            target: 'RUNNING_CHECK',
            actions: assign(({ event }) => {
              const { agenda } = event.output;
              return { verification: event.output, agenda, current: there(agenda[0], 'hypothesis') };
            }),
          },
          { target: 'NOTIFYING', actions: assign({ verification: ({ event }) => event.output }) },
        ],
      },
    },
    NOTIFYING: {
      invoke: {
        src: 'notify_customers',
        input: ({ context }) => ({
          service: context.asked.service,
          causes: causesOf(context),
          to: context.asked.customers,
        }),
        onDone: { target: 'CLOSING', actions: assign({ notice: ({ event }) => event.output }) },
      },
    },
    CLOSING: {
      invoke: {
        src: 'close_incident',
        input: ({ context }) => ({ service: context.asked.service, causes: causesOf(context) }),
        onDone: { target: 'CLOSED', actions: assign({ incident: ({ event }) => event.output }) },
      },
    },
    CLOSED: { type: 'final' },
    ESCALATED: { type: 'final' },
  },
});
