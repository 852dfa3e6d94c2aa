/** Ten steps that each add one row, under faults: how many runs end with each row once, by the number of tries that are allowed. */
import { type BoundaryConfig, loadConfig, type ToolCall } from 'belay-sidecar';
import { attach, tool } from 'belay-sidecar/xstate';
import { setup } from 'xstate';
import { fieldOf } from '../../domains/there.ts';
import { type Fault, faults } from '../mails/draw.ts';

/** Belay; a plain retry of what fails; a checkpoint of the whole world that is restored; and a program that stops at the first fault. */
export const MODES = ['belay', 'retry', 'checkpoint', 'stop'] as const;
export type Mode = (typeof MODES)[number];

/** The runs of one mode at one probability of a fault, with so many tries. */
export interface Stepped {
  readonly mode: Mode;
  readonly probability: number;
  readonly budget: number;
  runs: number;
  /** Runs that end with each row once. */
  correct: number;
  /** Runs whose world has a row twice, or a row behind one that is missing. */
  corrupted: number;
  faults: number;
}

const STEPS = 10;
const ALL = Array.from({ length: STEPS }, (_, step) => step);

/** The rows, in which a row that is added again is there twice. */
class World {
  rows: number[] = [];
  faults = 0;
  readonly #draw: () => Fault;

  constructor(seed: string, probability: number) {
    this.#draw = faults(seed, probability);
  }

  /** @throws Error where the attempt fails: before the row is added, or behind it. */
  add(step: number): void {
    const fault = this.#draw();
    if (fault !== null) this.faults += 1;
    if (fault === 'before') throw new Error('the store did not answer');
    this.rows.push(step);
    if (fault === 'after') throw new Error('the store answered too late');
  }

  get isCorrect(): boolean {
    return this.rows.length === STEPS && this.isSound;
  }

  /** True where the rows are the first ones, each once and in order. */
  get isSound(): boolean {
    return this.rows.every((step, at) => step === at);
  }
}

const configs = new Map<number, BoundaryConfig>();

/** A unit a step: its tries are those of the step. */
function configOf(budget: number): BoundaryConfig {
  const known = configs.get(budget);
  if (known !== undefined) return known;
  const skeletons = ALL.map(
    (step) => `
  Step${step}:
    entity: '"step"'
    states: [s${step}]
    entry: [s${step}]
    outputs: ['rows:${step}']
    exit:
      - { id: done${step}, at: s${step} -> ${after(step)}, when: 'true' }
    rollback: { anchors: [done${step}], resume: s${step}, tries: ${budget} }`,
  );
  const { config, findings } = loadConfig(
    `
belay: 1
agent: steps
tries: ${budget * STEPS}
tools:
  add: { effect: irreversible, reconcile: { ask: find, wait: 1ms }, reads: [], writes: ['rows:{args.step}'] }
skeletons:${skeletons.join('')}
`,
    { file: 'steps.yaml' },
  );
  if (config === null) throw new Error(findings.map(({ message }) => message).join('\n'));
  configs.set(budget, config);
  return config;
}

/** The state behind a step. */
function after(step: number): string {
  return step + 1 === STEPS ? 'done' : `s${step + 1}`;
}

const machineOf = (add: (step: number) => void) =>
  setup({ actors: { add: tool(async ({ input }: ToolCall<{ step: number }>) => add(input.step)) } }).createMachine({
    id: 'steps',
    initial: 's0',
    states: {
      ...Object.fromEntries(
        ALL.map((step) => [`s${step}`, { invoke: { src: 'add' as const, input: { step }, onDone: after(step) } }]),
      ),
      done: { type: 'final' },
    },
  });

async function belay(world: World, budget: number): Promise<boolean> {
  const find = async ({ args }: { args: unknown }) => {
    return { is: world.rows.includes(Number(fieldOf(args, 'step'))) ? ('applied' as const) : ('not_applied' as const) };
  };
  const sidecar = await attach(
    machineOf((step) => world.add(step)),
    {
      run: 'steps',
      config: configOf(budget),
      reconcilers: { find },
    },
  );
  sidecar.actor.start();
  const { status } = await sidecar.finished();
  await sidecar.close();
  return status === 'done';
}

/** Each step, tried again so often. @returns false where a step fails for good. */
function retry(world: World, budget: number): boolean {
  return ALL.every((step) => {
    for (let tries = 0; tries <= budget; tries += 1) {
      try {
        world.add(step);
        return true;
      } catch {
        // The reply says no more than that it failed.
      }
    }
    return false;
  });
}

/** The same, where each failure first puts the whole world back to what it was before the step. */
function checkpoint(world: World, budget: number): boolean {
  return ALL.every((step) => {
    const before = [...world.rows];
    for (let tries = 0; tries <= budget; tries += 1) {
      try {
        world.add(step);
        return true;
      } catch {
        world.rows = [...before];
      }
    }
    return false;
  });
}

/** Makes the runs of a mode. Every mode draws the same faults as long as it does the same. */
export async function stepped(mode: Mode, probability: number, budget: number, runs: number): Promise<Stepped> {
  const count = { mode, probability, budget, runs, correct: 0, corrupted: 0, faults: 0 };
  for (let nth = 0; nth < runs; nth += 1) {
    const world = new World(`steps ${probability} ${nth}`, probability);
    if (mode === 'belay') await belay(world, budget);
    else if (mode === 'checkpoint') checkpoint(world, budget);
    else retry(world, mode === 'stop' ? 0 : budget);
    count.correct += world.isCorrect ? 1 : 0;
    count.corrupted += world.isSound ? 0 : 1;
    count.faults += world.faults;
  }
  return count;
}
