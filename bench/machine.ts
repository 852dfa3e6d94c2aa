/** The machine of the benchmarks of the sidecar. `bench/against.ts` lays this file into older trees: it imports what they have, too. */
import { loadConfig } from 'belay-sidecar';
import { tool } from 'belay-sidecar/xstate';
import { assign, fromPromise, setup } from 'xstate';

interface Context {
  rows: Record<string, { value: number; note: string }>;
  ballast: string;
  done?: number;
}

/** A machine whose every step changes one of the entries of a container, at a boundary with two predicates. */
export function machine(entries: number, ballast = 0) {
  const rows = Object.fromEntries(
    Array.from({ length: entries }, (_, n) => [`row${n}`, { value: 0, note: `note ${n}` }]),
  );
  return setup({
    types: { context: {} as Context, events: {} as { type: 'set'; row: string; value: number } | { type: 'call' } },
    actors: {
      look: fromPromise(async () => 1),
      act: tool<number, number>(async ({ input }) => input),
    },
    actions: {
      write: assign(({ context, event }) =>
        event.type === 'set'
          ? { rows: { ...context.rows, [event.row]: { ...context.rows[event.row], value: event.value } } }
          : {},
      ) as never,
    },
  }).createMachine({
    id: 'bench',
    context: { rows, ballast: 'x'.repeat(ballast) },
    initial: 'a',
    states: {
      a: { on: { set: { target: 'b', actions: 'write' }, call: 'acting' } },
      b: { on: { set: { target: 'a', actions: 'write' }, call: 'acting' } },
      acting: {
        invoke: {
          src: 'act',
          input: 1,
          onDone: { target: 'a', actions: assign({ done: ({ event }) => event.output }) },
        },
      },
    },
  });
}

const loaded = loadConfig(
  `
belay: 1
agent: bench
tools:
  act: { reads: [], writes: [done], effect: idempotent }
skeletons:
  Work:
    entity: '"it"'
    states: [a, b, acting]
    entry: [a]
    inputs: ["rows/*/note"]
    outputs: ["rows/*/value", done]
    commit:
      - { id: one, at: b, when: 'memory.rows[?"row1"].?value.orValue(0) < 0' }
      - { id: two, at: a, when: 'memory.rows[?"row2"].?value.orValue(0) < 0' }
    rollback: { anchors: [one, two] }
`,
  { file: 'bench.yaml' },
);
if (loaded.config === null) throw new Error(JSON.stringify(loaded.findings));
export const config = loaded.config;

export const event = (n: number, entries: number) => ({ type: 'set' as const, row: `row${n % entries}`, value: n });
