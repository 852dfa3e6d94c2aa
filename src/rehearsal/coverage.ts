/**
 * The tools and boundaries of a rehearsal, each with the number of its faults that were tried: the reach of the
 * verdict.
 */
import type { BoundaryConfig } from '../boundaries/config.ts';
import { isOfVersion } from '../boundaries/version-rules.ts';
import { faultId, type RehearsedFault } from './faults/fault.ts';

/** A tool or a boundary, and its faults over all paths. */
export interface CoveredPlace {
  readonly kind: 'tool' | 'boundary';
  /** The name of the tool, or the skeleton and the id of the boundary. */
  readonly name: string;
  /** The number of its faults; 0 where no path calls the tool, or comes to the boundary. */
  readonly faults: number;
  /** The number of those that a run has met. */
  readonly met: number;
}

/** The faults of one path, those that were not chosen included. */
interface PathFaults {
  readonly path: string;
  readonly faults: readonly RehearsedFault[];
}

/** The tools and boundaries of a config, in its order, each with its faults. */
export function coverageOf(
  config: BoundaryConfig,
  paths: readonly PathFaults[],
  cells: readonly { readonly id: string; readonly verdict: { readonly is: string } }[],
): readonly CoveredPlace[] {
  const places = new Map<
    string,
    { readonly place: Pick<CoveredPlace, 'kind' | 'name'>; faults: number; met: number }
  >();
  const add = (kind: CoveredPlace['kind'], name: string) =>
    places.set(`${kind} ${name}`, { place: { kind, name }, faults: 0, met: 0 });
  for (const name of config.tools.keys()) if (!isOfVersion(name)) add('tool', name);
  for (const { name, boundaries } of config.skeletons.values())
    for (const { id } of boundaries) add('boundary', `${name} ${id}`);
  const met = new Set(cells.flatMap(({ id, verdict }) => (verdict.is === 'unreached' ? [] : [id])));
  for (const { path, faults } of paths) {
    for (const fault of faults) {
      const found = places.get(placeOf(fault) ?? '');
      if (found === undefined) continue;
      found.faults += 1;
      if (met.has(`${path}/${faultId(fault)}`)) found.met += 1;
    }
  }
  return [...places.values()].map(({ place, faults, met: tried }) => ({ ...place, faults, met: tried }));
}

function placeOf(fault: RehearsedFault): string | null {
  switch (fault.kind) {
    case 'call':
    case 'approval':
    case 'restart':
      return `tool ${fault.tool}`;
    case 'wrong':
      return `boundary ${fault.instance.skeleton} ${fault.boundary}`;
    case 'event':
    case 'steer':
    case 'timer':
    case 'kill':
      return null;
  }
}

/** The tools and skeletons that are rehearsed first. */
export interface RehearsedFirst {
  readonly tools: readonly string[];
  readonly skeletons: readonly string[];
}

/** True of a fault of a tool or a boundary that is rehearsed first. */
export function isFirst(fault: RehearsedFault, { tools, skeletons }: RehearsedFirst): boolean {
  if (fault.kind === 'wrong') return skeletons.includes(fault.instance.skeleton) || tools.includes(fault.tool);
  return 'tool' in fault && tools.includes(fault.tool);
}
