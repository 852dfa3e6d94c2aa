/** The tables of Atomix, on this product: each part is a task of its own. */
import { type Count, countAll } from '../mails/count.ts';
import { type Tried, tried, WAYS, type Way } from './branches.ts';
import { type Contended, contended, GUARDS, type Guard, SCENARIOS, type Scenario } from './contention.ts';
import { MODES, type Mode, type Stepped, stepped } from './steps.ts';

/** The runs of each row. */
const RUNS = 200;

/** The tries of a step where the probability of a fault is what changes, and that probability where the tries are. */
export const BUDGET = 3;
export const PROBABILITY = 0.3;

/** A row of a table, or the whole table of mails, whose modes share a server. */
export type Part =
  | { readonly part: 'branches'; readonly way: Way; readonly branches: number }
  | { readonly part: 'steps'; readonly mode: Mode; readonly probability: number; readonly budget: number }
  | { readonly part: 'contention'; readonly scenario: Scenario; readonly guard: Guard; readonly agents: number }
  | { readonly part: 'mails' };

/** What was counted. */
export interface Atomix {
  readonly tried: readonly Tried[];
  readonly stepped: readonly Stepped[];
  readonly contended: readonly Contended[];
  readonly mails: readonly Count[];
}

/** Three branches are those of the paper's files. */
const BRANCHES = [2, 3, 4, 8, 16] as const;
const PROBABILITIES = [0, 0.05, 0.1, 0.3, 0.5] as const;
const AGENTS = [2, 4, 8] as const;
const BUDGETS = [0, 1, 2, 3, 5] as const;

/** Every part. */
export function parts(): readonly Part[] {
  const branches = BRANCHES.flatMap((count) =>
    WAYS.map((way) => ({ part: 'branches', way, branches: count }) as const),
  );
  const rates = PROBABILITIES.map((probability) => ({ probability, budget: BUDGET }));
  const budgets = BUDGETS.filter((budget) => budget !== BUDGET).map((budget) => ({ probability: PROBABILITY, budget }));
  const steps = [...rates, ...budgets].flatMap((each) =>
    MODES.map((mode) => ({ part: 'steps', mode, ...each }) as const),
  );
  const contention = SCENARIOS.flatMap((scenario) =>
    AGENTS.flatMap((agents) => GUARDS.map((guard) => ({ part: 'contention', scenario, guard, agents }) as const)),
  );
  return [{ part: 'mails' }, ...contention, ...steps, ...branches];
}

/** The name of a part. */
export function nameOf(part: Part): string {
  if (part.part === 'mails') return 'mails';
  if (part.part === 'branches') return `${part.branches} branches, ${part.way}`;
  if (part.part === 'contention') return `${part.scenario}, ${part.agents} agents, ${part.guard}`;
  return `steps, ${part.mode}, ${part.probability}, ${part.budget} tries`;
}

/** Runs a part. @param runs how often. */
export async function counted(part: Part, runs = RUNS): Promise<Atomix> {
  const none: Atomix = { tried: [], stepped: [], contended: [], mails: [] };
  switch (part.part) {
    case 'branches':
      return { ...none, tried: [await tried(part.way, part.branches, runs)] };
    case 'steps':
      return { ...none, stepped: [await stepped(part.mode, part.probability, part.budget, runs)] };
    case 'contention':
      return { ...none, contended: [await contended(part.scenario, part.guard, part.agents, runs)] };
    case 'mails': {
      // A run for each probability, once confirmed and once given up: the paper's 600 are three times two hundred.
      const plan = { probabilities: [0.1, 0.3, 0.5], runs: Math.max(1, runs / 2), seed: 1, progress: () => {} };
      return { ...none, mails: await countAll(plan) };
    }
  }
}

/** The counts of all parts together. */
export function joined(all: readonly Atomix[]): Atomix {
  return {
    tried: all.flatMap((each) => each.tried),
    stepped: all.flatMap((each) => each.stepped),
    contended: all.flatMap((each) => each.contended),
    mails: all.flatMap((each) => each.mails),
  };
}
