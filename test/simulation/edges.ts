/** The edges of a unit of work as it is laid out: where each of its steps leads, and what is surely written by then. */
import { type LaidUnit, writtenBy } from './page.ts';
import type { Step } from './scenario.ts';

/**
 * The edges of the steps of a unit.
 * @param after the state behind each step.
 * @param again where the last edge may lead besides.
 */
export function edgesOf(steps: readonly Step[], after: readonly string[], again: string | null): LaidUnit['edges'] {
  const sure: string[] = [];
  return steps.flatMap((step, index) => {
    const to = after[index] as string;
    if (steps[index - 1]?.step !== 'skip') for (const key of writtenBy(step)) if (!sure.includes(key)) sure.push(key);
    const keys = [...sure];
    const edge = { from: step.at, to, keys, leaves: index === steps.length - 1 };
    if (edge.leaves && again !== null) return [edge, { ...edge, to: again }];
    if (step.step !== 'skip' || edge.leaves) return [edge];
    const beyond = after[index + 1] as string;
    return [edge, { from: step.at, to: beyond, keys, leaves: index + 2 >= steps.length }];
  });
}
