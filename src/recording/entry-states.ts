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

/** Where the skeletons of a config lie: in the smallest region around their states, as far as the machine has them. */
export function placedIn(
  skeletons: Iterable<Skeleton>,
  places: ReadonlyMap<string, { readonly region: string }>,
): readonly Placed[] {
  return [...skeletons].flatMap((skeleton) => {
    const regions = skeleton.states.flatMap((state) => places.get(state)?.region ?? []);
    if (regions.length === 0) return [];
    const first = skeleton.states.find((state) => places.has(state)) as string;
    return [{ skeleton, region: regions.reduce(commonRegion), prefix: first.slice(0, first.lastIndexOf('/') + 1) }];
  });
}

function commonRegion(a: string, b: string): string {
  const [left, right] = [a.split('.'), b.split('.')];
  let shared = 0;
  while (shared < left.length && left[shared] === right[shared]) shared += 1;
  return a === b ? a : left.slice(0, shared).join('.');
}
