/** The releases of a module: each machine with the config of its agent. */

import type { BoundaryConfig } from '../../boundaries/config.ts';
import { readConfig } from '../../boundaries/directory.ts';
import type { AnyStateMachine } from '../../xstate/actor.ts';
import { findMachines } from '../check/check.ts';

/** A machine with its config, as a module has them. */
export interface ModuleRelease {
  readonly machine: AnyStateMachine;
  readonly config: BoundaryConfig | null;
}

/** The module of a release; null: that of package.json, and the config of the agent. */
export interface ModuleOptions {
  readonly machines: string | null;
  readonly config: string | null;
  /** Told of the module that package.json names, and whose code is about to be run. */
  onModule(file: string): void;
}

/** The releases of a module, by the names of their agents. */
export async function releasesOf({
  machines: file,
  config,
  onModule,
}: ModuleOptions): Promise<ReadonlyMap<string, ModuleRelease> | { readonly problem: string }> {
  const found = await findMachines(file, onModule);
  if ('problem' in found) return found;
  const { machines, agents, guards } = found;
  if (machines.size === 0)
    return {
      problem: 'no_machine no module of machines was named: --machines FILE, or belay.machines in package.json',
    };
  const releases = new Map<string, ModuleRelease>();
  for (const [id, machine] of machines) {
    const path = config ?? agents.get(id)?.config;
    const loaded = path === undefined ? null : readConfig(path, { guards });
    const [first] = (loaded?.findings ?? []).filter(({ severity }) => severity === 'error');
    if (first !== undefined) return { problem: `${path}: ${first.code} ${first.message}` };
    const own = loaded?.config?.agent === id ? loaded.config : null;
    releases.set(id, { machine: machine as unknown as AnyStateMachine, config: own });
  }
  return releases;
}
