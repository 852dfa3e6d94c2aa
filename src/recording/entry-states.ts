/** Where the states of skeletons lie in a machine. */
import type { Skeleton } from '../boundaries/config.ts';

/** A skeleton with the region that its states lie in. */
export interface Placed {
  readonly skeleton: Skeleton;
  /** The path of the region within its machine. */
  readonly region: string;
  /** What stands before its states' paths: `inner/` for a machine that is invoked by the name `inner`. */
  readonly prefix: string;
}

/** Whether a state lies at or below one of the named states. */
export function covers(states: readonly string[], path: string): boolean {
  return states.some((state) => isWithin(path, state));
}

/** Whether a state lies at or below another. */
export function isWithin(path: string, above: string): boolean {
  return path === above || above === '' || path.startsWith(`${above}.`);
}
