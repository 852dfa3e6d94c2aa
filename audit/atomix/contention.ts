/** Agents that act on the same cells at once: how many runs end as if the agents had come one after the other, and what that takes. */
import { type BoundaryConfig, claimsInMemory, loadConfig, memoryStore, type ToolCall } from 'belay-sidecar';
import { attach, tool } from 'belay-sidecar/xstate';
import { assign, setup } from 'xstate';
import { there, typed } from '../../domains/there.ts';
import { draws } from '../mails/draw.ts';

/** The scenarios of the paper: cells of one's own, one counter, a read and then a write of what was read, and writers beside readers. */
export const SCENARIOS = ['disjoint', 'counter', 'read and write', 'mixed'] as const;
export type Scenario = (typeof SCENARIOS)[number];

/**
 * The ways of keeping agents apart. Under Belay an agent is a run, which claims what it touches to its end. The others are plain programs: a lock for each cell,
 * held for one call; a write that is refused where its cell has moved since it was read, and then tried again; and nothing.
 */
export const GUARDS = ['belay', 'locks', 'retry', 'none'] as const;
export type Guard = (typeof GUARDS)[number];

/** The runs of one scenario with so many agents. */
export interface Contended {
  readonly scenario: Scenario;
  readonly guard: Guard;
  readonly agents: number;
  runs: number;
  /** Runs that an order of the agents explains. */
  correct: number;
  /** Calls that were made again, since a cell had moved. */
  retries: number;
  /** The time of each run, in milliseconds. */
  readonly times: number[];
}

/** The calls of an agent. */
const CALLS = 50;

interface Act {
  readonly do: 'add' | 'look' | 'put';
  readonly cell: string;
  /** What a `put` writes; one more than what was seen last where it is left out. */
  readonly value?: number;
}

/** The cells: a call reads one, waits for others, and writes it. */
class Cells {
  readonly values = new Map<string, number>();
  /** The pairs of values that readers have seen. */
  readonly pairs: (readonly [number, number])[] = [];
  retries = 0;
  readonly #versions = new Map<string, number>();
  readonly #guard: Guard;
  readonly #draw: () => number;
  readonly #locks = new Map<string, Promise<void>>();

  constructor(guard: Guard, draw: () => number) {
    this.#guard = guard;
    this.#draw = draw;
  }

  valueOf(cell: string): number {
    return this.values.get(cell) ?? 0;
  }

  versionOf(cell: string): number {
    return this.#versions.get(cell) ?? 0;
  }

  /** @param seen what the agent saw last. @returns what the call answers. */
  async act(act: Act, seen: { readonly value: number; readonly version: number }): Promise<number> {
    if (this.#guard !== 'locks') return this.#act(act, seen);
    const before = this.#locks.get(act.cell) ?? Promise.resolve();
    const own = before.then(() => this.#act(act, seen));
    this.#locks.set(
      act.cell,
      own.then(() => {}),
    );
    return own;
  }

  async #act({ do: kind, cell, value }: Act, seen: { readonly value: number; readonly version: number }) {
    for (let from = seen; ; ) {
      const [before, version] = [this.valueOf(cell), this.versionOf(cell)];
      await this.#others();
      if (kind === 'look') {
        if (cell === 'a') this.pairs.push([from.value, before]);
        return before;
      }
      const isOld =
        kind === 'put' && value === undefined
          ? from.version !== this.versionOf(cell)
          : version !== this.versionOf(cell);
      if (this.#guard === 'retry' && isOld) {
        this.retries += 1;
        from = { value: this.valueOf(cell), version: this.versionOf(cell) };
        continue;
      }
      const written = kind === 'add' ? before + 1 : (value ?? from.value + 1);
      this.values.set(cell, written);
      this.#versions.set(cell, this.versionOf(cell) + 1);
      return written;
    }
  }

