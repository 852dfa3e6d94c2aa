/** The map of names of `belay migrate`: read, held against the release that it leads to, and against its review. */
import { readLock, readMap } from '../../boundaries/directory.ts';
import type { MigrationMap } from '../../boundaries/migration-map.ts';
import { isReviewed } from '../../boundaries/review.ts';
import { isUnder } from '../../journal/work.ts';
import type { MachineShape } from '../../model/machine.ts';
import { machineShape } from '../../xstate/shape.ts';
import { type ModuleOptions, type ModuleRelease, releasesOf } from './release.ts';

/** A map that fits the release of a module. */
export interface FittingMap {
  readonly map: MigrationMap | null;
  /** True if a reviewer has vouched for the map unchanged. */
  readonly isReviewed: boolean;
  /** The machine of the release before; null if no module of that release is named. */
  readonly machineBefore: MachineShape | null;
}

/** The files of a map, and of the module of the release that it leads from. */
interface MapFiles extends Pick<ModuleOptions, 'onModule'> {
  readonly map: string | null;
  readonly from: string | null;
}

/** The map of a file, if one is named. */
export async function mapFor(
  { map: file, from, onModule }: MapFiles,
  releases: ReadonlyMap<string, ModuleRelease>,
): Promise<FittingMap | { readonly problem: string }> {
  if (file === null) return { map: null, isReviewed: true, machineBefore: null };
  const { map, findings } = readMap(file);
  if (map === null) {
    const said = findings.map(({ line, column, code, message }) => `${file}:${line}:${column} ${code} ${message}`);
    return { problem: said.join('\n') };
  }
  const release = releases.get(map.agent);
  if (release === undefined) return { problem: `${file}: no_machine the module has no machine "${map.agent}"` };
  const { digest } = machineShape(release.machine);
  if (!isUnder({ machine: digest, config: release.config?.digest ?? '' }, map.to)) {
    const now = `${digest.slice(0, 8)}/${release.config?.digest.slice(0, 8) ?? 'no config'}`;
    const to = `${map.to.machine.slice(0, 8)}/${map.to.config.slice(0, 8)}`;
    return { problem: `${file}: other_map it leads to release ${to}, and the module is ${now}` };
  }
  const read = readLock(file);
  if ('problem' in read) return { problem: `the review lock beside ${file}: cannot_read ${read.problem}` };
  const machineBefore = from === null ? null : await machineIn(from, map, onModule);
  if (machineBefore !== null && 'problem' in machineBefore) return machineBefore;
  return { map, isReviewed: isReviewed(read.lock, map), machineBefore };
}

/** The machine that a map leads from. */
async function machineIn(
  file: string,
  { agent, from }: MigrationMap,
  onModule: MapFiles['onModule'],
): Promise<MachineShape | { readonly problem: string }> {
  const found = await releasesOf({ machines: file, config: null, onModule });
  if ('problem' in found) return found as { readonly problem: string };
  const release = (found as ReadonlyMap<string, ModuleRelease>).get(agent);
  if (release === undefined) return { problem: `${file}: no_machine the module has no machine "${agent}"` };
  const shape = machineShape(release.machine);
  if (shape.digest === from.machine) return shape;
  const [own, other] = [shape.digest.slice(0, 8), from.machine.slice(0, 8)];
  return { problem: `${file}: other_map its machine is ${own}, and the map leads from ${other}` };
}
