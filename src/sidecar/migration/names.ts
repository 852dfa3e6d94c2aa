/** The names in which a run is read that is about to be moved: by a reviewed map, or back by the map that it came by (semantics.md CO5). */
import type { MigrationMap } from '../../boundaries/migration-map.ts';
import { RenameError } from '../../journal/renamed-entries.ts';
import { isUnder } from '../../journal/work.ts';
import type { MachineShape } from '../../model/machine.ts';
import { inverse, isSame, type Renames } from '../../model/renames.ts';
import type { RunState } from '../../projection/run-state.ts';
import type { Release, Stay } from './plan.ts';

/** The way in which names are given anew. */
export interface Naming {
  /** A reviewed map; left out or null where names are the same. */
  readonly map?: MigrationMap | null;
  /** True where the run goes back to the release that it was moved from last. */
  readonly back: boolean;
  /** The machine of the release that the map leads from, where a run may go on from where it stands (CO6). */
  readonly machineBefore?: MachineShape | null;
}

/** The names that a run is read in; null where they are the same. */
export function namesFor(
  { digests, before, agent }: Pick<RunState, 'digests' | 'before' | 'agent'>,
  { map = null, back }: Naming,
): { readonly renames: Renames | null } | { readonly stay: Stay } {
  if (back) {
    const by = before.at(-1)?.renames ?? null;
    return { renames: by === null ? null : inverse(by) };
  }
  if (map === null || map.agent !== agent || (digests !== null && isUnder(digests, map.to))) return { renames: null };
  if (digests !== null && isUnder(digests, map.from)) return { renames: isSame(map.renames) ? null : map.renames };
  const under = digests === null ? 'none' : `${digests.machine.slice(0, 8)}/${digests.config.slice(0, 8)}`;
  const from = `${map.from.machine.slice(0, 8)}/${map.from.config.slice(0, 8)}`;
  return { stay: { code: 'other_map', why: `the map leads from release ${from}, and the run is under ${under}` } };
}

/** Does what reads a run in other names; the reason where it has no reading in them. */
export async function readable<T>(read: () => T | Promise<T>): Promise<{ readonly read: T } | { readonly stay: Stay }> {
  try {
    return { read: await read() };
  } catch (error) {
    if (!(error instanceof RenameError)) throw error;
    return { stay: { code: 'not_renamed', why: error.message } };
  }
}

/** The part of a plan that rests on the way in which names are given anew. @param renames the names in which the run was read. */
export function planning(
  { map = null, back, machineBefore = null }: Naming,
  renames: Renames | null,
): Pick<Release, 'renames' | 'machineBefore' | 'isBack'> {
  return {
    ...(renames !== null && { renames }),
    ...(map !== null && machineBefore !== null && { machineBefore }),
    ...(back && { isBack: true }),
  };
}