  /** Others have their turns. */
  async #others(): Promise<void> {
    for (let turns = Math.floor(this.#draw() * 3); turns >= 0; turns -= 1)
      await new Promise((resolve) => setImmediate(resolve));
  }
}

/** The acts of an agent. */
function actsOf(scenario: Scenario, agent: number): readonly Act[] {
  const twice = (pair: (nth: number) => readonly Act[]) =>
    Array.from({ length: CALLS / 2 }, (_, nth) => pair(nth)).flat();
  switch (scenario) {
    case 'disjoint':
      return twice(() => [
        { do: 'add', cell: `own${agent}` },
        { do: 'add', cell: `own${agent}` },
      ]);
    case 'counter':
      return twice(() => [
        { do: 'add', cell: 'one' },
        { do: 'add', cell: 'one' },
      ]);
    case 'read and write':
      return twice(() => [
        { do: 'look', cell: 'one' },
        { do: 'put', cell: 'one' },
      ]);
    case 'mixed': {
      const value = (nth: number) => agent * CALLS + nth + 1;
      const writes = (nth: number) =>
        [
          { do: 'put', cell: 'a', value: value(nth) },
          { do: 'put', cell: 'b', value: value(nth) },
        ] as const;
      return agent % 2 === 0
        ? twice(writes)
        : twice(() => [
            { do: 'look', cell: 'b' },
            { do: 'look', cell: 'a' },
          ]);
    }
  }
}

/** True where an order of the agents explains what the cells are, and what was seen of them. */
function isCorrect(scenario: Scenario, agents: number, cells: Cells): boolean {
  switch (scenario) {
    case 'disjoint':
      return Array.from({ length: agents }, (_, agent) => cells.valueOf(`own${agent}`)).every(
        (value) => value === CALLS,
      );
    case 'counter':
      return cells.valueOf('one') === agents * CALLS;
    case 'read and write':
      return cells.valueOf('one') === (agents * CALLS) / 2;
    case 'mixed':
      return cells.valueOf('a') === cells.valueOf('b') && cells.pairs.every(([a, b]) => a === b);
  }
}

/** What an agent keeps between its calls. */
interface Kept {
  readonly acts: readonly Act[];
  readonly next: number;
  readonly seen: number;
}

async function plainAgent(cells: Cells, acts: readonly Act[]): Promise<void> {
  for (let kept = { acts, next: 0, seen: 0, version: 0 }; kept.next < acts.length; ) {
    const act = there(acts[kept.next], 'act');
    const version = act.do === 'look' ? cells.versionOf(act.cell) : kept.version;
    const answer = await cells.act(act, { value: kept.seen, version });
    kept = { ...kept, next: kept.next + 1, seen: answer, version };
  }
}

/**
 * A run claims all that it may touch at once where it reads what it will write, and where runs touch cells in either order: of two that each have the first,
 * neither could go on.
 */
const CONFIGS = { first: configOf(''), announced: configOf('claims: { line_up: announce }\n') };

function configOf(claims: string): BoundaryConfig {
  const { config, findings } = loadConfig(
    `belay: 1
agent: contention
${claims}tools:
  add: { effect: idempotent, reads: ['cell:{args.cell}'], writes: ['cell:{args.cell}'] }
  look: { effect: none, reads: ['cell:{args.cell}'] }
  put: { effect: idempotent, reads: [], writes: ['cell:{args.cell}'] }
skeletons: {}
`,
    { file: 'contention.yaml' },
  );
  if (config === null) throw new Error(findings.map(({ message }) => message).join('\n'));
  return config;
}

const KEEP = {
  type: 'keep',
  params: ({ event }: { readonly event: { readonly output: number } }) => ({ is: event.output }),
} as const;

type Asked = Act & { readonly seen: number };

function machineOf(cells: Cells) {
  const act = tool(async ({ input: { seen, ...act } }: ToolCall<Asked>) => cells.act(act, { value: seen, version: 0 }));
  const asked = ({ context: { acts, next, seen } }: { readonly context: Kept }): Asked => ({
    ...there(acts[next], 'act'),
    seen,
  });
  const isNext =
    (kind: Act['do']) =>
    ({ context: { acts, next } }: { readonly context: Kept }) =>
      acts[next]?.do === kind;
  return setup({
    types: typed<Kept, Kept>(),
    actors: { add: act, look: act, put: act },
    actions: {
      keep: assign({
        next: ({ context }) => context.next + 1,
        seen: (_, answer: { readonly is: number }) => answer.is,
      }),
    },
  }).createMachine({
    id: 'contention',
    context: ({ input }) => input,
    initial: 'choosing',
    states: {
      choosing: {
        always: [
          { guard: isNext('add'), target: 'adding' },
          { guard: isNext('look'), target: 'looking' },
          { guard: isNext('put'), target: 'putting' },
          { target: 'over' },
        ],
      },
      adding: { invoke: { src: 'add', input: asked, onDone: { target: 'choosing', actions: KEEP } } },
      looking: { invoke: { src: 'look', input: asked, onDone: { target: 'choosing', actions: KEEP } } },
      putting: { invoke: { src: 'put', input: asked, onDone: { target: 'choosing', actions: KEEP } } },
      over: { type: 'final' },
    },
  });
}

async function underBelay(cells: Cells, scenario: Scenario, agents: readonly (readonly Act[])[]): Promise<void> {
  const shared = { journal: memoryStore(), claims: claimsInMemory() };
  const config = CONFIGS[scenario === 'read and write' || scenario === 'mixed' ? 'announced' : 'first'];
  const run = async (acts: readonly Act[], agent: number) => {
    const given = { ...shared, run: `agent ${agent}`, config, input: { acts, next: 0, seen: 0 } };
    const sidecar = await attach(machineOf(cells), given);
    sidecar.actor.start();
    const { status } = await sidecar.finished();
    await sidecar.close();
    if (status !== 'done') throw new Error(`an agent of ${scenario} is ${status}`);
  };
  await Promise.all(agents.map(run));
}

/** Makes the runs of a scenario. Every guard draws the same waits as long as it makes the same calls. */
export async function contended(scenario: Scenario, guard: Guard, agents: number, runs: number): Promise<Contended> {
  const counted: Contended = { scenario, guard, agents, runs, correct: 0, retries: 0, times: [] };
  for (let nth = 0; nth < runs; nth += 1) {
    const cells = new Cells(guard, draws(`contention ${scenario} ${agents} ${nth}`));
    const acts = Array.from({ length: agents }, (_, agent) => actsOf(scenario, agent));
    const began = performance.now();
    if (guard === 'belay') await underBelay(cells, scenario, acts);
    else await Promise.all(acts.map((own) => plainAgent(cells, own)));
    counted.times.push(performance.now() - began);
    counted.correct += isCorrect(scenario, agents, cells) ? 1 : 0;
    counted.retries += cells.retries;
  }
  return counted;
}
