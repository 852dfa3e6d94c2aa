/** A small agent that tries two trips, for tests by hand: what its branches do is given. */
import { type AnyStateMachine, assign, setup } from 'xstate';
import { type Ending, loadConfig, memoryStore } from '../../src/index.ts';
import { attach, type Sidecar, tool } from '../../src/xstate/index.ts';
import { VirtualTime } from '../virtual-time.ts';

/** A call as the world has seen it. */
export interface Seen {
  readonly tool: string;
  readonly branch: string;
  readonly key: string | undefined;
}

interface Given {
  /** The acts of each branch, by its id: a tool for each. `wait` waits for an event that never comes; `left` books, and goes on before that has come back; `caught` books, and has `none` where that fails. */
  readonly branches: Readonly<Record<string, readonly string[]>>;
  /** The lines of the tools in the config. */
  readonly tools: string;
  readonly choose: string;
  readonly losers?: string;
  readonly budgets?: string;
  /** What a tool does; by default it answers its name and its branch. */
  readonly act?: (seen: Seen) => unknown;
  /** Actions of a branch as it begins. */
  readonly entry?: readonly unknown[];
  /** Called as the machine receives the choice. */
  readonly chosen?: () => undefined;
  /** What the counterparty says of a call; that it did not happen, if left out. */
  readonly find?: () => { readonly is: 'applied' | 'not_applied' };
  readonly undo?: (call: { tool: string; key: string }) => void;
}

const NAMES = ['look', 'book', 'mail', 'pay'] as const;

function branchOf(given: Given, seen: Seen[]): AnyStateMachine {
  const act = given.act ?? (({ tool: name, branch }: Seen) => `${name} ${branch}`);
  const actor = (name: string) =>
    tool(async ({ input, key }: { input: { branch: string }; key?: string | undefined }) => {
      seen.push({ tool: name, branch: input.branch, key });
      return act({ tool: name, branch: input.branch, key });
    });
  const most = Math.max(...Object.values(given.branches).map(({ length }) => length));
  type Context = { branch: string; outs: unknown[] };
  const next = (nth: number) =>
    [...NAMES, 'wait', 'left', 'caught'].map((name) => ({
      guard: ({ context }: { context: Context }) => given.branches[context.branch]?.[nth] === name,
      target: `${name}${nth}`,
    }));
  const leaving = (nth: number) => ({
    invoke: { src: 'book', input: ({ context }: { context: Context }) => ({ branch: context.branch }) },
    after: { 10: `at${nth + 1}` },
  });
  const input = ({ context }: { context: Context }) => ({ branch: context.branch });
  const has = (output: (event: { output: unknown }) => unknown) => ({
    outs: ({ context, event }: { context: Context; event: { output: unknown } }) => [...context.outs, output(event)],
  });
  const catching = (nth: number) => {
    const next = (output: (event: { output: unknown }) => unknown) => ({
      target: `at${nth + 1}`,
      actions: assign(has(output) as never),
    });
    return { invoke: { src: 'book', input, onDone: next(({ output }) => output), onError: next(() => 'none') } };
  };
  const states = Array.from({ length: most }, (_, nth) => [
    [`at${nth}`, { always: [...next(nth), { target: 'over' }] }] as const,
    [`wait${nth}`, {}] as const,
    [`left${nth}`, leaving(nth)] as const,
    [`caught${nth}`, catching(nth)] as const,
    ...NAMES.map((name) => {
      const input = ({ context }: { context: Context }) => ({ branch: context.branch });
      const outs = ({ context, event }: { context: Context; event: { output: unknown } }) => [
        ...context.outs,
        event.output,
      ];
      return [
        `${name}${nth}`,
        { invoke: { src: name, input, onDone: { target: `at${nth + 1}`, actions: assign({ outs } as never) } } },
      ] as const;
    }),
  ]).flat();
  const actors = Object.fromEntries(NAMES.map((name) => [name, actor(name)]));
  return setup({ actors: actors as never }).createMachine({
    id: 'trip',
    context: ({ input }: { input: { branch: string } }) => ({ branch: input.branch, outs: [] }),
    initial: most === 0 ? 'over' : 'at0',
    entry: given.entry ?? [],
    states: { ...Object.fromEntries(states), [`at${most}`]: { always: 'over' }, over: { type: 'final' } },
    output: ({ context }: { context: Context }) => ({ outs: context.outs }),
  } as never) as never;
}

/** The machine and its config. */
export function agentOf(given: Given, seen: Seen[] = []) {
  const { config, findings } = loadConfig(
    `
belay: 1
agent: travel
tools:
${given.tools}
${given.budgets === undefined ? '' : `budgets: ${given.budgets}\n`}alternatives:
  Trip:
    at: trying
    branch: trip
    choose: { ${given.choose} }
    losers: ${given.losers ?? 'owe'}
skeletons: {}
`,
    { file: 'travel.yaml' },
  );
  if (config === null)
    throw new Error(findings.map(({ line, code, message }) => `${line}: ${code} ${message}`).join('\n'));
  const invoke = Object.keys(given.branches).map((branch) => ({ src: 'trip', id: branch, input: { branch } }));
  const machine = setup({ actors: { trip: branchOf(given, seen) } as never }).createMachine({
    id: 'travel',
    context: { won: '', out: null, heard: [] },
    initial: 'trying',
    states: {
      trying: {
        invoke,
        on: {
          '@belay.chosen': {
            target: 'over',
            actions: assign({
              won: ({ event }: never) => given.chosen?.() ?? (event as { branch: string }).branch,
              out: ({ event }: never) => (event as { output: unknown }).output,
            } as never),
          },
          '@belay.none': { target: 'over', actions: assign({ won: () => null } as never) },
          NEWS: { actions: assign({ heard: ({ event }: never) => [event] } as never) },
          LEAVE: 'over',
        },
      },
      over: { type: 'final' },
    },
  } as never) as unknown as AnyStateMachine;
  return { machine, config };
}

/** A run of the agent, to its end or its standstill, in a time of its own. */
export function run(given: Given, meanwhile: (sidecar: Sidecar) => Promise<unknown> = async () => {}) {
  return new VirtualTime().during(() => runNow(given, meanwhile));
}

async function runNow(given: Given, meanwhile: (sidecar: Sidecar) => Promise<unknown>) {
  const [seen, undone]: [Seen[], string[]] = [[], []];
  const findings: string[] = [];
  const { machine, config } = agentOf(given, seen);
  const un = async (call: { tool: string; key: string }) => {
    given.undo?.(call);
    undone.push(call.tool);
  };
  const journal = memoryStore();
  const options = {
    ...{ run: 'trip-1', config, journal, undo: { un }, keepAlive: false },
    reconcilers: { find: given.find ?? (() => ({ is: 'not_applied' as const })) },
    onFinding: ({ code }: { code: string }) => void findings.push(code),
  };
  const sidecar = await attach(machine, options as never);
  sidecar.actor.start();
  await meanwhile(sidecar);
  const ending: Ending = await sidecar.finished();
  const { context } = sidecar.actor.getSnapshot() as {
    context: { won: string | null; out: unknown; heard: unknown[] };
  };
  return { ending, context, seen, undone, findings, sidecar, runOf: () => journal.read('trip-1') };
}
