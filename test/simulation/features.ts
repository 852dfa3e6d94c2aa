/** What a generated machine may have, by names that `--only` takes; and which of it a scenario has. */
import { everyBlock, everyStep, type Scenario, type ToolSpec } from './scenario.ts';

/** The parts of a machine that can be switched on one by one. */
export const FEATURES = [
  'branch',
  'loop',
  'parallel',
  'nest',
  'child',
  'delay',
  'await',
  'raise',
  'ask',
  'compute',
  'loose',
  'retry',
  'skip',
  'effects',
  'buffer',
  'gate',
  'outside',
  'joint',
] as const;
export type Feature = (typeof FEATURES)[number];

/** The features that a scenario has. */
export function featuresOf(scenario: Scenario): Set<Feature> {
  const found = new Set<Feature>(scenario.tools.flatMap(featuresOfTool));
  for (const body of [scenario.body, ...scenario.children.map((child) => child.body)]) {
    for (const { block } of everyBlock(body)) if (block !== 'unit') found.add(block === 'meet' ? 'raise' : block);
  }
  for (const { step, unit } of everyStep(scenario)) {
    if (step.step !== 'call') found.add(step.step);
    else if (step.retry) found.add('retry');
    if (unit?.joint === 'all') found.add('joint');
  }
  return found;
}

function featuresOfTool(tool: ToolSpec): Feature[] {
  return [
    ...(tool.effect !== 'none' ? (['effects'] as const) : []),
    ...(tool.buffer ? (['buffer'] as const) : []),
    ...(tool.gate ? (['gate'] as const) : []),
    ...(tool.reads.length + tool.writes.length > 0 ? (['outside'] as const) : []),
  ];
}
