/** Replies that come late, of every class: many are under way while something is found wrong, and come while it is done again (C10, C11). */
import { Chance } from './chance.ts';
import { everyStep, type Fault, type Scenario, type Site, type ToolSpec } from './scenario.ts';

/** Draws late replies at the calls of a faultless run, from a stream of its own: the rest of the scenario is the same without them. */
export function drawLate(seed: number, index: number, faults: readonly Fault[], sites: readonly Site[]): Fault[] {
  const chance = new Chance(seed ^ 0x165667b1, index);
  const taken = new Set(faults.flatMap((fault) => ('site' in fault && fault.fault !== 'wrong' ? [fault.site] : [])));
  return chance
    .some(sites, 3)
    .filter((site) => !taken.has(site))
    .map((site) => ({ fault: 'late reply' as const, site }));
}

/** The classes of the tools whose replies come late in a scenario. */
export function lateClasses(scenario: Scenario): ToolSpec['effect'][] {
  const toolAt = new Map(
    [...everyStep(scenario)].map(({ step }) => [step.at, step.step === 'call' ? step.tool : null]),
  );
  return scenario.faults.flatMap((fault) => {
    if (fault.fault !== 'late reply') return [];
    const name = toolAt.get(fault.site.split(' ')[0] as string);
    return scenario.tools.find((tool) => tool.name === name)?.effect ?? [];
  });
}
