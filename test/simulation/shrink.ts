/** Cuts a failing scenario down: drops one thing after the other, and keeps what still fails. */

import type { Verdict } from './judge.ts';
import type { Block, Fault, Scenario, Step, ToolSpec, Unit } from './scenario.ts';
import { type Result, runScenario } from './trial.ts';

/** The smallest scenario that was found to fail in the same way, and what came of it. */
export async function shrink(result: Result, patience = 40_000): Promise<Result> {
  const until = Date.now() + patience;
  let best = result;
  for (let progress = true; progress && Date.now() < until; ) {
    progress = false;
    for (const smaller of smallerThan(best.scenario)) {
      if (Date.now() > until) break;
      const found = await failing(smaller, best.verdict);
      if (found === null) continue;
      best = found;
      progress = true;
      break;
    }
  }
  return best;
}

async function failing(scenario: Scenario, like: Verdict): Promise<Result | null> {
  const result = await runScenario(scenario).catch(() => null);
  return result !== null && isLike(result.verdict, like) ? result : null;
}

function isLike(verdict: Verdict, like: Verdict): boolean {
  if (verdict.is !== like.is) return false;
  if (verdict.is !== 'harm' || like.is !== 'harm') return true;
  return verdict.harms.some((harm) => like.harms.includes(harm));
}

function* smallerThan(scenario: Scenario): Generator<Scenario> {
  for (const faults of dropped<Fault>(scenario.faults)) yield { ...scenario, faults };
  for (const body of smallerBodies(scenario.body)) yield { ...scenario, body };
  for (const [index, child] of scenario.children.entries())
    for (const body of smallerBodies(child.body))
      yield { ...scenario, children: scenario.children.with(index, { ...child, body }) };
  if (scenario.redeliver) yield { ...scenario, redeliver: false };
  if (scenario.paged) yield { ...scenario, paged: false };
  for (const [index, tool] of scenario.tools.entries())
    for (const plainer of plainerTools(tool)) yield { ...scenario, tools: scenario.tools.with(index, plainer) };
  for (const [index, fault] of scenario.faults.entries())
    for (const plainer of plainerFaults(fault)) yield { ...scenario, faults: scenario.faults.with(index, plainer) };
}

function* dropped<T>(list: readonly T[]): Generator<readonly T[]> {
  for (let index = 0; index < list.length; index++) yield list.toSpliced(index, 1);
}

function* smallerBodies(body: readonly Block[]): Generator<readonly Block[]> {
  yield* dropped(body);
  for (const [index, block] of body.entries()) {
    for (const parts of simpler(block)) yield body.toSpliced(index, 1, ...parts);
  }
}

/** What may stand instead of a block. */
function simpler(block: Block): Iterable<readonly Block[]> {
  switch (block.block) {
    case 'unit':
      return simplerUnits(block);
    case 'branch':
      return simplerBranches(block);
    case 'loop':
      return simplerLoops(block);
    case 'parallel':
      return simplerParallels(block);
    case 'nest':
      return simplerNests(block);
    case 'loose':
    case 'compute':
    case 'raise':
    case 'meet':
      return [];
  }
}

function* simplerUnits(unit: Unit): Generator<readonly Block[]> {
  for (const steps of dropped<Step>(unit.steps)) if (steps.length > 0) yield [{ ...unit, steps }];
  for (const plainer of plainerUnits(unit)) yield [plainer];
}

function* simplerBranches(block: Extract<Block, { block: 'branch' }>): Generator<readonly Block[]> {
  yield block.odd;
  yield block.even;
  for (const odd of smallerBodies(block.odd)) yield [{ ...block, odd }];
  for (const even of smallerBodies(block.even)) yield [{ ...block, even }];
}

function* simplerLoops(block: Extract<Block, { block: 'loop' }>): Generator<readonly Block[]> {
  yield block.body;
  if (block.times > 2) yield [{ ...block, times: 2 }];
  if (block.tight) yield [{ ...block, tight: false }];
  for (const body of smallerBodies(block.body)) yield [{ ...block, body }];
}

function* simplerNests(block: Extract<Block, { block: 'nest' }>): Generator<readonly Block[]> {
  yield block.body;
  if (block.rests) yield [{ ...block, rests: false }];
  for (const body of smallerBodies(block.body)) yield [{ ...block, body }];
}

function* simplerParallels(block: Extract<Block, { block: 'parallel' }>): Generator<readonly Block[]> {
  const { regions } = block;
  yield* regions;
  if (block.leaves) yield [{ ...block, leaves: false }];
  if (regions.length > 2) for (const fewer of dropped(regions)) yield [{ ...block, regions: fewer }];
  for (const [index, region] of regions.entries())
    for (const body of smallerBodies(region)) yield [{ ...block, regions: regions.with(index, body) }];
}

function* plainerUnits(unit: Unit): Generator<Unit> {
  if (unit.joint === 'all') yield { ...unit, joint: 'none' };
  const { skeleton, about, ...own } = unit;
  if (skeleton !== undefined) yield own;
  if (about === 'state') yield { ...unit, about: 'entity' };
  if (unit.outcomes) yield { ...unit, outcomes: false };
  if (!unit.resume) yield { ...unit, resume: true };
  if (unit.anchors !== 'all') yield { ...unit, anchors: 'all' };
  for (const [index, step] of unit.steps.entries()) {
    if (step.step !== 'call') continue;
    if (step.retry) yield { ...unit, steps: unit.steps.with(index, { ...step, retry: false }) };
    if (step.also !== null) yield { ...unit, steps: unit.steps.with(index, { ...step, also: null }) };
    for (const reads of dropped(step.reads)) yield { ...unit, steps: unit.steps.with(index, { ...step, reads }) };
  }
}

function* plainerTools(tool: ToolSpec): Generator<ToolSpec> {
  if (tool.effect !== 'none')
    yield {
      ...tool,
      effect: 'none',
      reconcile: false,
      refusesKey: false,
      undo: false,
      buffer: false,
      gate: false,
      writes: [],
    };
  const { once, ...without } = tool;
  if (once !== undefined) yield without;
  if (tool.reads.length + tool.writes.length > 0) yield { ...tool, reads: [], writes: [] };
  for (const flag of ['refusesKey', 'buffer', 'gate', 'timeout', 'schema', 'spends'] as const)
    if (tool[flag]) yield { ...tool, [flag]: false };
  if (tool.effect !== 'none' && !tool.reconcile) yield { ...tool, reconcile: true };
  if (tool.before > 0) yield { ...tool, before: 0 };
  if (tool.after > 0) yield { ...tool, after: 0 };
}

function* plainerFaults(fault: Fault): Generator<Fault> {
  if (fault.fault === 'wrong') {
    if (fault.twice) yield { ...fault, twice: false };
    if (fault.named) yield { ...fault, named: false };
    if (fault.ms > 0) yield { ...fault, ms: 0 };
  }
}
