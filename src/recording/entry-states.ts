/** Where the states of skeletons lie in a machine. */
import type { Skeleton } from '../boundaries/config.ts';
import { type Region, split } from '../model/region.ts';
import type { Place } from '../runtime/microstep.ts';

/** A skeleton with the region that its states lie in. */
export interface Placed {
  readonly skeleton: Skeleton;
  /** The path of the region within its machine. */
  readonly region: string;
  /** The prefix of its states' paths: `inner/` for a machine that is invoked by the name `inner`. */
  readonly prefix: string;
  /** True if each unit has a region of its own: the region of its entry. */
  readonly lanes: boolean;
}

/** A state's region and machine, as a runtime names them. */
type At = Omit<Place, 'path'>;

/** The skeletons of a config whose states are there, each with the innermost region that holds them all. */
export function placedIn(skeletons: Iterable<Skeleton>, placeAt: (path: string) => At | undefined): readonly Placed[] {
  return [...skeletons].flatMap((skeleton) => {
    const found = skeleton.states.flatMap((path) => {
      const place = placeAt(path);
      return place === undefined ? [] : [{ path, ...place }];
    });
    const [first] = found;
    if (first === undefined) return [];
    const { prefix = '' } = first;
    const region = found.map((place) => place.region).reduce(commonRegion);
    // A unit may be entered in a state that lies within one of its states.
    const entries = new Set(skeleton.entry.flatMap((path) => placeAt(path)?.region ?? []));
    const lanes = areBeside([...entries], prefix, placeAt) || found.some((place) => place.lanes === true);
    return [{ skeleton, region, prefix, lanes }];
  });
}

/** True where two of some regions can be active at once: a skeleton that is entered in both has a unit of its own in each (C5). */
function areBeside(regions: readonly string[], prefix: string, placeAt: (path: string) => At | undefined): boolean {
  return regions.some((one) =>
    regions.some((other) => {
      const [left, right] = [one.split('.'), other.split('.')];
      const differ = left.findIndex((part, index) => part !== right[index]);
      if (differ === -1 || differ >= right.length || one === '' || other === '') return false;
      const child = left.slice(0, differ + 1).join('.');
      return placeAt(`${prefix}${child}`)?.region === child;
    }),
  );
}

/**
 * The innermost region around a state below an instance's own that has other states of the skeleton beside it, so a
 * repetition in one region never takes a number of the other. Null if there is none (E3).
 * @param own the region of the instance.
 * @param at the state, as a path in the machine of the instance.
 */
export function regionOfCall(
  { skeleton, prefix }: Placed,
  own: Region,
  at: Region,
  placeAt: (path: string) => At | undefined,
): string | null {
  const [, around] = split(own);
  const [, path] = split(at);
  const states = skeleton.states.flatMap((state) => (state.startsWith(prefix) ? [state.slice(prefix.length)] : []));
  const isBeside = (child: string): boolean => {
    const parent = child.slice(0, Math.max(0, child.lastIndexOf('.')));
    return states.some((state) => isWithin(parent, state) || (isWithin(state, parent) && !isWithin(state, child)));
  };
  for (
    let child = path;
    child !== around && child !== '';
    child = child.slice(0, Math.max(0, child.lastIndexOf('.')))
  ) {
    if (placeAt(`${prefix}${child}`)?.region === child && isBeside(child)) return child;
  }
  return null;
}

function commonRegion(a: string, b: string): string {
  const [left, right] = [a.split('.'), b.split('.')];
  let shared = 0;
  while (shared < left.length && left[shared] === right[shared]) shared += 1;
  return a === b ? a : left.slice(0, shared).join('.');
}

/** True where a state lies at or below one of the named states. */
export function covers(states: readonly string[], path: string): boolean {
  return states.some((state) => isWithin(path, state));
}

/** True where a state lies at or below another. */
export function isWithin(path: string, above: string): boolean {
  return path === above || above === '' || path.startsWith(`${above}.`);
}

/** True where a state lies in the region of an instance: units of one skeleton may stand in the same state, side by side. */
export function liesIn({ region }: { readonly region: Region }, place: { readonly region: string }): boolean {
  return isWithin(place.region, split(region)[1]);
}
