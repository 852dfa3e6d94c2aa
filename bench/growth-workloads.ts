/** The agents of the benchmark of growth: each does one unit of its kind again and again, and nothing else grows with it. */
import { type BoundaryConfig, loadConfig } from 'belay-sidecar';
import { type Sidecar, tool } from 'belay-sidecar/xstate';
import { type AnyStateMachine, assign, setup } from 'xstate';

/** An agent that does one unit of work at a time. */
export interface Workload {
  /** What a unit is. */
  readonly unit: string;
  /** The number of units by default. */
  readonly size: number;
  /** The instance that is said to have failed in the end: the last one. */
  failed(units: number): { readonly skeleton: string; readonly entity: string; readonly ordinal: number };
  readonly config: BoundaryConfig;
  readonly machine: AnyStateMachine;
  /** Has the next unit done. */
  unitOf(sidecar: Sidecar, n: number): Promise<void> | void;
}

function configOf(agent: string, rest: string): BoundaryConfig {
  const { config, findings } = loadConfig(`belay: 1\nagent: ${agent}\n${rest}`, { file: `${agent}.yaml` });
  if (config === null) throw new Error(JSON.stringify(findings));
  return config;
}

const stateOf = (sidecar: Sidecar) => (sidecar.actor.getSnapshot() as { value: unknown }).value;

async function until(sidecar: Sidecar, state: string): Promise<void> {
  while (stateOf(sidecar) !== state) await new Promise((resolve) => setImmediate(resolve));
}

/** Every step of one instance writes one member of a container of ten. */
function steps(): Workload {
  const rows = Object.fromEntries(Array.from({ length: 10 }, (_, n) => [`row${n}`, 0]));
  const write = assign(({ context, event }) => ({
    rows: { ...context.rows, [`row${event.n % 10}`]: event.n },
  })) as never;
  const machine = setup({
    types: { context: {} as { rows: Record<string, number> }, events: {} as { type: 'set'; n: number } },
    actions: { write },
  }).createMachine({
    id: 'steps',
    context: { rows },
    initial: 'a',
    states: {
      a: { on: { set: { target: 'b', actions: 'write' } } },
      b: { on: { set: { target: 'a', actions: 'write' } } },
    },
  });
  const config = configOf(
    'steps',
    `tools: {}
skeletons:
  Work: { entity: '"it"', states: [a, b], entry: [a], inputs: [], outputs: ['rows/*'], commit: [{ id: one, at: b, when: 'memory.rows.row1 >= 0' }], rollback: { anchors: [one] } }`,
  );
  return {
    unit: 'steps in one instance',
    size: 3_000,
    failed: () => ({ skeleton: 'Work', entity: 'it', ordinal: 0 }),
    config,
    machine,
    unitOf: ({ actor }, n) => actor.send({ type: 'set', n }),
  };
}

/** The same entity is worked on again and again: each time it is another occurrence. */
function instances(): Workload {
  const machine = setup({
    types: { context: {} as { last: number }, events: {} as { type: 'enter' } | { type: 'work'; n: number } },
  }).createMachine({
    id: 'instances',
    context: { last: 0 },
    initial: 'idle',
    states: {
      idle: { on: { enter: 'busy' } },
      busy: { on: { work: { target: 'idle', actions: assign({ last: ({ event }) => event.n }) } } },
    },
  });
  const config = configOf(
    'instances',
    `tools: {}
skeletons:
  Work: { entity: '"it"', states: [busy], entry: [busy], inputs: [], outputs: [last], exit: [{ id: out, at: busy -> idle, when: 'memory.last >= 0' }], rollback: { anchors: [out] } }`,
  );
  return {
    unit: 'instances of one entity',
    size: 1_000,
    failed: (units) => ({ skeleton: 'Work', entity: 'it', ordinal: units - 1 }),
    config,
    machine,
    unitOf: ({ actor }, n) => {
      actor.send({ type: 'enter' });
      actor.send({ type: 'work', n });
    },
  };
}

/** One instance makes calls that change the world, one after the other. */
function calls(): Workload {
  const machine = setup({
    types: { context: {} as { n: number; done: number }, events: {} as { type: 'call'; n: number } },
    actors: { act: tool<number, number>(async ({ input }) => input) },
  }).createMachine({
    id: 'calls',
    context: { n: 0, done: 0 },
    initial: 'idle',
    states: {
      idle: { on: { call: { target: 'acting', actions: assign({ n: ({ event }) => event.n }) } } },
      acting: {
        invoke: {
          src: 'act',
          input: ({ context }) => context.n,
          onDone: { target: 'idle', actions: assign({ done: ({ event }) => event.output }) },
        },
      },
    },
  });
  const config = configOf(
    'calls',
    `tools: { act: { reads: [n], writes: [done], effect: idempotent } }
skeletons:
  Work: { entity: '"it"', states: [idle, acting], entry: [idle], inputs: [n], outputs: [n, done], commit: [{ id: one, at: idle, when: 'memory.done >= 0' }], rollback: { anchors: [one] } }`,
  );
  return {
    unit: 'calls of one instance',
    size: 500,
    failed: () => ({ skeleton: 'Work', entity: 'it', ordinal: 0 }),
    config,
    machine,
    unitOf: async (sidecar, n) => {
      sidecar.actor.send({ type: 'call', n });
      await until(sidecar, 'idle');
    },
  };
}

