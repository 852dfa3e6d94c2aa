/** One run of a task under a policy: with the sidecar, or without it. */
import type { Observed, Setting } from './observed.ts';
import type { Policy } from './policies.ts';
import type { World } from './set.ts';
import { Unwatched } from './unwatched.ts';
import { Watched } from './watched.ts';

/** Runs a task under a policy, in a world of its own. */
export async function runTask(setting: Setting, policy: Policy): Promise<Observed> {
  const world = setting.task.open();
  try {
    return await runIn(world, setting, policy);
  } finally {
    world.close?.();
  }
}

/** Runs a task in a world that is there. */
export function runIn(world: World, setting: Setting, policy: Policy): Promise<Observed> {
  return policy === 'belay' || policy === 'comp-frozen'
    ? new Watched(setting, world).run(policy)
    : new Unwatched(setting, world, policy).run();
}
