/** Refuses configs that a program, or a fork, could not keep the word of. */
import type { BoundaryConfig } from '../../boundaries/config.ts';
import { overMachines } from '../../boundaries/lint/machines.ts';
import { SilentWatcher } from '../../runtime/silent-watcher.ts';
import { SidecarError } from '../sidecar-error.ts';
import type { Program } from './program.ts';

/**
 * Refuses what needs a machine, in a graph, a flow or a loop. @throws SidecarError `revalidate_unsupported` (RV2), `sandboxes_unsupported` (SB8),
 * `judge_unsupported` (JU1).
 */
export function refuseOffMachines(config: BoundaryConfig, program: Program): void {
  const tool = [...config.tools.values()].find(({ revalidate }) => revalidate !== null);
  const [sandbox] = config.sandboxes.keys();
  const judged = [...config.skeletons.values()]
    .flatMap(({ boundaries }) => boundaries)
    .find(({ judge }) => judge !== null);
  if (tool === undefined && sandbox === undefined && judged === undefined) return;
  if (program.runtime(new SilentWatcher(), () => 0).machines !== null) return;
  const only = 'only xstate machines have';
  if (judged !== undefined)
    throw new SidecarError('judge_unsupported', `${only} judges: take the judge of "${judged.id}" out`);
  if (tool === undefined) throw new SidecarError('sandboxes_unsupported', `${only} sandboxes: take "${sandbox}" out`);
  const text = `"${tool.name}" is revalidated, and what an act of a graph or a flow rests on is not known: take revalidate out, or use "check"`;
  throw new SidecarError('revalidate_unsupported', text);
}

/** @throws SidecarError `pools_unsupported` for a fork: which of its run and its parent has spent the common past is not settled. */
export function refusePooledFork({ pools, sandboxes }: BoundaryConfig, isFork: boolean): void {
  if (isFork && sandboxes.size > 0)
    throw new SidecarError('sandboxes_unsupported', 'a fork has no sandbox: what its run did in one is in that one');
  if (!isFork || pools.size === 0) return;
  throw new SidecarError(
    'pools_unsupported',
    'a fork spends of no pool: give the config of the fork budgets of its own',
  );
}

/** @throws SidecarError `skeleton_over_machines` where a skeleton has states in two machines. */
export function refuseOverMachines(config: BoundaryConfig, { states }: Program): void {
  const texts = states === undefined ? [] : overMachines(config, states);
  if (texts.length > 0) throw new SidecarError('skeleton_over_machines', texts.join('\n'));
}