/** One instance arms a delay and leaves before it is over, again and again. */
function timers(): Workload {
  const machine = setup({
    types: { context: {} as { n: number }, events: {} as { type: 'next'; n: number } },
  }).createMachine({
    id: 'timers',
    context: { n: 0 },
    initial: 'a',
    states: {
      a: { after: { 86400000: 'late' }, on: { next: { target: 'b', actions: assign({ n: ({ event }) => event.n }) } } },
      b: { after: { 86400000: 'late' }, on: { next: { target: 'a', actions: assign({ n: ({ event }) => event.n }) } } },
      late: {},
    },
  });
  const config = configOf(
    'timers',
    `tools: {}
skeletons:
  Work: { entity: '"it"', states: [a, b], entry: [a], inputs: [], outputs: [n], commit: [{ id: one, at: b, when: 'memory.n >= 0' }], rollback: { anchors: [one] } }`,
  );
  return {
    unit: 'timers of one instance',
    size: 1_500,
    failed: () => ({ skeleton: 'Work', entity: 'it', ordinal: 0 }),
    config,
    machine,
    unitOf: ({ actor }, n) => actor.send({ type: 'next', n }),
  };
}

/** An agent is given its whole conversation with each call, and adds 2 KB to it with each answer. */
function turns(): Workload {
  interface Message {
    readonly role: string;
    readonly content: string;
  }
  const llm = tool<Message, { messages: readonly Message[] }>(async ({ input: { messages } }) => ({
    role: 'assistant',
    content: `${messages.length} ${'x'.repeat(2_000)}`,
  }));
  const machine = setup({
    types: { context: {} as { messages: readonly Message[] }, events: {} as { type: 'think' } },
    actors: { llm },
  }).createMachine({
    id: 'turns',
    context: { messages: [] },
    initial: 'idle',
    states: {
      idle: { on: { think: 'thinking' } },
      thinking: {
        invoke: {
          src: 'llm',
          input: ({ context }) => ({ messages: context.messages }),
          onDone: {
            target: 'idle',
            actions: assign({ messages: ({ context, event }) => [...context.messages, event.output] }),
          },
        },
      },
    },
  });
  const config = configOf(
    'turns',
    `tools: { llm: { reads: [messages], writes: [messages], effect: none } }
keys: { append: [messages] }
skeletons:
  Turn: { entity: '"t"', states: [thinking], entry: [thinking], inputs: [messages], outputs: [messages], exit: [{ id: said, at: thinking -> idle, when: 'size(memory.messages) > 0' }], rollback: { anchors: [said], resume: thinking } }`,
  );
  return {
    unit: 'turns of messages of 2 KB',
    size: 200,
    failed: (units) => ({ skeleton: 'Turn', entity: 't', ordinal: units - 1 }),
    config,
    machine,
    unitOf: async (sidecar) => {
      sidecar.actor.send({ type: 'think' });
      await until(sidecar, 'idle');
    },
  };
}

/** Each round looks and books, a small unit of its own, and keeps the answers by item. In the end the 10th round is found wrong. */
function rounds(): Workload {
  type Answers = Readonly<Record<string, string>>;
  const machine = setup({
    types: {
      context: {} as { n: number; seen: Answers; booked: Answers },
      events: {} as { type: 'round'; n: number },
    },
    actors: {
      look: tool<string, number>(async ({ input }) => `free ${input}`),
      book: tool<string, number>(async ({ input }) => `booked ${input}`),
    },
  }).createMachine({
    id: 'rounds',
    context: { n: 0, seen: {}, booked: {} },
    initial: 'idle',
    states: {
      idle: { on: { round: { target: 'look', actions: assign({ n: ({ event }) => event.n }) } } },
      look: {
        invoke: {
          src: 'look',
          input: ({ context }) => context.n,
          onDone: {
            target: 'book',
            actions: assign({ seen: ({ context, event }) => ({ ...context.seen, [`k${context.n}`]: event.output }) }),
          },
        },
      },
      book: {
        invoke: {
          src: 'book',
          input: ({ context }) => context.n,
          onDone: {
            target: 'idle',
            actions: assign({
              booked: ({ context, event }) => ({ ...context.booked, [`k${context.n}`]: event.output }),
            }),
          },
        },
      },
    },
  });
  const config = configOf(
    'rounds',
    `tools: { look: { writes: ['seen/*'], effect: none }, book: { writes: ['booked/*'], effect: idempotent } }
skeletons:
  Round: { entity: string(memory.n), states: [look, book], entry: [look], inputs: [n], outputs: ['seen/k{entity}', 'booked/k{entity}'], exit: [{ id: out, at: book -> idle, when: 'true' }], rollback: { anchors: [out], resume: look } }`,
  );
  return {
    unit: 'rounds, the 10th found wrong',
    size: 400,
    failed: () => ({ skeleton: 'Round', entity: '10', ordinal: 0 }),
    config,
    machine,
    unitOf: async (sidecar, n) => {
      sidecar.actor.send({ type: 'round', n });
      await until(sidecar, 'idle');
    },
  };
}

/** Every workload of one run, by its name. */
export const WORKLOADS: Readonly<Record<string, () => Workload>> = { steps, instances, calls, timers, turns, rounds };
